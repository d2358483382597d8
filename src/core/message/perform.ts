// Applies the rules of one act inside a store's transaction, and makes the refusal if it is not allowed.
import { Refusal } from "../errors.ts";
import type { Act, ActType, AuthorFacts, OutcomeOf, Outcomes, PostedOutcome, RefusedOutcome, ThreadFacts } from "./acts-and-outcomes.ts";
import { acknowledge } from "./ack-rules.ts";
import { operateAlias } from "./alias-rules.ts";
import { performKey } from "./key-acts.ts";
import { execute, receiveNotice } from "./execute-operator-commands.ts";
import { postInto, type Posted } from "./post.ts";
import type { Arrival, Ledger } from "./message-state.ts";
import { sweep } from "./sweep.ts";

/** What a store's ledger offers beyond the rules: the facts about author and thread in the answer to a post. */
export interface ActLedger extends Ledger {
  authorFacts(agent: string): AuthorFacts;
  threadFacts(root: string): ThreadFacts;
  /** Whether messages that this agent withdrew still have to be ended. */
  isWithdrawing(agent: string): boolean;
  /** A savepoint, to roll back to. */
  mark(): readonly number[];
  backTo(mark: readonly number[]): void;
}

type Rules = { readonly [Type in ActType]: (ledger: ActLedger, act: Act<Type>) => Outcomes[Type] };

const RULES: Rules = {
  post(ledger, { arrival, dryRun }) {
    const posted = postInto(ledger, arrival, dryRun);
    return postedOutcome(ledger, posted, dryRun && posted.result === "created" ? "valid" : posted.result);
  },
  rehearsal(ledger, { arrivals }) {
    const before = ledger.mark();
    const each = arrivals.map((arrival) => rehearsed(ledger, arrival));
    ledger.backTo(before);
    return { each };
  },
  mail(ledger, { arrival }) {
    const { once } = arrival;
    if (once !== undefined && ledger.hasArrived(once)) return { repeated: true };
    const posted = postInto(ledger, arrival);
    if (once !== undefined && posted.result === "created") ledger.noteArrival(once);
    return postedOutcome(ledger, posted, posted.result);
  },
  alias: (ledger, { agent, id, payload }) => operateAlias(ledger, agent, id, payload),
  ack: acknowledge,
  key: (ledger, { op, detail }) => performKey(ledger, op, detail),
  sweep: (ledger) => ({ more: sweep(ledger) }),
  withdrawal: (ledger, { agent }) => ({ more: ledger.isWithdrawing(agent) }),
  report: (ledger, { notice }) => ({ received: receiveNotice(ledger, notice) }),
  order: (ledger, { order }) => ({ ordered: execute(ledger, order) }),
};

export function perform<One extends Act>(ledger: ActLedger, act: One): OutcomeOf<One> {
  return byRule(ledger, act) as OutcomeOf<One>;
}

function byRule<Type extends ActType>(ledger: ActLedger, act: Act<Type>): Outcomes[Type] {
  return RULES[act.type](ledger, act);
}

/** A refused act leaves no trace for those after it. */
function rehearsed(ledger: ActLedger, arrival: Arrival): PostedOutcome | RefusedOutcome {
  const before = ledger.mark();
  try {
    const posted = postInto(ledger, arrival, true);
    return postedOutcome(ledger, posted, posted.result === "created" ? "valid" : posted.result);
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    ledger.backTo(before);
    return { refused: refusalOf(error) };
  }
}

const postedOutcome = (ledger: ActLedger, { state, warnings }: Posted, result: PostedOutcome["result"]): PostedOutcome => ({
  result,
  state,
  warnings,
  author: ledger.authorFacts(state.author),
  thread: ledger.threadFacts(state.root),
});

export function refusalOf(error: unknown): RefusedOutcome["refused"] {
  // Not a refusal but a bug in one act. The other acts go on; the caller reports it.
  if (!(error instanceof Refusal))
    return { code: "internal", message: String((error as Error).stack ?? error), hint: "", status: 500, details: undefined };
  const { code, message, hint, status, details } = error;
  return { code, message, hint, status, details };
}

// One act against the rules, inside a store's transaction, and the words for one that is refused.
import { Refusal } from "../../core/errors.ts";
import { operateAlias } from "../../core/message/alias-rules.ts";
import { sweep } from "../../core/message/sweep.ts";
import { carryOut, receive } from "../../core/message/orders.ts";
import { postInto } from "../../core/message/post.ts";
import type { Ledger } from "../../core/message/standing.ts";
import type { Act, AuthorFacts, Outcome, RefusedOutcome, ThreadFacts } from "../../ports/store.ts";

/** What a store's ledger tells beyond the rules: what the answer to a post shows of its author and thread. */
export interface ActLedger extends Ledger {
  authorFacts(agent: string): AuthorFacts;
  threadFacts(root: string): ThreadFacts;
  /** Whether messages that this agent withdrew have not ended yet. */
  isWithdrawing(agent: string): boolean;
}

export function perform(ledger: ActLedger, act: Act): Outcome {
  switch (act.type) {
    case "sweep":
      return { more: sweep(ledger) };
    case "withdrawal":
      return { more: ledger.isWithdrawing(act.agent) };
    case "alias":
      return operateAlias(ledger, act.agent, act.id, act.payload);
    case "report":
      return { received: receive(ledger, act.notice) };
    case "order":
      return { ordered: carryOut(ledger, act.order) };
    case "post": {
      const posted = postInto(ledger, act.arrival);
      if (posted === undefined) return { repeated: true };
      const { result, standing, warnings } = posted;
      return {
        result: act.dryRun && result === "created" ? "valid" : result,
        standing,
        warnings,
        author: ledger.authorFacts(standing.author),
        thread: ledger.threadFacts(standing.root),
      };
    }
  }
}

export function refusalOf(error: unknown): RefusedOutcome["refused"] {
  // Not a refusal: a fault of ours in one act. Its neighbours go on; the caller reports it.
  if (!(error instanceof Refusal))
    return { code: "internal", message: String((error as Error).stack ?? error), hint: "", status: 500, details: undefined };
  const { code, message, hint, status, details } = error;
  return { code, message, hint, status, details };
}

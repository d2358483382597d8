// Everything that changes the board: the acts, and the outcome of each.
import type { Refusal } from "../errors.ts";
import type { AliasPayload } from "../protocol/alias.ts";
import type { Warning } from "../warnings.ts";
import type { AckOutcome } from "./ack-state.ts";
import type { Ack } from "./ack-rules.ts";
import type { KeyOp } from "../keys/key-rules.ts";
import type { AliasOutcome } from "./alias-rules.ts";
import type { KeyOutcome } from "./key-acts.ts";
import type { Notice } from "./moderation-state.ts";
import type { OperatorCommand, Ordered, OrderedBy } from "./execute-operator-commands.ts";
import type { Arrival, MessageState } from "./message-state.ts";

declare const admitted: unique symbol;
/** A message that passed every check outside the transaction; only `board/write/post.ts` makes one. */
export interface Admitted extends Arrival {
  readonly [admitted]: true;
}

declare const mailed: unique symbol;
/** An e-mail as a message of the board itself, which needs no admission; only `board/write/mail.ts` makes one. */
export interface Mailed extends Arrival {
  /** The identity of the e-mail: one e-mail to one alias. It is stored once, however often it is sent. */
  readonly once?: string;
  readonly [mailed]: true;
}

interface Acts {
  post: { readonly arrival: Admitted; readonly dryRun: boolean };
  /** Checks posts in this order, each seeing those before it; nothing is stored. */
  rehearsal: { readonly arrivals: readonly Admitted[] };
  mail: { readonly arrival: Mailed };
  /** `id` is that of the operation's payload. */
  alias: { readonly id: string; readonly agent: string; readonly payload: AliasPayload; readonly dryRun: boolean };
  ack: Ack;
  key: { readonly op: KeyOp; /** The exact text for the log. */ readonly detail: string };
  sweep: unknown;
  /** Continues to end what this agent withdrew; the outcome says whether there is more. */
  withdrawal: { readonly agent: string };
  report: { readonly notice: Notice };
  order: { readonly order: OperatorCommand };
}

export type ActType = keyof Acts;
/** An act of this type, or of any of these types. */
export type Act<Type extends ActType = ActType> = { [One in Type]: { readonly type: One } & Acts[One] }[Type];

/** The messages that an act brings. */
export const arrivalsOf = (act: Act): readonly Arrival[] => ("arrival" in act ? [act.arrival] : "arrivals" in act ? act.arrivals : []);

/** What the answer to a post shows of its author. */
export interface AuthorFacts {
  readonly firstSeen: number;
  readonly messages: number;
  /** An AuthorLine as JSON, if the key has signed key operations or was named in one. */
  readonly line?: string | null;
  /**
   * Votes in force by other agents that verify the author's work, for all of its keys; undefined in the writer, which does not know them.
   */
  readonly verified?: number;
}
export interface ThreadFacts {
  readonly messages: number;
  readonly lastActivity: number;
}

export interface PostedOutcome {
  readonly result: "created" | "exists" | "valid";
  readonly state: MessageState;
  readonly warnings: readonly Warning[];
  readonly author: AuthorFacts;
  readonly thread: ThreadFacts;
}
/** The e-mail has arrived before, so it is not stored again. */
export interface RepeatedOutcome {
  readonly repeated: true;
}
/** Whether there may be more to do. */
export interface UnfinishedOutcome {
  readonly more: boolean;
}

/** The outcome of each type of act, if it is not refused. */
export interface Outcomes {
  post: PostedOutcome;
  rehearsal: { readonly each: readonly (PostedOutcome | RefusedOutcome)[] };
  mail: PostedOutcome | RepeatedOutcome;
  alias: AliasOutcome;
  ack: AckOutcome;
  key: KeyOutcome;
  sweep: UnfinishedOutcome;
  withdrawal: UnfinishedOutcome;
  report: { readonly received: Notice };
  order: { readonly ordered: Ordered };
}
/** The outcome of this act, if it is not refused. */
export type OutcomeOf<One extends Act> = One extends { readonly order: infer Given extends OperatorCommand }
  ? { readonly ordered: OrderedBy<Given> }
  : Outcomes[One["type"]];

export interface RefusedOutcome {
  readonly refused: Pick<Refusal, "code" | "message" | "hint" | "status" | "details">;
}
export type Outcome<One extends Act = Act> = OutcomeOf<One> | RefusedOutcome;

/** Whether the act only checks, and leaves nothing. */
export const isDryRun = (act: Act): boolean => act.type === "rehearsal" || ("dryRun" in act && act.dryRun);

export const isRefused = (outcome: object): outcome is RefusedOutcome => "refused" in outcome;

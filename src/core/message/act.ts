// Everything that changes the board: what its rules can be asked to do, and what each of these acts comes to.
import type { Details, ErrorCode } from "../errors.ts";
import type { AliasPayload } from "../protocol/alias.ts";
import type { Warning } from "../warnings.ts";
import type { AckOutcome } from "./ack-ledger.ts";
import type { Ack } from "./ack-rules.ts";
import type { KeyOp } from "../keys/key-rules.ts";
import type { AliasOutcome } from "./alias-rules.ts";
import type { KeyOutcome } from "./key-acts.ts";
import type { Notice } from "./moderation.ts";
import type { OperatorCommand, Ordered, OrderedBy } from "./operator-commands.ts";
import type { Arrival, MessageState } from "./message-state.ts";

declare const admitted: unique symbol;
/** A message that passed every check outside the transaction; only `board/admit` makes one. */
export interface Admitted extends Arrival {
  readonly [admitted]: true;
}

declare const mailed: unique symbol;
/** An e-mail as a message of the board's own, which needs no admission; only `board/mail` makes one. */
export interface Mailed extends Arrival {
  /** What it stands for outside the board, one e-mail for one alias: it enters once, however often it comes. */
  readonly once?: string;
  readonly [mailed]: true;
}

interface Acts {
  post: { readonly arrival: Admitted; readonly dryRun: boolean };
  /** Posts in this order, each seeing those before it, of which nothing stays. */
  rehearsal: { readonly arrivals: readonly Admitted[] };
  mail: { readonly arrival: Mailed };
  /** `id` is that of the operation's payload. */
  alias: { readonly id: string; readonly agent: string; readonly payload: AliasPayload; readonly dryRun: boolean };
  ack: Ack;
  key: { readonly op: KeyOp; /** The exact text for the log. */ readonly detail: string };
  sweep: unknown;
  /** Goes on with what this agent withdrew; the outcome tells whether there is more. */
  withdrawal: { readonly agent: string };
  report: { readonly notice: Notice };
  order: { readonly order: OperatorCommand };
}

export type ActType = keyof Acts;
/** An act of this type, or of any of these types. */
export type Act<Type extends ActType = ActType> = { [One in Type]: { readonly type: One } & Acts[One] }[Type];

/** The messages that an act brings. */
export const arrivalsOf = (act: Act): readonly Arrival[] => ("arrival" in act ? [act.arrival] : "arrivals" in act ? act.arrivals : []);

/** What an answer to a post shows of its author. */
export interface AuthorFacts {
  readonly firstSeen: number;
  readonly messages: number;
  /** An AuthorLine as JSON, where the key has signed or was named in key operations. */
  readonly line?: string | null;
}
export interface ThreadFacts {
  readonly messages: number;
  readonly lastActivity: number;
}

export interface PostedOutcome {
  readonly result: "created" | "exists" | "valid";
  readonly standing: MessageState;
  readonly warnings: readonly Warning[];
  readonly author: AuthorFacts;
  readonly thread: ThreadFacts;
}
/** It arrives once and has arrived before. */
export interface RepeatedOutcome {
  readonly repeated: true;
}
/** Whether there may be more to do. */
export interface UnfinishedOutcome {
  readonly more: boolean;
}

/** What acts of each type come to where they are not refused. */
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
/** What this very act comes to where it is not refused. */
export type OutcomeOf<One extends Act> = One extends { readonly order: infer Given extends OperatorCommand }
  ? { readonly ordered: OrderedBy<Given> }
  : Outcomes[One["type"]];

export interface RefusedOutcome {
  readonly refused: {
    readonly code: ErrorCode;
    readonly message: string;
    readonly hint: string;
    readonly status: number;
    readonly details: Details | undefined;
  };
}
export type Outcome<One extends Act = Act> = OutcomeOf<One> | RefusedOutcome;

export const isRefused = (outcome: object): outcome is RefusedOutcome => "refused" in outcome;

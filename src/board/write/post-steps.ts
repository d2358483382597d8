// The steps of a post, and what each of them comes to.
import type { Admitted, PostedOutcome } from "../../core/message/act.ts";
import type { Draft, Envelope } from "../../core/protocol/envelope.ts";
import type { Payload } from "../../core/protocol/payload.ts";
import type { Warning } from "../../core/warnings.ts";
import type { Precheck, StoredMessage } from "../../ports/store.ts";
import type { WorkTerms } from "./difficulty.ts";
import type { Verified } from "./verify.ts";

export interface PostResult {
  readonly result: "created" | "exists" | "valid";
  /** With what its payload says, where the post was new. */
  readonly stored: StoredMessage & { readonly payload?: Payload };
  readonly warnings: readonly Warning[];
  /** What it takes of its address's writes. */
  readonly tokens: number;
  /** Bits that it needs beyond any other message, because its text spreads. */
  readonly brake: number;
}

export interface PostingHow {
  readonly dryRun?: boolean;
  /** The board signed it for its author. */
  readonly assisted?: boolean;
  /** Of a rehearsal: texts of attachments that those before it bring, by hash, with their bytes. */
  readonly lent?: ReadonlyMap<string, number>;
  /** What work is worth: as at the moment unless given. */
  readonly terms?: WorkTerms;
}

/** A post as far as it can be judged without the ledger: it is here already, or it may enter. */
export type CheckedPost = { readonly draft: Draft; readonly how: PostingHow } & (
  | { readonly precheck: Precheck }
  | { readonly verified: Verified; readonly precheck: Precheck }
);
export type MayEnter = Extract<CheckedPost, { readonly verified: Verified }>;
export const isKnown = (checked: CheckedPost): boolean => !("verified" in checked);

/** The steps of a post. One that comes alone takes them all at once; many that come together wait for each other in between. */
export interface PostSteps {
  /** What its text alone says. */
  readonly draft: (envelope: Envelope, how: PostingHow) => Draft;
  /** Whether it is here already; else its time, its attachments, its work and its signature. */
  readonly check: (draft: Draft, how: PostingHow) => Promise<CheckedPost>;
  /** Durable when it resolves. Posts that enter in the same turn are judged in their order, in one transaction. */
  readonly enter: (checked: CheckedPost) => Promise<PostResult>;
  /** What would become of these in this order, each seeing those before it; nothing of it stays. */
  readonly rehearse: (checked: readonly CheckedPost[]) => readonly Promise<PostResult>[];
}

/** On its way into the transaction; `takeBack` where it does not get there. */
export interface Entering {
  readonly arrival: Admitted;
  readonly brake: number;
  readonly takeBack: () => void;
}

export const postedOf = (
  { verified: { looked } }: MayEnter,
  { raw, payload }: Admitted,
  { result, state, warnings, author, thread }: PostedOutcome,
  cost: Pick<PostResult, "tokens" | "brake">,
): PostResult => ({ result, stored: { state, raw, author, thread, payload, seen: { flags: looked.flags } }, warnings, ...cost });

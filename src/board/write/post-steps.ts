// The steps of a post, and the result of each.
import type { Admitted, PostedOutcome } from "../../core/message/acts-and-outcomes.ts";
import type { Draft, Envelope } from "../../core/protocol/envelope.ts";
import type { Outline, Seen } from "../../core/view/outline.ts";
import type { Warning } from "../../core/warnings.ts";
import type { MessageReads, Precheck, StoredMessage } from "../../ports/store.ts";
import type { WorkTerms } from "./difficulty.ts";
import type { Charge } from "../limits/proof-of-work-discount.ts";
import type { Verified } from "./verify.ts";

export interface PostResult extends Charge {
  readonly result: "created" | "exists" | "valid";
  /** The stored message; if the post was new, with its payload, which was parsed already. */
  readonly stored: StoredMessage & { readonly outline?: Outline };
  readonly warnings: readonly Warning[];
  /** Additional bits that it needs because its text spreads. */
  readonly brake: number;
}

/** Takes what a post counts as beyond its body from the address that sent it; the returned function puts it back. */
export type PayForStored = (bytes: number) => () => void;

export interface PostingHow {
  readonly dryRun?: boolean;
  /** The board signed it for its author. */
  readonly assisted?: boolean;
  /** In a dry run: texts of attachments that earlier posts bring, by hash, with their size in bytes. */
  readonly lent?: ReadonlyMap<string, number>;
  /** The difficulty; the present one unless given. */
  readonly terms?: WorkTerms;
  readonly payForStored?: PayForStored | undefined;
}

/** A post after all checks that need no ledger: it is known already, or it may be stored. */
export type CheckedPost = { readonly draft: Draft; readonly how: PostingHow } & (
  | { readonly precheck: Precheck }
  | { readonly verified: Verified; readonly precheck: Precheck }
);
export type MayEnter = Extract<CheckedPost, { readonly verified: Verified }>;

/** The steps of a post. A single post takes all of them at once; posts of a bundle wait for each other in between. */
export interface PostSteps {
  /** Parses the envelope. */
  readonly draft: (envelope: Envelope, how: PostingHow) => Draft;
  /** Checks whether it is known already; if not, its time, attachments, work and signature. */
  readonly check: (draft: Draft, how: PostingHow) => Promise<CheckedPost>;
  /** Resolves when the post is durable. Posts of the same turn of the event loop go into one transaction, in order. */
  readonly enter: (checked: CheckedPost) => Promise<PostResult>;
  /** Performs these posts in order and undoes them: each sees the effects of the ones before. */
  readonly rehearse: (checked: readonly CheckedPost[]) => readonly Promise<PostResult>[];
}

/** A post that is about to be stored; `takeBack` is called if it is not stored. */
export interface Entering {
  readonly arrival: Admitted;
  readonly brake: number;
  readonly takeBack: () => void;
}

/** `seenOf`: what the store keeps about a text for whoever reads the message next. */
export const postedOf = (
  { verified: { looked } }: MayEnter,
  { raw, payload }: Admitted,
  { result, state, warnings, author, thread }: PostedOutcome,
  cost: Pick<PostResult, "tokens" | "brake" | "payer">,
  seenOf?: MessageReads["seenOf"],
): PostResult => {
  const seen: Seen = (result === "created" ? seenOf?.(state.id) : undefined) ?? {};
  seen.flags = looked.flags;
  return { result, stored: { state, raw, author, thread, outline: { payload }, seen }, warnings, ...cost };
};

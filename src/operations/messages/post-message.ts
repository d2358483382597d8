// POST /api/messages: posts a signed message, or many.
import { z } from "zod";
import type { Advice, Adviser, Similar } from "../../board/write/dry-run-advice.ts";
import type { BeginBundle, Bundle } from "../../board/write/post-many.ts";
import type { ReceiptOf } from "../../board/proof/inclusion-proofs.ts";
import type { FindMessage } from "../../board/read/message-by-id.ts";
import type { Post } from "../../board/write/post.ts";
import type { PostResult } from "../../board/write/post-steps.ts";
import { type Envelope, envelopeReader } from "../../core/protocol/envelope.ts";
import { flag } from "../../core/query/forms.ts";
import { iso } from "../../core/protocol/time.ts";
import { LIMITS } from "../../core/protocol/limits.ts";
import { type MessageRecord, recordOf } from "../../core/view/record.ts";
import { ACTING_RELS, isWorkable } from "../../core/protocol/vocabulary.ts";
import type { Clock } from "../../ports/clock.ts";
import type { StoredMessage } from "../../ports/store.ts";
import { dryRunBody, postedBody, postedLineBody } from "../bodies/messages.ts";
import { receipt } from "../parameters.ts";
import {
  type BundleCalls,
  type LineReply,
  SIGNED_BODY_REFUSALS,
  STORING_REFUSALS,
  storingOperation,
  type StoringParts,
} from "../operation.ts";
import { BODY_AND_DATA } from "../present.ts";

// oxfmt-ignore
export const POST_REFUSALS = [
  ...SIGNED_BODY_REFUSALS, "unknown_kind", "kind_reserved", "kind_requirements", "ts_out_of_range", "blob_missing",
  "blob_mismatch", "secret_detected", "pow_insufficient", "unknown_parameter", "invalid_parameter", "bad_key", "bad_signature", "target_unknown", "target_gone",
  "target_not_workable", "target_resolved", "not_author", "already_claimed", "too_many_leases", "reserved", "already_signaled", "agent_id_collision",
  "expired", "retracted", "unsupported_attachment_type", "blocked_content", "blocked_key", "key_revoked", "key_in_use", "outside_delegation",
  ...STORING_REFUSALS,
] as const;

export interface PostParts extends StoringParts {
  readonly post: Post;
  readonly beginBundle: BeginBundle;
  readonly clock: Clock;
  readonly baseUrl: string;
  readonly find: FindMessage;
}

/** The new state of the messages that a message acts on, as far as they are live. */
async function targetsOf({ refs = [] }: MessageRecord["meta"], find: FindMessage): Promise<readonly object[]> {
  const found = refs.filter(({ rel }) => ACTING_RELS.has(rel)).map(({ id }) => find(id).catch(() => undefined));
  return (await Promise.all(found)).flatMap((one) => {
    if (one === undefined) return [];
    const { id, kind, status, claimedBy, leaseUntil } = one.state;
    return [{ id, kind, status, claimed_by: claimedBy, lease_until: leaseUntil === null ? null : iso(leaseUntil) }];
  });
}

/** Similar work is reported to the author of work; the post is never refused for it. */
export const similarWork = async (adviser: Adviser, stored: StoredMessage): Promise<{ similar?: readonly Similar[] }> =>
  isWorkable(stored.state.kind) ? { similar: await adviser.similarTo(stored) } : {};

/** What proves a post: its signature, and its place in the log or the address of that proof. */
export async function signedParts({ state: { id, seq }, raw: { sig, nonce } }: StoredMessage, receiptOf: ReceiptOf, wanted: boolean) {
  return { sig, nonce, ...(await receiptOf(seq, `/api/messages/${id}/proof`, wanted)) };
}

/** The answer to a post that was only checked, with the bits that the board requires at the moment. */
export const checkedBody = ({ result, stored, brake }: PostResult, required: number, advice: Advice) => {
  const { id, bits } = stored.state;
  return { result, id, required_bits: required + brake, pow_bits: bits, ...advice };
};

export const postMessage = (
  { post, beginBundle, difficulty, clock, baseUrl, requireWritable, receiptOf, find }: PostParts,
  adviser: Adviser,
) =>
  storingOperation(requireWritable, {
    name: "post_message",
    path: "/api/messages",
    summary: "Post a signed message, or many, one per line; or only check with dry_run.",
    input: z.strictObject({
      dry_run: flag.default(false).describe("Check everything, write nothing; an empty nonce skips the work check."),
      targets: flag.default(false).describe("1: the answer has the new state of the messages that this one acts on. Not for many at once."),
      receipt,
    }),
    body: envelopeReader,
    many: {
      most: LIMITS.bundle_lines,
      answer: postedLineBody,
      begin: ({ dry_run: dryRun, receipt: wanted }) =>
        bundleCalls(beginBundle({ dryRun }), dryRun, adviser.advise, async (stored) =>
          wanted ? signedParts(stored, receiptOf, true) : {},
        ),
    },
    responses: {
      201: { words: "Created.", body: postedBody },
      200: {
        words: "The message exists already, or the dry run found it valid. For many messages: the result of each, one per line, in order.",
        body: z.union([postedBody, dryRunBody]),
      },
    },
    refusals: POST_REFUSALS,
    work: () => difficulty.required,
    direct: true,
    async run({ input, body: envelope, payForStored }) {
      const posted = await post(envelope, { dryRun: input.dry_run, payForStored });
      const { result, stored, warnings, tokens, payer } = posted;
      if (result === "valid") return { payer, body: checkedBody(posted, difficulty.required, await adviser.advise(stored, warnings)) };
      const record = recordOf(stored, BODY_AND_DATA, clock.now(), baseUrl);
      const targets = input.targets ? { targets: await targetsOf(record.meta, find) } : {};
      const body = { ...record, result, warnings, ...(await signedParts(stored, receiptOf, input.receipt)), ...targets };
      if (result === "exists") return { payer, body };
      return {
        status: 201,
        body: { ...body, ...(await similarWork(adviser, stored)) },
        headers: { location: `${baseUrl}/api/messages/${record.id}` },
        tokens,
        payer,
      };
    },
  });

/** The answer to each of many posts: only fields that its author does not know already. */
function bundleCalls(
  bundle: Bundle,
  dryRun: boolean,
  advise: Adviser["advise"],
  proofOf: (stored: StoredMessage) => Promise<object>,
): BundleCalls<Envelope> {
  let advised: Promise<unknown> = Promise.resolve();
  /** The searches run one after the other. */
  const adviseInTurn: Adviser["advise"] = (...asked) => {
    const advice = advised.then(() => advise(...asked));
    advised = advice.catch(() => {});
    return advice;
  };
  const replyTo = async (posted: PostResult): Promise<LineReply> => {
    const { result, stored, warnings, tokens, payer } = posted;
    if (result === "valid") return { payer, body: checkedBody(posted, bundle.requiredBits, await adviseInTurn(stored, warnings)) };
    const { id, seq } = stored.state;
    const body = { id, seq, result, warnings, ...(await proofOf(stored)) };
    return { status: result === "created" ? 201 : 200, body, tokens, payer };
  };
  return {
    // A dry run stores nothing, so a line that refers to an earlier one must be checked together with it.
    whole: dryRun,
    async add(envelope, payForStored) {
      const { posted } = await bundle.add(envelope, payForStored);
      return { reply: posted.then(replyTo) };
    },
    flush: () => bundle.flush(),
  };
}

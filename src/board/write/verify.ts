// From a draft to a verified message: time, attachments, no secrets, work and signature, cheapest first.
import { Refusal } from "../../core/errors.ts";
import { fromBase64url } from "../../core/protocol/encoding.ts";
import { checkBlobs, type Draft } from "../../core/protocol/envelope.ts";
import { LIMITS } from "../../core/protocol/limits.ts";
import { requireSoundKey, requireSoundSignature } from "../../core/protocol/signature.ts";
import { sha256 } from "../../core/protocol/sha256.ts";
import { leadingZeroBits } from "../../core/protocol/work.ts";
import { plural } from "../../core/text/plural.ts";
import { brakeBits, brakeWords } from "../../core/guard/copies/brake.ts";
import type { Spread } from "../../core/guard/copies/copies.ts";
import type { Clock } from "../../ports/clock.ts";
import { nextSlice, slice } from "../../ports/share.ts";
import type { SignatureChecker } from "../../ports/signatures.ts";
import type { Prior } from "../../ports/store.ts";
import type { Difficulty, WorkTerms } from "./difficulty.ts";
import type { RequireNoSecret } from "./secrets.ts";
import type { Looked, TextGuard } from "./text-guard.ts";

declare const verified: unique symbol;
/** A draft whose work and signature were checked; only `verify` makes one. */
export interface Verified extends Draft {
  readonly bits: number;
  readonly looked: Looked;
  readonly [verified]: true;
}

/** Anything with a payload that its key has signed. */
export interface Signed {
  readonly envelope: { readonly payload: string; readonly sig: string };
  readonly payload: { readonly pk: string };
}

export interface Verifier {
  /** `terms`: those of now unless given. */
  verify(draft: Draft, prior: Prior, dryRun: boolean, terms?: WorkTerms): Promise<Verified>;
  /** Some time after that its text may spread: it answers the bits that it needs for that. */
  requireWorkStill(message: Verified, dryRun: boolean, terms?: WorkTerms): number;
  requireSignature(signed: Signed): Promise<void>;
}

export interface VerifierParts {
  readonly clock: Clock;
  readonly difficulty: Difficulty;
  readonly signatures: SignatureChecker;
  readonly requireNoSecret: RequireNoSecret;
  readonly guard: Pick<TextGuard, "look" | "spreadOf">;
}

const LONG_CHARS = 64 * 1024;

export function verifier({ clock, difficulty, signatures, requireNoSecret, guard }: VerifierParts): Verifier {
  async function requireSignature({ envelope, payload }: Signed): Promise<void> {
    const key = fromBase64url(payload.pk);
    const sig = fromBase64url(envelope.sig);
    requireSoundKey(key);
    requireSoundSignature(sig);
    if (!(await signatures.check(key, sig, envelope.payload))) throw new Refusal("bad_signature");
  }

  async function verify(draft: Draft, prior: Prior, dryRun: boolean, terms: WorkTerms = difficulty): Promise<Verified> {
    // What the operator gave back is as old as it was.
    if (prior.gone?.restored !== true) requireTime(draft.payload.ts, clock.now());
    const { payload, envelope } = draft;
    // Most are read through in no time; the longest take as long as many others together.
    const isLong = envelope.blobs !== undefined || envelope.payload.length > LONG_CHARS;
    if (isLong) await nextSlice();
    slice(() => requireBlobs(draft, prior));
    if (isLong) await nextSlice();
    // Before the work: whoever has to take something out should not have mined for it.
    slice(() => requireNoSecret(payload, envelope.blobs));
    if (isLong) await nextSlice();
    const looked = slice(() => guard.look(payload));
    const spread = guard.spreadOf(looked, draft.author);
    const bits = requireWork(draft, terms, spread, dryRun);
    await requireSignature(draft);
    return { ...draft, bits, looked } as Verified;
  }

  function requireWorkStill(message: Verified, dryRun: boolean, terms: WorkTerms = difficulty): number {
    const spread = guard.spreadOf(message.looked, message.author);
    requireWork(message, terms, spread, dryRun);
    return brakeBits(spread);
  }

  return { verify, requireWorkStill, requireSignature };
}

export function requireTime(ts: number, nowMs: number): void {
  const now = Math.floor(nowMs / 1000);
  const min = now - LIMITS.ts_past_s;
  const max = now + LIMITS.ts_future_s;
  if (ts >= min && ts <= max) return;
  throw new Refusal("ts_out_of_range", `\`ts\` is ${ts}; it must lie from ${min} to ${max}.`, { details: { ts, min, max } });
}

function requireBlobs(draft: Draft, { storedBlobs }: Prior): void {
  const elsewhere = new Set(checkBlobs(draft));
  for (const { sha256, size } of draft.payload.attachments ?? []) {
    if (!elsewhere.has(sha256)) continue;
    const bytes = storedBlobs.get(sha256);
    const details = { sha256 };
    if (bytes === undefined)
      throw new Refusal("blob_missing", `The text of attachment ${sha256} is neither in \`blobs\` nor stored.`, { details });
    if (bytes !== size)
      throw new Refusal("blob_mismatch", `The stored blob ${sha256} has ${bytes} bytes, its attachment says ${size}.`, { details });
  }
}

function requireWork({ id, envelope }: Draft, terms: WorkTerms, spread: Spread, dryRun: boolean): number {
  if (dryRun && envelope.nonce === "") return 0;
  const bits = leadingZeroBits(sha256(`${id}:${envelope.nonce}`));
  const brake = brakeBits(spread);
  if (bits >= terms.honoured + brake) return bits;
  const required = terms.required + brake;
  throw new Refusal("pow_insufficient", `The nonce proves ${plural(bits, "bit")} of work; ${required} are required.${brakeWords(spread)}`, {
    details: { required_bits: required, pow_bits: bits, ...(brake === 0 ? {} : { spreading: { agents: spread.lately, bits: brake } }) },
  });
}

// From a draft to a verified message: checks time, attachments, secrets, work and signature, cheapest first.
import { Refusal } from "../../core/errors.ts";
import { blobMissing } from "../../core/message/post.ts";
import { checkBlobs, type Draft, type Envelope } from "../../core/protocol/envelope.ts";
import { LIMITS } from "../../core/protocol/limits.ts";
import { requireSoundKey, requireSoundSignature } from "../../core/protocol/require-strict-ed25519.ts";
import { sha256 } from "../../core/protocol/node-sha256.ts";
import { leadingZeroBits } from "../../core/protocol/proof-of-work.ts";
import { plural } from "../../core/text/plural.ts";
import { brakeBits, brakeWords } from "../../core/guard/copies/extra-proof-of-work.ts";
import { ALONE, type Spread } from "../../core/guard/copies/copies.ts";
import type { Looked } from "../../core/guard/examine-text.ts";
import type { Clock } from "../../ports/clock.ts";
import { nextSlice, slice } from "../../ports/cpu-slices.ts";
import type { SignatureChecker } from "../../ports/signature-checker.ts";
import type { Precheck } from "../../ports/store.ts";
import type { Difficulty, WorkTerms } from "./difficulty.ts";
import type { TextGuard } from "./text-guard.ts";
import { findSecret, secretRefusal } from "../../core/guard/secrets.ts";
import { fromBase64url } from "../../core/protocol/encoding.ts";
import type { Payload } from "../../core/protocol/payload.ts";
import type { SigningKeys } from "../../ports/signing-key.ts";

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
  /** `terms`: the present difficulty unless given. */
  verify(draft: Draft, precheck: Precheck, dryRun: boolean, terms?: WorkTerms): Promise<Verified>;
  /** Throws if the text spreads and the message has too little work for that; returns the additional bits. All keys of `agent` are one. */
  requireWorkStill(message: Verified, agent: string, dryRun: boolean, terms?: WorkTerms): number;
  requireSignature(signed: Signed): Promise<void>;
}

export interface VerifierParts {
  readonly clock: Clock;
  readonly difficulty: Difficulty;
  readonly signatures: SignatureChecker;
  readonly requireNoSecret: RequireNoSecret;
  readonly guard: Pick<TextGuard, "spreadOf">;
}

const LONG_CHARS = 64 * 1024;

/** Most messages take next to no time to check; the longest take as long as many others together. */
export const isLong = ({ payload, blobs }: Envelope): boolean => blobs !== undefined || payload.length > LONG_CHARS;

export function verifier({ clock, difficulty, signatures, requireNoSecret, guard }: VerifierParts): Verifier {
  async function requireSignature(signed: Signed): Promise<void> {
    const { key, sig } = soundOf(signed);
    if (!(await signatures.check(key, sig, signed.envelope.payload))) throw new Refusal("bad_signature");
  }

  async function lookedThrough(draft: Draft): Promise<Looked> {
    const { key, sig } = soundOf(draft);
    const looked = await signatures.checkMessage(key, sig, draft.envelope.payload);
    if (looked === undefined) throw new Refusal("bad_signature");
    return looked;
  }

  async function verify(draft: Draft, precheck: Precheck, dryRun: boolean, terms: WorkTerms = difficulty): Promise<Verified> {
    // A restored message may be older than a new post is allowed to be.
    if (precheck.tombstone?.restored !== true) requireTime(draft.payload.ts, clock.now());
    const { payload, envelope } = draft;
    const long = isLong(envelope);
    if (long) await nextSlice();
    slice(() => requireBlobs(draft, precheck));
    if (long) await nextSlice();
    // Checked before the work, so that an author who must remove a secret has not mined for nothing.
    slice(() => requireNoSecret(payload));
    for (const [hash, text] of Object.entries(envelope.blobs ?? {})) {
      await nextSlice();
      slice(() => requireNoSecret({ pk: payload.pk }, { [hash]: text }));
    }
    const bits = bitsOf(draft);
    requireWork(draft, bits, terms, ALONE, dryRun);
    // Whether its text spreads is checked later, when all earlier messages are counted.
    const looked = await lookedThrough(draft);
    return { ...draft, bits, looked } as Verified;
  }

  function requireWorkStill(message: Verified, agent: string, dryRun: boolean, terms: WorkTerms = difficulty): number {
    const spread = guard.spreadOf(message.looked, agent);
    requireWork(message, message.bits, terms, spread, dryRun);
    return brakeBits(spread);
  }

  return { verify, requireWorkStill, requireSignature };
}

function soundOf({ envelope, payload }: Signed): { readonly key: Uint8Array; readonly sig: Uint8Array } {
  const key = fromBase64url(payload.pk);
  const sig = fromBase64url(envelope.sig);
  requireSoundKey(key);
  requireSoundSignature(sig);
  return { key, sig };
}

export function requireTime(ts: number, nowMs: number): void {
  const now = Math.floor(nowMs / 1000);
  const min = now - LIMITS.ts_past_s;
  const max = now + LIMITS.ts_future_s;
  if (ts >= min && ts <= max) return;
  throw new Refusal("ts_out_of_range", `\`ts\` is ${ts}; it must lie from ${min} to ${max}.`, { details: { ts, min, max } });
}

function requireBlobs(draft: Draft, { storedBlobs }: Precheck): void {
  const elsewhere = new Set(checkBlobs(draft));
  for (const { sha256, size } of draft.payload.attachments ?? []) {
    if (!elsewhere.has(sha256)) continue;
    const bytes = storedBlobs.get(sha256);
    if (bytes === undefined) throw blobMissing(sha256);
    if (bytes !== size)
      throw new Refusal("blob_mismatch", `The stored blob ${sha256} has ${bytes} bytes, its attachment says ${size}.`, {
        details: { sha256 },
      });
  }
}

/** An empty nonce belongs to a dry run and proves no work. */
const bitsOf = ({ id, envelope: { nonce } }: Draft): number => (nonce === "" ? 0 : leadingZeroBits(sha256(`${id}:${nonce}`)));

function requireWork({ envelope }: Draft, bits: number, terms: WorkTerms, spread: Spread, dryRun: boolean): void {
  if (dryRun && envelope.nonce === "") return;
  const brake = brakeBits(spread);
  if (bits >= terms.honoured + brake) return;
  const required = terms.required + brake;
  throw new Refusal("pow_insufficient", `The nonce proves ${plural(bits, "bit")} of work; ${required} are required.${brakeWords(spread)}`, {
    details: { required_bits: required, pow_bits: bits, ...(brake === 0 ? {} : { spreading: { agents: spread.lately, bits: brake } }) },
  });
}

/** Throws if the message, or a text sent with it, contains a secret. */
export type RequireNoSecret = (payload: Pick<Payload, "pk"> & Partial<Payload>, blobs?: Readonly<Record<string, string>>) => void;

/** All free text of a payload. */
const FREE_FIELDS = ["title", "body", "data", "kind", "data_schema", "tags", "needs", "offers", "attachments"] as const;

/** Limits the candidates: computing the public key of a seed costs about as much as checking a signature. */
const SEEDS_TRIED = 4;

/** Finds credentials that are known by their form, and the author's own key. */
export function secretGuard(keys: SigningKeys): RequireNoSecret {
  return (payload, blobs) => {
    let tried = 0;
    const isOwn = (text: string): boolean =>
      text !== payload.pk && ++tried <= SEEDS_TRIED && keys.from(fromBase64url(text)).pk === payload.pk;
    for (const field of FREE_FIELDS) {
      const found = findSecret(payload[field], field, isOwn);
      if (found !== undefined) throw secretRefusal(found);
    }
    const found = findSecret(blobs, "blobs", isOwn);
    if (found !== undefined) throw secretRefusal(found);
  };
}

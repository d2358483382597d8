// Posts operations on keys: the same checks as for a message, a separate rate limit, and the rules of keys.
import { Refusal } from "../../core/errors.ts";
import { requireKeyTimes, requireOtherNext } from "../../core/keys/key-rules.ts";
import { blockedKey } from "../../core/message/block-lists.ts";
import type { KeyOutcome } from "../../core/message/key-acts.ts";
import { type KeyDraft, keyDraftOf, type KeyEnvelope, keyEnvelopeText, type KeyOpName } from "../../core/protocol/key-op.ts";
import { utf8Length } from "../../core/protocol/encoding.ts";
import type { KeyReads } from "../../ports/keys.ts";
import { KEY_EXTRA_BITS } from "./difficulty.ts";
import type { WritingParts } from "./post.ts";
import { tokensFor } from "../limits/proof-of-work-discount.ts";
import type { PayForStored } from "./post-steps.ts";
import { requireBits, requireThisBoard } from "./signed-operation.ts";
import { appendAtCost } from "./pay-for-stored.ts";
import { requireTime, type Verifier } from "./verify.ts";

export type OperateKey = (envelope: KeyEnvelope, payForStored?: PayForStored) => Promise<OperatedKey>;

export interface OperatedKey extends KeyOutcome {
  readonly draft: KeyDraft;
  /** The share of a write that it takes from its address's bucket. */
  readonly tokens: number;
}

export function keyOperator(parts: WritingParts & { readonly store: KeyReads }): OperateKey {
  const { store, clock, board, verifier, rates, difficulty, append, quota, requireWritable } = parts;
  return async (envelope, payForStored) => {
    requireWritable();
    const draft = keyDraftOf(envelope);
    const { id, signer, payload } = draft;
    requireThisBoard(payload.board, board);
    // A repeated operation with a valid signature is answered as before, whatever its time and nonce.
    const isKnown = (await store.keyOp(id)) !== undefined;
    if (!isKnown) {
      requireTime(payload.ts, clock.now());
      requireKeyTimes(draft, clock.now());
      requireOtherNext(draft);
    }
    // Independent of the load: an owner who recovers a key must not compete with a flood.
    const required = difficulty.min + KEY_EXTRA_BITS;
    const extraBits = isKnown ? 0 : requireBits(draft, { required, honoured: required }, "a key operation");
    await verifier.requireSignature(draft);
    if (!isKnown) await requireOthers(draft, store, verifier);
    const { keyBlocked, payer } = await store.precheck(id, signer, [], clock.now());
    if (keyBlocked) throw blockedKey(signer);
    // Anybody can send a known operation again: it must not use up what its signer may do.
    if (!isKnown) rates.take("keys", signer);
    const detail = keyEnvelopeText(envelope);
    const operate = () => append({ type: "key", op: { id, signer, payload, oldSigned: envelope.old_sig !== undefined }, detail });
    const stored = { payer, bytes: COPIES * utf8Length(detail), payForStored };
    // Whoever fills the board, or uses up what the agent may store, must not be able to keep a stolen key alive by that.
    const endsPower = ENDS_A_POWER.has(payload.op);
    if (!isKnown && !endsPower) quota.require(0);
    const outcome = isKnown || endsPower ? await operate() : await appendAtCost(parts, stored, operate, ({ existed }) => !existed);
    if (endsPower && !outcome.existed) rates.owe("agent_bytes", payer, stored.bytes);
    return { ...outcome, draft, tokens: outcome.existed ? 1 : tokensFor(extraBits) };
  };
}

/** An operation is kept in the log, and for good among those of its agent. */
const COPIES = 2;

const ENDS_A_POWER: ReadonlySet<KeyOpName> = new Set(["revoke", "undelegate", "veto"]);

/** The signatures of the old key and of the child, over the same payload. */
async function requireOthers({ envelope, payload }: KeyDraft, store: KeyReads, verifier: Verifier): Promise<void> {
  const check = async (field: "old_sig" | "child_sig", sig: string, pk: string): Promise<void> => {
    await verifier.requireSignature({ envelope: { payload: envelope.payload, sig }, payload: { pk } }).catch((error: unknown) => {
      throw error instanceof Refusal
        ? new Refusal(error.code, `\`${field}\` is not valid: ${error.message}`, { details: { field } })
        : error;
    });
  };
  const { old_sig, child_sig } = envelope;
  if (old_sig !== undefined && payload.op !== "rotate") throw misplaced("old_sig", "a rotation");
  if (child_sig !== undefined && payload.op !== "delegate") throw misplaced("child_sig", "a delegation");
  if (old_sig !== undefined) {
    const pk = await store.publicKey(payload.agent);
    if (pk === undefined) throw new Refusal("agent_unknown", `${payload.agent} has signed nothing here.`);
    await check("old_sig", old_sig, pk);
  }
  if (payload.op !== "delegate") return;
  if (child_sig === undefined)
    throw new Refusal("bad_signature", "A delegation needs the child's signature over the same payload.", {
      details: { field: "child_sig" },
      hint: "Send `child_sig`, signed with the key that is delegated to.",
    });
  await check("child_sig", child_sig, payload.child);
}

const misplaced = (field: string, of: string): Refusal =>
  new Refusal("invalid_field", `\`${field}\` is for ${of} only.`, { details: { field }, hint: "Leave it out." });

// Posts acknowledgements: the same checks as for a message, less work, and a separate rate limit.
import type { AckOutcome } from "../../core/message/ack-state.ts";
import { ackOutcome } from "../../core/message/ack-rules.ts";
import { blockedKey } from "../../core/message/block-lists.ts";
import { type AckDraft, ackDraftOf } from "../../core/protocol/ack.ts";
import type { AckReads } from "../../ports/acks.ts";
import { type Charge, tokensFor } from "../limits/proof-of-work-discount.ts";
import { ackBits } from "./difficulty.ts";
import type { WritingParts } from "./post.ts";
import { requireBits, requireThisBoard } from "./signed-operation.ts";
import { requireTime } from "./verify.ts";

export interface Acknowledged extends AckOutcome, Charge {}
export type Acknowledge = (envelope: AckDraft["envelope"]) => Promise<Acknowledged>;

export function acknowledger(parts: WritingParts & { readonly store: Pick<AckReads, "ack"> }): Acknowledge {
  const { store, clock, board, verifier, rates, difficulty, append, quota, requireWritable } = parts;
  return async (envelope) => {
    requireWritable();
    const draft = ackDraftOf(envelope);
    const { id, agent, payload } = draft;
    requireThisBoard(payload.board, board);
    // A repeated acknowledgement with a valid signature is accepted whatever its time and work.
    const known = await store.ack(id);
    const precheck = () => store.precheck(id, agent, [], clock.now());
    if (known !== undefined) {
      await verifier.requireSignature(draft);
      return { ...ackOutcome(known, agent, "exists"), tokens: 1, payer: (await precheck()).payer };
    }
    requireTime(payload.ts, clock.now());
    const { required, honoured } = difficulty.terms;
    const terms = { required: ackBits(required), honoured: ackBits(honoured) };
    const extraBits = requireBits(draft, terms, "an acknowledgement", WORK_HINT);
    await verifier.requireSignature(draft);
    const { keyBlocked, payer } = await precheck();
    if (keyBlocked) throw blockedKey(agent);
    rates.take("agent_acks", payer);
    quota.require(0);
    const { payload: text, sig, nonce } = envelope;
    const outcome = await append({ type: "ack", id, agent, payload, detail: JSON.stringify({ payload: text, sig, nonce }) });
    return { ...outcome, tokens: outcome.result === "created" ? tokensFor(extraBits) : 1, payer };
  };
}

const WORK_HINT =
  "Find a nonce for which SHA-256 of `<id>:<nonce>` has at least `required_bits` leading zero bits; `ack_bits` of /api/pow says how many.";

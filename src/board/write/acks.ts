// Posts acknowledgements: the same checks as for a message, less work, and a separate rate limit.
import type { AckOutcome } from "../../core/message/ack-state.ts";
import { ackOutcome } from "../../core/message/ack-rules.ts";
import { blockedKey } from "../../core/message/block-lists.ts";
import { type AckDraft, ackDraftOf } from "../../core/protocol/ack.ts";
import { utf8Length } from "../../core/protocol/encoding.ts";
import type { AckReads } from "../../ports/acks.ts";
import { type Charge, tokensFor } from "../limits/proof-of-work-discount.ts";
import { ackBits } from "./difficulty.ts";
import type { WritingParts } from "./post.ts";
import type { PayForStored } from "./post-steps.ts";
import { requireBits, requireThisBoard } from "./signed-operation.ts";
import { appendAtCost } from "./pay-for-stored.ts";
import { requireTime } from "./verify.ts";

export interface Acknowledged extends AckOutcome, Charge {}
export type Acknowledge = (envelope: AckDraft["envelope"], payForStored?: PayForStored) => Promise<Acknowledged>;

/** What a named id takes in the store beside the log: an inbox item, or its place among those that were left out. */
const ID_BYTES = 140;

export function acknowledger(parts: WritingParts & { readonly store: Pick<AckReads, "ack"> }): Acknowledge {
  const { store, clock, board, verifier, rates, difficulty, append, quota, requireWritable } = parts;
  return async (envelope, payForStored) => {
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
    const detail = JSON.stringify({ payload: text, sig, nonce });
    const { acted = [], declined = [] } = payload;
    const bytes = utf8Length(detail) + ID_BYTES * (acted.length + declined.length);
    const outcome = await appendAtCost(
      parts,
      { payer, bytes, payForStored },
      () => append({ type: "ack", id, agent, payload, detail }),
      ({ result }) => result === "created",
    );
    return { ...outcome, tokens: outcome.result === "created" ? tokensFor(extraBits) : 1, payer };
  };
}

const WORK_HINT =
  "Find a nonce for which SHA-256 of `<id>:<nonce>` has at least `required_bits` leading zero bits; `ack_bits` of /api/pow says how many.";

// Posts acknowledgements: the same checks as for a message, less work, and a separate rate limit.
import { Refusal } from "../../core/errors.ts";
import type { AckOutcome } from "../../core/message/ack-state.ts";
import { ackOutcome } from "../../core/message/ack-rules.ts";
import { blockedKey } from "../../core/message/block-lists.ts";
import { type AckDraft, ackDraftOf } from "../../core/protocol/ack.ts";
import { workBits } from "../../core/protocol/proof-of-work.ts";
import { plural } from "../../core/text/plural.ts";
import type { AckReads } from "../../ports/acks.ts";
import { tokensFor } from "../limits/proof-of-work-discount.ts";
import { ackBits, type Difficulty } from "./difficulty.ts";
import type { WritingParts } from "./post.ts";
import { requireTime } from "./verify.ts";

export interface Acknowledged extends AckOutcome {
  /** The agent to whose limits it counts: the signer, or the agent that delegated its key. */
  readonly payer: string;
  /** The share of a write that it takes from its address's bucket. */
  readonly tokens: number;
}
export type Acknowledge = (envelope: AckDraft["envelope"]) => Promise<Acknowledged>;

export interface AckParts extends WritingParts {
  readonly acks: Pick<AckReads, "ack">;
}

export function acknowledger(parts: AckParts): Acknowledge {
  const { store, acks, clock, board, verifier, rates, difficulty, append, quota, requireWritable } = parts;
  return async (envelope) => {
    requireWritable();
    const draft = ackDraftOf(envelope);
    const { id, agent, payload } = draft;
    requireBoard(payload.board, board);
    // A repeated acknowledgement with a valid signature is accepted whatever its time and work.
    const known = await acks.ack(id);
    const precheck = () => store.precheck(id, agent, [], clock.now());
    if (known !== undefined) {
      await verifier.requireSignature(draft);
      return { ...ackOutcome(known, agent, "exists"), tokens: 1, payer: (await precheck()).payer };
    }
    requireTime(payload.ts, clock.now());
    const bits = requireAckWork(draft, difficulty);
    await verifier.requireSignature(draft);
    const { keyBlocked, payer } = await precheck();
    if (keyBlocked) throw blockedKey(agent);
    rates.take("agent_acks", payer);
    quota.require(0);
    const { payload: text, sig, nonce } = envelope;
    const outcome = await append({ type: "ack", id, agent, payload, detail: JSON.stringify({ payload: text, sig, nonce }) });
    const taken = outcome.result === "created" ? tokensFor(bits - ackBits(difficulty.required)) : 1;
    return { ...outcome, tokens: taken, payer };
  };
}

function requireBoard(meant: string, board: string): void {
  if (meant !== board)
    throw new Refusal("wrong_board", "`board` names another board.", { details: { board }, hint: `Sign again with \`board\` "${board}".` });
}

function requireAckWork({ id, envelope }: AckDraft, difficulty: Difficulty): number {
  const bits = workBits(id, envelope.nonce);
  if (bits >= ackBits(difficulty.honoured)) return bits;
  const required = ackBits(difficulty.required);
  throw new Refusal("pow_insufficient", `The nonce proves ${plural(bits, "bit")} of work; an acknowledgement needs ${required}.`, {
    details: { required_bits: required, pow_bits: bits },
    hint: "Find a nonce for which SHA-256 of `<id>:<nonce>` has at least `required_bits` leading zero bits; `ack_bits` of /api/pow says how many.",
  });
}

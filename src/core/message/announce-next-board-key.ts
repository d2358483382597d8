// The announcement of a new key of the board or of its log, inside the transaction.
import { DAY_MS } from "../durations.ts";
import { Refusal } from "../errors.ts";
import { BOARD_KEYS, type KeyChange, type KeyStatement, statementOfChange } from "../protocol/board-key-change.ts";
import { agentId } from "../protocol/message-and-agent-ids.ts";
import { LIMITS } from "../protocol/limits.ts";
import { sha256Hex } from "../protocol/node-sha256.ts";
import type { Ledger } from "./message-state.ts";

export const ANNOUNCED_MS = LIMITS.board_key_days * DAY_MS;

/** A key is announced days ahead, and only once. The signatures were checked before. */
export function announceKey(ledger: Ledger, detail: string): KeyStatement {
  const statement = statementOfChange(JSON.parse(detail) as KeyChange);
  const { board, old, from } = statement;
  if (from * 1000 < ledger.now + ANNOUNCED_MS)
    throw new Refusal("invalid_field", `A new key of the board must be announced ${LIMITS.board_key_days} days ahead.`);
  const id = sha256Hex(`${BOARD_KEYS} ${old}`);
  if (ledger.keyOp(id) !== undefined) throw new Refusal("stale_key_op", `A successor of ${old} was announced already.`);
  const { hash: prev } = ledger.head;
  const seq = ledger.log("board_key", board, detail);
  ledger.putKeyOp({
    id,
    seq,
    at: ledger.now,
    type: "board_key",
    principal: BOARD_KEYS,
    agent: board,
    signer: agentId(old),
    state: "counted",
    prev,
    detail,
  });
  return statement;
}

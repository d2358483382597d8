// Acknowledgements that a fresh board refuses.
import { ERRORS, type ErrorCode } from "../src/core/errors.ts";
import { ALICE, BOARD, payloadText, seal } from "./keys.ts";
import type { RefusalCase } from "./refusal-case.ts";

export function ackRefusals(): RefusalCase[] {
  const ack = (fields: Readonly<Record<string, unknown>>) => payloadText(ALICE, { board: BOARD.agent, op: "ack", ...fields });
  const refusal = (code: ErrorCode, name: string, payload: string): RefusalCase => ({
    name,
    code,
    status: ERRORS[code].status,
    body: JSON.stringify(seal(ALICE, payload)),
  });
  const id = "a".repeat(64);
  return [
    refusal("wrong_board", "meant for another board", ack({ seen: 0 })),
    refusal("invalid_field", "for no board", ack({ board: undefined, seen: 0 })),
    refusal("invalid_field", "another op", ack({ op: "claim", seen: 0 })),
    refusal("invalid_field", "a negative seq", ack({ seen: -1 })),
    refusal("invalid_field", "the start of an id", ack({ acted: ["abc"] })),
    refusal("invalid_field", "a reason that does not exist", ack({ declined: [{ id, why: "bored" }] })),
    refusal("invalid_field", "65 ids", ack({ acted: Array.from({ length: 65 }, (_, n) => n.toString(16).padStart(64, "0")) })),
    refusal("unknown_field", "words", ack({ declined: [{ id, why: "other", words: "no" }] })),
    refusal("unsupported_version", "version 2", ack({ v: 2, seen: 0 })),
  ];
}

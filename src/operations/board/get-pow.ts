// GET /api/pow: how much work a post needs, and how it is measured.
import { ackBits, ALIAS_EXTRA_BITS, type Difficulty, KEY_EXTRA_BITS } from "../../board/write/difficulty.ts";
import { NONCE } from "../../core/protocol/encoding.ts";
import { messageId } from "../../core/protocol/message-and-agent-ids.ts";
import { LIMITS } from "../../core/protocol/limits.ts";
import { sha256Hex } from "../../core/protocol/node-sha256.ts";
import { mine, workBits } from "../../core/protocol/proof-of-work.ts";
import { powBody } from "../bodies/board.ts";
import { readWithoutParameters } from "../operation.ts";

const EXAMPLE_BITS = 12;

function example() {
  const payload = '{"v":1,"pk":"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo","ts":1767225600,"kind":"note","body":"hello, board"}';
  const id = messageId(payload);
  const nonce = mine(id, EXAMPLE_BITS);
  return { payload, id, nonce, hash: sha256Hex(`${id}:${nonce}`), bits: workBits(id, nonce) };
}

/** Computed once per process, at the first request. */
let worked: ReturnType<typeof example> | undefined;

export const getPow = (difficulty: Difficulty) =>
  readWithoutParameters({
    name: "get_pow",
    path: "/api/pow",
    summary: "Current proof-of-work difficulty and algorithm.",
    responses: { 200: { words: "The parameters, with a worked example.", body: powBody } },
    run: async () => ({
      body: {
        algorithm: "sha256-leading-zero-bits",
        input: "<id>:<nonce>",
        id: "hex(sha256(utf8(payload)))",
        required_bits: difficulty.required,
        alias_bits: difficulty.required + ALIAS_EXTRA_BITS,
        ack_bits: ackBits(difficulty.required),
        key_bits: difficulty.min + KEY_EXTRA_BITS,
        min_bits: difficulty.min,
        max_bits: difficulty.max,
        quote_valid_s: LIMITS.pow_quote_s,
        nonce_pattern: NONCE.source,
        example: (worked ??= example()),
      },
    }),
  });

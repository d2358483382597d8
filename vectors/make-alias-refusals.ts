// Operations on aliases that a fresh board refuses.
import { ERRORS, type ErrorCode } from "../src/core/errors.ts";
import { ALICE, BOB, NOW, payloadText, REQUIRED_BITS, seal } from "./keys.ts";
import { type RefusalCase, shortOf } from "./refusal-case.ts";

/** Aliases cost more than messages. */
const ALIAS_BITS = REQUIRED_BITS + 3;

export function aliasRefusals(): RefusalCase[] {
  const claim = (fields: Readonly<Record<string, unknown>> = {}) => payloadText(ALICE, { op: "claim", alias: "alice", ...fields });
  const refusal = (
    code: ErrorCode,
    name: string,
    payload: string,
    change: object = {},
    status: number = ERRORS[code].status,
  ): RefusalCase => ({
    name,
    code,
    status,
    body: JSON.stringify({ ...seal(ALICE, payload, ALIAS_BITS), ...change }),
  });
  const forbidden = 403;
  return [
    refusal("invalid_alias", "upper case", claim({ alias: "Alice" })),
    refusal("invalid_alias", "two characters", claim({ alias: "al" })),
    refusal("alias_reserved", "postmaster", claim({ alias: "postmaster" })),
    refusal("invalid_field", "an op that does not exist", claim({ op: "sell" })),
    refusal("unknown_field", "a field of messages", claim({ kind: "note" })),
    refusal("unsupported_version", "version 2", claim({ v: 2 })),
    refusal("ts_out_of_range", "a second too old", claim({ ts: NOW - 3601 })),
    refusal("pow_insufficient", "one bit short of the three more", claim(), { nonce: shortOf(claim(), ALIAS_BITS) }),
    refusal("bad_signature", "a signature by another key", claim(), { sig: BOB.sign(claim()) }, forbidden),
    refusal("bad_key", "a key of low order", claim({ pk: `AQ${"A".repeat(41)}` }), {}, forbidden),
    refusal("not_owner", "the release of what nobody holds", claim({ op: "release" })),
  ];
}

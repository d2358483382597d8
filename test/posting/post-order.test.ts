// The documented order of checks on a post: a request that breaks two rules gets the refusal of the earlier one.
import { afterAll, beforeAll, expect, test } from "vitest";
import type { ErrorCode } from "../../src/core/errors.ts";
import { LIMITS } from "../../src/core/protocol/limits.ts";
import { sha256 } from "../support/agent.ts";
import { TestBoard } from "../support/board.ts";
import { type Beside, openBeside, plantAgent, plantRemoved } from "../support/database.ts";
import { expectRefusal } from "../support/refusal.ts";

/** The checks in their order, each with its refusal. */
const CHECKS = {
  size: [413, "too_large"],
  media: [415, "unsupported_media_type"],
  utf8: [400, "invalid_utf8"],
  json: [400, "invalid_json"],
  envelope: [400, "unknown_field"],
  encoding: [400, "bad_encoding"],
  text: [400, "duplicate_key"],
  schema: [400, "invalid_field"],
  key: [400, "bad_encoding"],
  kind: [400, "unknown_kind"],
  version: [400, "unsupported_version"],
  known: [451, "blocked_content"],
  time: [400, "ts_out_of_range"],
  blobs: [400, "blob_missing"],
  secret: [400, "secret_detected"],
  work: [400, "pow_insufficient"],
  signature: [401, "bad_signature"],
  blocked: [451, "blocked_key"],
  refs: [409, "target_unknown"],
} satisfies Record<string, [number, ErrorCode]>;
type Check = keyof typeof CHECKS;
const answerTo = (check: Check): [number, ErrorCode] => CHECKS[check];
const NAMES = Object.keys(CHECKS) as Check[];
const ABSENT = "f".repeat(64);

let board: TestBoard;
let db: Beside;
beforeAll(async () => {
  board = await TestBoard.start();
  db = openBeside(board.data);
});
afterAll(async () => {
  db.close();
  await board[Symbol.asyncDispose]();
});

/** A request that fails exactly these checks. */
function broken(checks: ReadonlySet<Check>): { body: Uint8Array<ArrayBuffer>; type: string } {
  const agent = board.agent();
  let payload = JSON.stringify({
    v: checks.has("version") ? 2 : 1,
    pk: checks.has("key") ? `${agent.pk}==` : agent.pk,
    ts: checks.has("time") ? 1 : Math.floor(board.clock.now() / 1000),
    kind: checks.has("kind") ? "nonsense" : "note",
    title: "x".repeat(checks.has("schema") ? LIMITS.title_chars + 1 : 1),
    ...(checks.has("secret") ? { body: `-----BEGIN PRIVATE KEY-----\n${"MC4C".repeat(16)}\n` } : {}),
    ...(checks.has("blobs") ? { attachments: [{ sha256: ABSENT, name: "a", mime: "text/plain", size: 1 }] } : {}),
    ...(checks.has("refs") ? { refs: [{ rel: "answers", id: ABSENT }] } : {}),
  });
  if (checks.has("text")) payload = payload.replace("{", '{"kind":"note",');
  const { nonce } = agent.seal(payload);
  const sealed = {
    payload,
    sig: agent.sign(checks.has("signature") ? "another text" : payload),
    nonce: checks.has("encoding") ? "two words" : checks.has("work") ? lazyNonce(payload) : nonce,
    ...(checks.has("envelope") ? { extra: true } : {}),
  };
  if (checks.has("known")) plantRemoved(db, sha256(payload), board.clock.now());
  if (checks.has("blocked")) plantAgent(db, agent.id, agent.pk, true);
  let text = JSON.stringify(sealed);
  if (checks.has("json")) text = text.slice(0, -1);
  if (checks.has("size")) text += " ".repeat(LIMITS.request_bytes);
  const body = Buffer.concat([checks.has("utf8") ? Buffer.from([0xff]) : Buffer.alloc(0), Buffer.from(text)]);
  return { body, type: checks.has("media") ? "text/plain" : "application/json" };
}

function lazyNonce(payload: string): string {
  for (let n = 0; ; n++) if (Number.parseInt(sha256(`${sha256(payload)}:${n}`)[0]!, 16) >= 8) return String(n);
}

test("nothing broken is accepted, so each breakage below is the only one", async () => {
  const { body, type } = broken(new Set());
  expect((await board.send(body, "/api/messages", { "content-type": type })).status).toBe(201);
});

test.each(NAMES)("an agent that breaks only %s learns that", async (name) => {
  const { body, type } = broken(new Set([name]));
  expectRefusal(await board.send(body, "/api/messages", { "content-type": type }), ...answerTo(name));
});

const pairs = NAMES.flatMap((first, i) => NAMES.slice(i + 1).map((second): [Check, Check] => [first, second]));
test.each(pairs)("an agent that breaks %s and %s mends the first first", async (first, second) => {
  const { body, type } = broken(new Set([first, second]));
  // Only the author may learn what happened to a known payload, so the signature is checked first there.
  const named = first === "known" && second === "signature" ? second : first;
  expectRefusal(await board.send(body, "/api/messages", { "content-type": type }), ...answerTo(named));
});

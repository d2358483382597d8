import {
  array,
  assert,
  type Arbitrary,
  boolean,
  constant,
  constantFrom,
  dictionary,
  integer,
  jsonValue,
  nat,
  oneof,
  option,
  property,
  record,
  subarray,
} from "fast-check";
import { expect, test } from "vitest";
import { anyText } from "../../../test/support/any-text.ts";
import { SEED } from "../../../test/support/random.ts";
import type { MessageState } from "../message/message-state.ts";
import { STATUS_NAMES } from "../protocol/vocabulary.ts";
import { recordText } from "./record-json.ts";
import { type Include, INCLUDES, type Recordable, recordOf } from "./record.ts";

const HOSTILE = [
  '"',
  "\\",
  '"}],"',
  "\u2028",
  "</script>",
  "mark7f3",
  '"mark0"',
  '\\"mark1\\"',
  "$&",
  "$1",
  "__proto__",
  "\u{1F600}",
  "\uFEFF",
];
const hostile: Arbitrary<string> = oneof(
  anyText,
  constantFrom(...HOSTILE),
  array(constantFrom(...HOSTILE)).map((all) => all.join("")),
);
const id = array(constantFrom(..."0123456789abcdef".split("")), { minLength: 64, maxLength: 64 }).map((all) => all.join(""));
const agentId = array(constantFrom(..."0123456789abcdef".split("")), { minLength: 20, maxLength: 20 }).map((all) => `ag_${all.join("")}`);
const time = integer({ min: 1_600_000_000_000, max: 2_000_000_000_000 });
const maybe = <T>(of: Arbitrary<T>) => option(of, { nil: null });
const state: Arbitrary<MessageState> = record({
  seq: nat(),
  id,
  author: agentId,
  principal: agentId,
  kind: constantFrom("note", "task", "x-mark0"),
  root: id,
  receivedAt: time,
  expiresAt: time,
  to: maybe(agentId),
  bits: nat(64),
  assisted: boolean(),
  hasData: boolean(),
  hasAttachment: boolean(),
  risk: constantFrom(0, 1, 2, 3),
  copies: nat(9),
  spreading: boolean(),
  lang: maybe(constant("de")),
  repliedTo: array(agentId, { maxLength: 2 }),
  status: constantFrom(...STATUS_NAMES),
  verifies: nat(9),
  refutes: nat(9),
  replies: nat(9),
  answers: nat(9),
  answersVerified: nat(3),
  rejected: nat(3),
  signals: dictionary(constantFrom("useful", "stale", "wrong-tags"), nat(9)),
  resolvedByAuthor: boolean(),
  duplicateOf: maybe(id),
  claimedBy: maybe(agentId),
  leaseUntil: maybe(time),
  claimSeq: maybe(nat()),
  supersededBy: maybe(id),
  supersededAt: maybe(time),
  withdrawn: boolean(),
  changed: nat(),
  signal: constant(null),
  handled: maybe(constantFrom("acted", "declined")),
  handledAt: maybe(time),
  handledWhy: maybe(constantFrom("busy", "other")),
});
const payload = record(
  {
    v: constant(1),
    pk: hostile,
    ts: integer({ min: 1_600_000_000, max: 2_000_000_000 }),
    kind: constantFrom("note", "task", "x-mark0"),
    title: hostile,
    body: hostile,
    data: dictionary(hostile, jsonValue()),
    tags: array(hostile),
    data_schema: hostile,
    attachments: array(record({ sha256: id, name: hostile, mime: hostile, size: nat() }), { maxLength: 2 }),
  },
  { requiredKeys: ["v", "pk", "ts", "kind"] },
);
const LINES = [
  '{"principal":"ag_1"}',
  '{"principal":"ag_1","current":"ag_2","revoked_since":1800000000000}',
  '{"principal":"ag_1","delegated_by":"ag_1"}',
];
const stored: Arbitrary<Recordable> = record({
  state,
  raw: record({ payload: payload.map((value) => JSON.stringify(value)), sig: hostile, nonce: hostile }),
  author: record(
    { firstSeen: time, messages: nat(), line: constantFrom(null, ...LINES), verified: nat() },
    { requiredKeys: ["firstSeen", "messages", "line"] },
  ),
  thread: record({ messages: nat(), lastActivity: time }),
});

test(`readers get the record itself, character by character, again and again as time, author and thread move on (SEED=${SEED})`, () => {
  // The mark of a running board is random and secret; texts that come close to it must stay what they are.
  const texts = recordText("https://board.example", "mark7f3a");
  const moves = array(record({ now: time, messages: nat(), thread: nat(), lastActivity: time, include: subarray([...INCLUDES]) }), {
    minLength: 1,
    maxLength: 4,
  });
  assert(
    property(stored, moves, (drawn, then) => {
      for (const { now, messages, thread, lastActivity, include } of then) {
        const moved = { ...drawn, author: { ...drawn.author, messages }, thread: { messages: thread, lastActivity } };
        const wanted: ReadonlySet<Include> = new Set(include);
        const text = JSON.stringify(recordOf(moved, wanted, now, "https://board.example"));
        expect(texts(moved, wanted, now)).toMatchObject({ text, bytes: Buffer.byteLength(text) });
      }
    }),
    { seed: SEED, numRuns: 500 },
  );
});

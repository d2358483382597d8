import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { array, assert, asyncProperty, nat } from "fast-check";
import { expect, test } from "vitest";
import { AGENTS, OPENING, step, written } from "../../../test/support/acts.ts";
import { BareBoard, postAct } from "../../../test/support/bare-board.ts";
import { Model } from "../../../test/support/model.ts";
import { databaseFor, dropDatabaseOf } from "../../../test/support/postgres/database.ts";
import { messageId } from "../../core/protocol/message-and-agent-ids.ts";
import { sha256Hex } from "../../core/protocol/node-sha256.ts";
import type { Payload } from "../../core/protocol/payload.ts";
import { type Act, isRefused } from "../../core/message/acts-and-outcomes.ts";
import { Client } from "./client.ts";
import { PostgresWriter } from "./writer.ts";
import { SEED } from "../../../test/support/random.ts";

const START = Date.UTC(2026, 0, 1);
const steps = array(step, { maxLength: 80, size: "max" }).map((more) => [...OPENING, ...more]);

/** Tables that mean the same in both; SQLite numbers agents and threads as well, for itself. */
// oxfmt-ignore
const TABLES = [
  "log", "messages", "contents", "labels", "inbox", "tallies", "agent_tallies", "refs", "votes", "answerers", "signals",
  "agents", "blobs", "attachments", "aliases", "arrived_once", "inbox_changes", "withdrawals", "gone", "past_messages", "notices", "actions", "blocks",
];

const NUMBERS = new Set(["thread", "number"]);
const sorted = (rows: readonly object[]): string[] =>
  rows
    .map((row) => Object.entries(row).filter(([name]) => !NUMBERS.has(name)))
    .map((row) => JSON.stringify(row.sort(([a], [b]) => (a < b ? -1 : 1))))
    .sort();
/** The threads of all messages, in SQLite by their number. */
const THREADS = "SELECT DISTINCT m.root, t.messages, t.last_activity FROM messages m JOIN threads t ON";

test(`a board on PostgreSQL comes to the same answers and the same rows as one on SQLite, however posts are batched (SEED=${SEED})`, async () => {
  await assert(
    asyncProperty(steps, array(nat(12), { minLength: 4, maxLength: 12 }), async (script, sizes) => {
      const data = mkdtempSync(join(tmpdir(), "same-rules-"));
      const url = await databaseFor(data);
      const writer = new PostgresWriter(url);
      const client = new Client({ url, connections: 2, name: "test" });
      using sqlite = new BareBoard();
      const model = new Model(START);
      let batch: Act[] = [];
      const flush = async (at: number): Promise<void> => {
        const acts = batch;
        batch = [];
        if (acts.length === 0) return;
        const expected = sqlite.run(acts, at);
        const actual = await writer.run(acts, at);
        expect(actual.outcomes).toEqual(expected.outcomes);
        expect({ head: actual.head, nextDue: actual.nextDue }).toEqual({ head: expected.head, nextDue: expected.nextDue });
      };
      try {
        for (const [n, one] of script.entries()) {
          if (one.do === "wait" || one.do === "wait_for") {
            await flush(model.now);
            const moments = model.moments();
            const goal = one.do === "wait" ? model.now + one.ms : (moments[one.n % Math.max(1, moments.length)] ?? model.now) + one.offset;
            model.now = Math.max(model.now, goal);
            batch.push({ type: "sweep" });
            await flush(model.now);
            continue;
          }
          const { author, text } = written(model, one, n);
          model.post(messageId(text), author, JSON.parse(text) as Payload);
          batch.push(postAct(text));
          if (batch.length > (sizes[n % sizes.length] ?? 0)) await flush(model.now);
        }
        await flush(model.now);
        for (const table of TABLES) {
          const rows = await client.query<object>(`SELECT * FROM ${table}`);
          expect(sorted(rows), table).toEqual(sorted(sqlite.db.prepare(`SELECT * FROM ${table}`).all()));
        }
        const threads = await client.query<object>(`${THREADS} t.root = m.root`);
        expect(sorted(threads)).toEqual(sorted(sqlite.db.prepare(`${THREADS} t.number = m.thread`).all()));
      } finally {
        await Promise.all([writer.end(), client.end()]);
        await dropDatabaseOf(data);
        rmSync(data, { recursive: true, force: true });
      }
    }),
    { seed: SEED, numRuns: 10, endOnFailure: process.env["SHRINK"] === undefined },
  );
});

test("a text that ended with its last message after a post that names it was checked is missing, and the post is refused", async () => {
  const data = mkdtempSync(join(tmpdir(), "same-rules-"));
  const writer = new PostgresWriter(await databaseFor(data));
  using sqlite = new BareBoard();
  const sha256 = sha256Hex("the text");
  const { pk } = AGENTS[0]!;
  const named = (body: string, more: object = {}) =>
    JSON.stringify({ v: 1, pk, ts: 1, kind: "note", body, attachments: [{ sha256, name: "a.txt", mime: "text/plain", size: 8 }], ...more });
  const [first, second, third, fourth] = ["first", "second", "third", "fourth"].map((body) => named(body)) as [
    string,
    string,
    string,
    string,
  ];
  const withdrawn = (text: string): Act =>
    postAct(JSON.stringify({ v: 1, pk, ts: 1, kind: "retraction", refs: [{ rel: "retracts", id: messageId(text) }] }));
  const run = async (acts: readonly Act[]) => {
    const expected = sqlite.run(acts, START).outcomes;
    const { outcomes } = await writer.run(acts, START);
    expect(outcomes).toEqual(expected);
    return outcomes.map((one) => (isRefused(one) ? one.refused.code : "result" in one ? one.result : ""));
  };
  try {
    expect(await run([postAct(first)])).toEqual(["blob_missing"]);
    expect(await run([postAct(first, { [sha256]: "the text" }), postAct(second)])).toEqual(["created", "created"]);
    // Named again in the transaction that erases the messages that had it.
    expect(await run([withdrawn(first), withdrawn(second), postAct(third)])).toEqual(["created", "created", "created"]);
    expect(sqlite.rows("blobs")).toBe(1);
    expect(await run([withdrawn(third)])).toEqual(["created"]);
    expect(sqlite.rows("blobs")).toBe(0);
    expect(await run([postAct(fourth)])).toEqual(["blob_missing"]);
  } finally {
    await writer.end();
    await dropDatabaseOf(data);
    rmSync(data, { recursive: true, force: true });
  }
});

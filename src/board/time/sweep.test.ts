import { afterEach, beforeEach, expect, test } from "vitest";
import { AGENTS } from "../../../test/support/acts.ts";
import { BareBoard, postAct } from "../../../test/support/bare-board.ts";
import { chainFaults } from "../../../test/support/chain.ts";
import { eventually } from "../../../test/support/eventually.ts";
import { ManualClock } from "../../../test/support/manual-clock.ts";
import { SqliteWriter } from "../../adapters/sqlite/writer.ts";
import { WITHDRAWN_PER_BATCH } from "../../core/message/sweep.ts";
import { messageId } from "../../core/protocol/message-and-agent-ids.ts";
import { sha256Hex } from "../../core/protocol/node-sha256.ts";
import { DAY_MS, MINUTE_MS } from "../../core/durations.ts";
import type { Act } from "../../core/message/acts-and-outcomes.ts";
import type { Appended } from "../../ports/store.ts";
import { Appender } from "../write/append.ts";
import { type Sweeper, startSweeper } from "./sweep.ts";

let board: BareBoard;
let clock: ManualClock;
let faults: unknown[];
let transactions: number;
let appender: Appender;
let sweeper: Sweeper;
beforeEach(() => {
  board = new BareBoard();
  clock = new ManualClock();
  faults = [];
  transactions = 0;
  appender = new Appender(board, clock, { appended: () => transactions++, failed: (_what, error) => void faults.push(error) });
  sweeper = startSweeper(appender, clock, null);
});
afterEach(() => {
  sweeper.stop();
  board[Symbol.dispose]();
});

const text = (fields: object) => JSON.stringify({ v: 1, pk: AGENTS[0]!.pk, ts: 1, ...fields });
const post = (fields: object) => appender.append(postAct(text(fields)));
const erased = (remaining: number) => eventually("the content is erased", () => (board.rows("contents") === remaining ? true : undefined));

test("a disk that could not be written: the sweep is made up for when it can be, without a request", async () => {
  await post({ kind: "note", body: "short", ttl: "1m" });
  board.db.exec("PRAGMA query_only = ON");
  clock.advance(MINUTE_MS);
  await eventually("the fault is reported", () => (faults.length === 1 ? true : undefined));
  await expect(post({ kind: "note", body: "refused" })).rejects.toMatchObject({ code: "storage_unavailable", status: 503 });
  expect(board.rows("contents")).toBe(1);
  board.db.exec("PRAGMA query_only = OFF");
  clock.advance(1000);
  await erased(0);
  expect(board.changes().map((entry) => entry.type)).toEqual(["create", "expire"]);
});

test("thousands that end at the same moment are all erased, step by step, with posts in between", async () => {
  await Promise.all(Array.from({ length: 1500 }, (_, i) => post({ kind: "note", body: `note ${i}`, ttl: "1m" })));
  clock.advance(MINUTE_MS);
  await post({ kind: "note", body: "in between" });
  await erased(1);
  expect(board.rows("gone", "reason = 'expired'")).toBe(1500);
  expect(chainFaults(board.changes())).toEqual([]);
});

test("a board on which nothing happens deletes what is old by itself, and its log does not grow", async () => {
  await post({ kind: "note", body: "short", ttl: "1m" });
  clock.advance(MINUTE_MS);
  await eventually("the tombstone is written", () => (board.rows("gone") === 1 ? true : undefined));
  clock.advance(31 * DAY_MS);
  await eventually("the tombstone is deleted", () => (board.rows("gone") === 0 ? true : undefined));
  expect(board.changes().map((entry) => entry.type)).toEqual(["create", "expire"]);
});

test("a board on which nothing happens is woken once a day, and writes nothing then", async () => {
  const written = () => board.db.prepare("SELECT total_changes() AS n").get()?.["n"];
  const before = written();
  for (let day = 1; day <= 3; day++) {
    clock.advance(DAY_MS - 1);
    await appender.append({ type: "sweep" });
    expect(transactions).toBe(2 * day - 1);
    clock.advance(1);
    await eventually("the sweep of the day", () => (transactions === 2 * day && sweeper.isSwept() ? true : undefined));
  }
  expect(written()).toBe(before);
});

test("a post waits for the end of few of the thousands that are due, and so does a step of the sweep", async () => {
  await Promise.all(Array.from({ length: 600 }, (_, i) => post({ kind: "note", body: `note ${i}`, ttl: "1m" })));
  const later = clock.now() + 60_000;
  board.run([postAct(text({ kind: "note", body: "in between" }))], later);
  const ended = board.rows("gone");
  expect(ended).toBeGreaterThan(0);
  expect(ended).toBeLessThanOrEqual(50);
  board.sweep(later);
  expect(board.rows("gone") - ended).toBeLessThanOrEqual(100);
});

test("a step of the sweep ends few messages of which inboxes tell much, so that a post waits for few of their items", async () => {
  await Promise.all(Array.from({ length: 100 }, (_, i) => post({ kind: "note", body: `note ${i}`, ttl: "1m" })));
  board.db.exec(`WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 20)
    INSERT INTO inbox_changes (agent, seq, target, at, reason, became) SELECT 'ag_1', n.i, m.seq, 1, 'status', 'open' FROM n, messages m`);
  const later = clock.now() + 60_000;
  board.sweep(later);
  const left = board.rows("inbox_changes");
  expect(left).toBeGreaterThan(2000 - 80);
  for (let before = Infinity, now = left; now < before;) {
    board.sweep(later);
    [before, now] = [now, board.rows("inbox_changes")];
    expect(before - now).toBeLessThan(80);
  }
  expect([board.rows("inbox_changes"), board.rows("contents")]).toEqual([0, 0]);
});

test("a listing that waits for the sweep finds a thousand leases ended that ran out together", async () => {
  const tasks = Array.from({ length: 1000 }, (_, i) => ({ kind: "task", title: `task ${i}` }));
  await Promise.all(tasks.map(post));
  // By many: one agent holds a few leases only.
  const pkOf = (n: number) => Buffer.from(sha256Hex(`worker ${n}`), "hex").toString("base64url");
  const claim = (task: object, n: number) =>
    post({ pk: pkOf(Math.floor(n / 8)), kind: "claim", lease: "5m", refs: [{ rel: "claims", id: messageId(text(task)) }] });
  await Promise.all(tasks.map(claim));
  expect(board.rows("messages", "status = 'claimed'")).toBe(1000);
  clock.advance(300_000);
  await sweeper.sweepDue();
  expect(board.rows("messages", "status = 'claimed'")).toBe(0);
});

test("readers wait a moment for thousands that end together, not until all of them have ended, and for few that end later", async () => {
  await Promise.all(Array.from({ length: 1500 }, (_, i) => post({ kind: "note", body: `note ${i}`, ttl: "1m" })));
  clock.advance(MINUTE_MS);
  const first = sweeper.sweepDue();
  clock.advance(50);
  await first;
  await sweeper.sweepDue();
  expect(sweeper.isSwept()).toBe(false);
  expect(board.rows("contents")).toBeGreaterThan(500);
  await erased(0);
  await eventually("the sweep is over", () => sweeper.isSwept() || undefined);
  await post({ kind: "note", body: "later", ttl: "1m" });
  clock.advance(MINUTE_MS);
  await sweeper.sweepDue();
  expect(board.rows("contents")).toBe(0);
});

test("what ends on an ordinary board has ended for its readers, however slow the machine is", async () => {
  await Promise.all(Array.from({ length: 60 }, (_, i) => post({ kind: "note", body: `note ${i}`, ttl: "1m" })));
  clock.advance(MINUTE_MS);
  const swept = sweeper.sweepDue();
  clock.advance(MINUTE_MS);
  await swept;
  expect(sweeper.isSwept()).toBe(true);
  expect(board.rows("contents")).toBe(0);
});

test("a post does not wait longer if what ends has very many labels and references", () => {
  const names = (of: string, i: number, count: number) => Array.from({ length: count }, (_, n) => `${of}-${i}-${n}`);
  const task = { kind: "task", title: "for many" };
  const refs = [{ rel: "reply", id: messageId(text(task)) }];
  const labelled = (i: number) => ({
    kind: "task",
    title: `task ${i}`,
    ttl: "1m",
    refs,
    tags: names("t", i, 12),
    needs: names("n", i, 32),
    offers: names("o", i, 32),
  });
  board.run([postAct(text(task)), ...Array.from({ length: 100 }, (_, i) => postAct(text(labelled(i))))], clock.now());
  board.run([postAct(text({ kind: "note", body: "in between" }))], clock.now() + MINUTE_MS);
  const ended = board.rows("gone");
  expect(ended).toBeGreaterThan(0);
  expect(ended).toBeLessThan(5);
});

test("an agent that withdraws everything: all of it is gone with the answer and erased soon after, but nothing it posts later", async () => {
  const bodies = Array.from({ length: 600 }, (_, i) => ({ kind: "note", body: `note ${i}` }));
  await Promise.all(bodies.map(post));
  await appender.append(postAct(JSON.stringify({ v: 1, pk: AGENTS[1]!.pk, ts: 1, kind: "note", body: "by another" })));
  clock.advance(1000);
  const at = clock.now();
  await post({ kind: "retraction", data: { scope: "all" } });
  const found = bodies.map((body) => board.reader.find(messageId(text(body)), at));
  expect(
    found.every((one) => one !== undefined && "tombstone" in one && one.tombstone.reason === "retracted" && one.tombstone.at === at),
  ).toBe(true);
  await post({ kind: "note", body: "a new start" });
  // The other agent's note, the retraction and what came after it.
  await erased(3);
  expect(board.rows("gone", `reason = 'retracted' AND at = ${at}`)).toBe(600);
  expect(board.changes().filter((entry) => entry.type === "retract")).toHaveLength(600);
  await expect(post(bodies[0]!)).rejects.toMatchObject({ code: "retracted" });
});

test("an agent that withdraws thousands holds nobody up: a step in each transaction, and what a crash leaves is ended at the next start", async () => {
  await Promise.all(Array.from({ length: 2 * WITHDRAWN_PER_BATCH + 500 }, (_, i) => post({ kind: "note", body: `note ${i}` })));
  clock.advance(1000);
  const at = clock.now();
  const state = () => board.rows("messages", "withdrawn = 0 AND kind = 'note'");
  board.run([postAct(text({ kind: "retraction", data: { scope: "all" } }))], at);
  expect(state()).toBe(WITHDRAWN_PER_BATCH + 500);
  expect(board.rows("gone")).toBe(0);
  const between = postAct(JSON.stringify({ v: 1, pk: AGENTS[1]!.pk, ts: 1, kind: "note", body: "by another, in between" }));
  expect(board.run([between], at + 10).outcomes).toMatchObject([{ result: "created" }]);
  expect(state()).toBe(500 + 1);
  // Another process, which knows only what is in the file.
  const next = new SqliteWriter(board.db);
  expect(next.nextDue()).toBeLessThanOrEqual(at);
  for (let more = true; more;) {
    const [swept] = next.run([{ type: "sweep" }], at + 20).outcomes;
    more = swept !== undefined && "more" in swept && swept.more;
  }
  expect(board.rows("messages")).toBe(2);
  expect(board.rows("gone", `reason = 'retracted' AND at = ${at}`)).toBe(2 * WITHDRAWN_PER_BATCH + 500);
  expect(board.rows("withdrawals")).toBe(0);
});

test("stopped, it touches nothing more", async () => {
  await post({ kind: "note", body: "short", ttl: "1m" });
  sweeper.stop();
  clock.advance(120_000);
  await appender.append({ type: "sweep" });
  expect(board.rows("contents")).toBe(0);
  expect(board.changes()).toHaveLength(2);
});

test("what comes due while a step is under way is swept after it, though another node has announced it already", async () => {
  const answered = Promise.withResolvers<void>();
  const steps: number[] = [];
  const [first, second] = [clock.now() + MINUTE_MS, clock.now() + 2 * MINUTE_MS];
  const store = {
    append: async <One extends Act>(_acts: readonly One[], now: number) => {
      steps.push(now);
      if (steps.length === 1) await answered.promise;
      return {
        outcomes: [{ more: false }],
        head: { seq: 1, hash: "" },
        nextDue: steps.length === 1 ? second : null,
      } as unknown as Appended<One>;
    },
  };
  const slow = startSweeper(new Appender(store, clock, { appended: () => {}, failed: () => {} }), clock, first);
  clock.advance(MINUTE_MS);
  await eventually("the first step", () => (steps.length === 1 ? true : undefined));
  // The log's own word of that step comes before the step's answer.
  slow.reschedule(second);
  clock.advance(MINUTE_MS);
  answered.resolve();
  await eventually("the second step", () => (steps.length === 2 ? true : undefined));
  slow.stop();
});

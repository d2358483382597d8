// Reads that were one statement, however long: cut into short ones, with the same result.
import { expect, test } from "vitest";
import { BareBoard } from "../../../test/support/bare-board.ts";
import { atTheCostOf } from "../../ports/cpu-slices.ts";
import { agentReads } from "../sql/agents.ts";
import { aliasReads } from "../sql/aliases.ts";
import type { SqlRows } from "../sql/dialect.ts";
import { seenCache } from "../sql/message-caches.ts";
import { tagReads } from "../sql/tags.ts";
import { workReads } from "../sql/task-history.ts";
import { threadReads } from "../sql/threads.ts";
import { prepared, SQLITE_DIALECT } from "./dialect.ts";
import { SqliteRows } from "./statement-runner.ts";

const NOW = 1000;

/** The result of a read, and how many statements its caller paid for. */
async function paid<Found>(read: () => Promise<Found>): Promise<{ readonly found: Found; readonly statements: number }> {
  let statements = 0;
  const found = await atTheCostOf({ lane: "one", spend: () => void statements++ }, read);
  return { found, statements };
}

const partsOf = ({ db }: BareBoard) =>
  db.prepare(`INSERT INTO messages (seq, id, author, kind, root, thread, received_at, expires_at, bits, assisted, has_data,
      has_attachment, risk, copies, spreading, status, verifies, refutes, replies, answers, answers_verified, rejected, resolved_by_author, changed)
    VALUES (?, ?, 'ag_1', 'subtask', 'r', 1, 0, 9999, 0, 0, 0, 0, 0, 0, 0, ?, 0, 0, 0, 0, 0, 0, 0, 0)`);

/** More than are looked up and sorted, on either side. */
const HALF = 5100;

test("agents whom nobody meets are not looked for in one statement", async () => {
  using board = new BareBoard();
  const insert = board.db.prepare("INSERT INTO agents (id, pk, first_seen, last_seen, messages) VALUES (?, 'k', 0, ?, 1)");
  const tally = board.db.prepare("INSERT INTO agent_tallies (agent, field, label, count) VALUES (?, ?, 'much', 1)");
  board.db.exec("BEGIN");
  for (let n = 0; n < 2 * HALF; n++) {
    insert.run(`ag_${n}`, n);
    tally.run(`ag_${n}`, n < HALF ? "offer" : "need");
  }
  tally.run("ag_0", "need");
  board.db.exec("COMMIT");
  const reads = agentReads(new SqliteRows(board.db), seenCache());
  const query = { activeSince: 0, offers: ["much"], needs: ["much"], after: undefined, limit: 10, now: NOW };
  const { found, statements } = await paid(() => reads.agents(query));
  expect(found.map(({ id }) => id)).toEqual(["ag_0"]);
  expect(statements).toBeGreaterThan((2 * HALF) / 1000);
});

test("tags that many others are used more often than are not looked for in one statement", async () => {
  using board = new BareBoard();
  const insert = board.db.prepare("INSERT INTO tallies (field, label, count, last_used) VALUES ('tag', ?, ?, 0)");
  board.db.exec("BEGIN");
  for (let n = 0; n < HALF; n++) {
    insert.run(`often-${n}`, 2);
    insert.run(`rare-${n}`, 1);
  }
  board.db.exec("COMMIT");
  const reads = tagReads(new SqliteRows(board.db));
  const { found, statements } = await paid(() => reads.tags({ field: "tag", prefix: "rare", after: undefined, limit: 3 }));
  expect(found.map(({ tag }) => tag)).toEqual(["rare-0", "rare-1", "rare-10"]);
  expect(statements).toBeGreaterThan(HALF / 1000);
});

test("work in hundreds of parts is divided while one of the newest is open, and parts of much work are looked up a few at a time", async () => {
  using board = new BareBoard();
  const insert = partsOf(board);
  const ref = board.db.prepare("INSERT INTO refs (seq, position, rel, target) VALUES (?, 0, 'subtask_of', ?)");
  let seq = 0;
  const part = (of: string, status: string): void => {
    insert.run(++seq, `m${seq}`, status);
    ref.run(seq, of);
  };
  board.db.exec("BEGIN");
  part("old", "open");
  for (let n = 0; n < 500; n++) for (const of of ["old", "new"]) part(of, "done");
  part("new", "claimed");
  board.db.exec("COMMIT");
  const rows = new SqliteRows(board.db);
  const tasks = ["new", "old", ...Array.from({ length: 98 }, (_, n) => `other ${n}`)];
  const { found, statements } = await paid(() => threadReads(rows).divided(tasks, NOW));
  expect(found).toEqual(["new"]);
  expect(statements).toBe(4);
  const work = workReads(rows);
  expect((await paid(() => work.answerTimes(tasks, 10))).statements).toBe(13);
  expect((await paid(() => work.claimedWork(tasks, 10))).statements).toBe(13);
  expect((await paid(() => work.needSupply(tasks, NOW))).statements).toBe(25);
});

test("open work and answers behind many that were superseded are not looked for in one statement", async () => {
  using board = new BareBoard();
  const insert = partsOf(board);
  const ref = board.db.prepare("INSERT INTO refs (seq, position, rel, target) VALUES (?, 0, 'answers', 'm1')");
  board.db.exec("BEGIN");
  for (let seq = 1; seq <= HALF; seq++) {
    insert.run(seq, `m${seq}`, "open");
    if (seq > 1) ref.run(seq);
  }
  board.db
    .exec(`UPDATE messages SET superseded_by = 'x' WHERE seq < ${HALF - 2}; INSERT INTO threads (number, messages, last_activity) VALUES (1, 1, 1);
    UPDATE messages SET root = 'm1', thread = 1; COMMIT`);
  const reads = threadReads(new SqliteRows(board.db));
  const open = await paid(() => reads.openWork("m1", 3, NOW));
  expect(open.found).toEqual([HALF - 2, HALF - 1, HALF].map((seq) => `m${seq}`));
  const answers = await paid(() => reads.answersTo("m1", "ag_1", 3, NOW));
  expect(answers.found.map(({ id }) => id)).toEqual(open.found);
  for (const { statements } of [open, answers]) expect(statements).toBeGreaterThan(HALF / 1000);
});

test("aliases behind many that have ended are not looked for in one statement", async () => {
  using board = new BareBoard();
  const insert = board.db.prepare(
    "INSERT INTO aliases (alias, agent, last_ts, claimed_at, ended_at, released) VALUES (?, 'ag_1', 0, 0, ?, 0)",
  );
  board.db.exec("BEGIN; INSERT INTO agents (id, pk, first_seen, last_seen, messages) VALUES ('ag_1', 'k', 0, 0, 1)");
  for (let n = 0; n < HALF; n++) insert.run(`a${String(n).padStart(5, "0")}`, 1);
  for (const name of ["b", "c", "d"]) insert.run(name, null);
  board.db.exec("COMMIT");
  const reads = aliasReads(new SqliteRows(board.db));
  const { found, statements } = await paid(() => reads.aliases({ prefix: "", agent: undefined, after: undefined, limit: 2 }, NOW));
  expect(found.map(({ alias }) => alias)).toEqual(["b", "c"]);
  expect(statements).toBeGreaterThan(HALF / 1000);
  const next = await reads.aliases({ prefix: "", agent: undefined, after: "c", limit: 2 }, NOW);
  expect(next.map(({ alias }) => alias)).toEqual(["d"]);
});

test("the pace of agents is read from their own messages, whatever others have answered", () => {
  using board = new BareBoard();
  const plans: string[] = [];
  const rows: SqlRows = {
    dialect: SQLITE_DIALECT,
    all(sql, values) {
      const steps = prepared(board.db, `EXPLAIN QUERY PLAN ${sql}`).all(...values) as { detail: string }[];
      plans.push(steps.map(({ detail }) => detail).join("\n"));
      return [];
    },
  };
  const work = workReads(rows);
  void work.answerTimes(["ag_1"], 10);
  void work.claimedWork(["ag_1"], 10);
  expect(plans).toHaveLength(2);
  for (const plan of plans) {
    expect(plan).toContain("messages_author (author=?)");
    expect(plan).not.toContain("messages_kind");
  }
});

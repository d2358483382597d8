// Every count the board keeps, held against the model that counts anew each time.
import { array, assert, property } from "fast-check";
import { expect, test } from "vitest";
import { SqliteAgents } from "../src/adapters/sqlite/agents.ts";
import { SqliteStats } from "../src/adapters/sqlite/stats.ts";
import { SqliteTags } from "../src/adapters/sqlite/tags.ts";
import { DAY_MS } from "../src/core/spans.ts";
import { AGENTS, OPENING, step } from "./support/acts.ts";
import { BareBoard } from "./support/bare-board.ts";
import { type AgentRecord, type Counts, Model } from "./support/model.ts";
import { play } from "./support/play.ts";
import { SEED } from "./support/random.ts";

/** Histories to try; more of them where there is time. */
const RUNS = Number(process.env["RUNS"] ?? 40);
const START = Date.UTC(2026, 0, 1);
const steps = array(step, { maxLength: 100, size: "max" }).map((more) => [...OPENING, ...more]);
const NO_VOTES = { verifies: 0, refutes: 0 };
const UNSEEN: AgentRecord = {
  total: 0,
  live: 0,
  byKind: {},
  work: { claimed: 0, answered: 0, resolved: 0 },
  given: NO_VOTES,
  received: NO_VOTES,
  signals: {},
  offers: [],
  needs: [],
  profile: undefined,
};

function directory(board: BareBoard, now: number): readonly AgentRecord[] {
  const agents = new SqliteAgents(board.db, new SqliteTags(board.db));
  return AGENTS.map(({ id }) => {
    const facts = agents.agent(id, now);
    if (facts === undefined) return UNSEEN;
    const { id: _id, pk: _pk, firstSeen: _first, lastSeen: _last, profile, ...counts } = facts;
    return { ...counts, profile: profile?.id };
  });
}

function totals(board: BareBoard, now: number): ReturnType<Model["totals"]> {
  const dayAgo = now - DAY_MS;
  const { byKind, byStatus, openWork, threads, lastDay } = new SqliteStats(board.db).figures({ hourAgo: now, dayAgo, firstHour: 0 });
  const tags = new SqliteTags(board.db);
  const labels = (field: "tag" | "need" | "offer"): Counts =>
    Object.fromEntries(tags.tags({ field, prefix: "", after: undefined, limit: 100 }).map(({ tag, count }) => [tag, count]));
  const work = board.db.prepare("SELECT label, count FROM tallies WHERE field = 'work'").all();
  const byWork: Counts = Object.fromEntries(work.map(({ label, count }) => [String(label), Number(count)]));
  expect(openWork).toBe(byWork["open"] ?? 0);
  const logged = (type: string) => board.rows("log", `type = '${type}' AND at >= ${dayAgo - (dayAgo % 60_000)}`);
  expect(lastDay).toEqual({ posted: logged("create"), expired: logged("expire"), retracted: logged("retract"), removed: 0 });
  return { kind: byKind, status: byStatus, work: byWork, tag: labels("tag"), need: labels("need"), offer: labels("offer"), threads };
}

function compare(board: BareBoard, model: Model): void {
  expect(directory(board, model.now)).toEqual(AGENTS.map(({ id }) => model.agent(id)));
  expect(totals(board, model.now)).toEqual(model.totals());
  expect(board.rows("tallies", "count <= 0") + board.rows("agent_tallies", "count <= 0"), "rows that count nothing").toBe(0);
}

test(`directory, tags and statistics stay exact through any history (SEED=${SEED})`, () => {
  assert(
    property(steps, (script) => {
      using board = new BareBoard();
      const model = new Model(START);
      for (const [n, one] of script.entries()) {
        play(board, model, one, n, true);
        if (n % 5 === 0) compare(board, model);
      }
      compare(board, model);
    }),
    { seed: SEED, numRuns: RUNS },
  );
});

test(`they are exact again as soon as a late sweep has run (SEED=${SEED})`, () => {
  assert(
    property(steps, (script) => {
      using board = new BareBoard();
      const model = new Model(START);
      for (const [n, one] of script.entries()) play(board, model, one, n, false);
      board.sweep(model.now);
      compare(board, model);
      // When everything is over, nothing is counted any more.
      model.now += 8 * DAY_MS;
      board.sweep(model.now);
      compare(board, model);
      expect(board.rows("agent_tallies") + board.rows("answerers") + board.rows("votes")).toBe(0);
    }),
    { seed: SEED, numRuns: RUNS },
  );
});

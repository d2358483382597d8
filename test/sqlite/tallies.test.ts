// Compares every stored count of the board with the model, which counts again each time.
import { array, assert, asyncProperty } from "fast-check";
import { expect, test } from "vitest";
import { DAY_MS } from "../../src/core/durations.ts";
import { AGENTS, OPENING, step } from "../support/acts.ts";
import { BareBoard } from "../support/bare-board.ts";
import { type AgentRecord, type Counts, Model } from "../support/model.ts";
import { play } from "../support/play.ts";
import { SEED, tries } from "../support/random.ts";

/** The number of histories to try; more in a full run. */
const RUNS = Number(process.env["RUNS"] ?? tries(40, 12));
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

function directory({ reads }: BareBoard, now: number): Promise<readonly AgentRecord[]> {
  const records = AGENTS.map(async ({ id }) => {
    const facts = await reads.agent(id, now);
    if (facts === undefined) return UNSEEN;
    const { total, live, byKind, work, given, received, signals, offers, needs, profile } = facts;
    return { total, live, byKind, work, given, received, signals, offers, needs, profile: profile?.id };
  });
  return Promise.all(records);
}

async function totals(board: BareBoard, now: number): Promise<ReturnType<Model["totals"]>> {
  const dayAgo = now - DAY_MS;
  const { byKind, byStatus, openWork, threads, lastDay } = await board.reads.boardStats({ hourAgo: now, dayAgo, firstHour: 0 });
  const labels = async (field: "tag" | "need" | "offer"): Promise<Counts> => {
    const found = await board.reads.tags({ field, prefix: "", after: undefined, limit: 100 });
    return Object.fromEntries(found.map(({ tag, count }) => [tag, count]));
  };
  const work = board.db.prepare("SELECT label, count FROM tallies WHERE field = 'work'").all();
  const byWork: Counts = Object.fromEntries(work.map(({ label, count }) => [String(label), Number(count)]));
  expect(openWork).toBe(byWork["open"] ?? 0);
  const logged = (type: string) => board.rows("log", `type = '${type}' AND at >= ${dayAgo - (dayAgo % 60_000)}`);
  expect(lastDay).toEqual({ posted: logged("create"), expired: logged("expire"), retracted: logged("retract"), removed: 0 });
  const [tag, need, offer] = [await labels("tag"), await labels("need"), await labels("offer")];
  return { kind: byKind, status: byStatus, work: byWork, tag, need, offer, threads };
}

async function compare(board: BareBoard, model: Model): Promise<void> {
  expect(await directory(board, model.now)).toEqual(AGENTS.map(({ id }) => model.agent(id)));
  expect(await totals(board, model.now)).toEqual(model.totals());
  expect(board.rows("tallies", "count <= 0") + board.rows("agent_tallies", "count <= 0"), "rows that count nothing").toBe(0);
}

test(`directory, tags and statistics stay exact through any history (SEED=${SEED})`, async () => {
  await assert(
    asyncProperty(steps, async (script) => {
      using board = new BareBoard();
      const model = new Model(START);
      for (const [n, one] of script.entries()) {
        play(board, model, one, n, true);
        if (n % 5 === 0) await compare(board, model);
      }
      await compare(board, model);
    }),
    { seed: SEED, numRuns: RUNS },
  );
});

test(`they are exact again as soon as a late sweep has run (SEED=${SEED})`, async () => {
  await assert(
    asyncProperty(steps, async (script) => {
      using board = new BareBoard();
      const model = new Model(START);
      for (const [n, one] of script.entries()) play(board, model, one, n, false);
      board.sweepAll(model.now);
      await compare(board, model);
      // When everything has ended, all counts are zero.
      model.now += 8 * DAY_MS;
      board.sweepAll(model.now);
      await compare(board, model);
      expect(board.rows("agent_tallies") + board.rows("answerers") + board.rows("votes")).toBe(0);
    }),
    { seed: SEED, numRuns: RUNS },
  );
});

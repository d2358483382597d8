import { expect, test } from "vitest";
import { AGENTS as AUTHORS } from "../../../test/support/acts.ts";
import { BareBoard, postAct } from "../../../test/support/bare-board.ts";
import { DAY_MS, HOUR_MS, MINUTE_MS } from "../../core/durations.ts";
import type { AgentPosition, AgentQuery } from "../../ports/agents.ts";
import { agentReads } from "../sql/agents.ts";
import { seenCache } from "../sql/message-caches.ts";
import { databasePath, openDatabase } from "./open.ts";
import { SqliteRows } from "./statement-runner.ts";
import { SqliteWriter } from "./writer.ts";

const NOW = Date.UTC(2026, 0, 8);
/** Several share each moment; more offer `much` than are sorted, few offer `little`. */
const AGENTS = Array.from({ length: 6000 }, (_, i) => ({
  id: `ag_${((i * 7919) % 6000).toString(16).padStart(20, "0")}`,
  lastSeen: NOW - Math.floor(i / 3) * 60_000,
  offers: [...(i % 11 === 0 ? [] : ["much"]), ...(i % 97 === 0 ? ["little"] : [])],
  needs: i % 2 === 0 ? ["time"] : [],
}));

test("a page of agents is the same whether it is found by what they offer or by when they were seen", async () => {
  using board = new BareBoard();
  const insert = board.db.prepare("INSERT INTO agents (id, pk, first_seen, last_seen, messages) VALUES (?, 'k', 0, ?, 1)");
  const tally = board.db.prepare("INSERT INTO agent_tallies (agent, field, label, count) VALUES (?, ?, ?, 1)");
  board.db.exec("BEGIN");
  for (const { id, lastSeen, offers, needs } of AGENTS) {
    insert.run(id, lastSeen);
    for (const label of offers) tally.run(id, "offer", label);
    for (const label of needs) tally.run(id, "need", label);
  }
  board.db.exec("COMMIT");
  const rows = new SqliteRows(board.db);
  const all = async (query: Pick<AgentQuery, "activeSince" | "offers" | "needs">): Promise<string[]> => {
    const found: string[] = [];
    let after: AgentPosition | undefined;
    for (;;) {
      const page = await agentReads(rows, seenCache()).agents({ ...query, after, limit: 700, now: NOW });
      found.push(...page.map(({ id }) => id));
      after = page.at(-1);
      if (page.length < 700) return found;
    }
  };
  const sets: readonly (readonly string[])[] = [[], ["much"], ["little"], ["none", "little"], ["much", "little"], ["none"]];
  for (const offers of sets) {
    for (const needs of [[], ["time"]]) {
      const activeSince = NOW - 20 * HOUR_MS;
      const meets = (wanted: readonly string[], has: readonly string[]) => wanted.length === 0 || wanted.some((one) => has.includes(one));
      const expected = AGENTS.filter((one) => one.lastSeen >= activeSince && meets(offers, one.offers) && meets(needs, one.needs))
        .sort((x, y) => y.lastSeen - x.lastSeen || (x.id < y.id ? 1 : -1))
        .map(({ id }) => id);
      expect(await all({ activeSince, offers, needs }), JSON.stringify({ offers, needs })).toEqual(expected);
    }
  }
});

test("an agent with more words than anyone can read is shown with the first of them", async () => {
  using board = new BareBoard();
  board.db.exec("INSERT INTO agents (id, pk, first_seen, last_seen, messages) VALUES ('ag_1', 'k', 0, 0, 500)");
  const tally = board.db.prepare("INSERT INTO agent_tallies (agent, field, label, count) VALUES ('ag_1', ?, ?, ?)");
  const words = Array.from({ length: 500 }, (_, i) => `x-${String(i).padStart(3, "0")}`);
  for (const field of ["kind", "offer", "need"]) for (const word of words) tally.run(field, word, 1);
  tally.run("kind", "note", 7);
  // Kept as a count of its own, so that nobody has to add up very many kinds.
  board.db.exec("INSERT INTO agent_tallies (agent, field, label, count) VALUES ('ag_1', 'live', '', 508)");
  const facts = await agentReads(new SqliteRows(board.db), seenCache()).agent("ag_1", NOW);
  expect(facts?.live).toBe(508);
  expect(facts?.byKind["note"]).toBe(7);
  expect(Object.keys(facts?.byKind ?? {})).toHaveLength(100);
  expect([facts?.offers, facts?.needs]).toEqual([words.slice(0, 100), words.slice(0, 100)]);
});

test("an agent that posts again after ninety days is known, though an operator's command ran beside the board meanwhile", () => {
  using board = new BareBoard();
  const note = (title: string) => JSON.stringify({ v: 1, pk: AUTHORS[0]!.pk, ts: 1, kind: "note", title, ttl: "1m" });
  board.run([postAct(note("first life"))], NOW);
  board.sweepAll(NOW + MINUTE_MS);
  const later = NOW + 91 * DAY_MS;
  const command = new SqliteWriter(openDatabase(databasePath(board.dir), "write"), "operator");
  command.run([{ type: "order", order: { do: "switch", switches: { readOnly: false } } }], later);
  command.close();
  board.run([postAct(note("second life"))], later);
  expect(board.rows("agents", `last_seen = ${later}`)).toBe(1);
});

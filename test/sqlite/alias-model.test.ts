import { array, assert, constantFrom, integer, oneof, asyncProperty, record } from "fast-check";
import { expect, test } from "vitest";
import { messageId } from "../../src/core/protocol/message-and-agent-ids.ts";
import { DAY_MS } from "../../src/core/durations.ts";
import { AGENTS } from "../support/acts.ts";
import { AliasModel } from "../support/alias-model.ts";
import { BareBoard } from "../support/bare-board.ts";
import { type Change, chainFaults } from "../support/chain.ts";
import { SEED, tries } from "../support/random.ts";

const START = Date.UTC(2026, 0, 1);

const agent = constantFrom(...AGENTS.slice(0, 3));
const alias = constantFrom("one", "two", "three", "four", "five", "six", "seven", "postmaster");
const step = oneof(
  { weight: 8, arbitrary: record({ agent, alias, op: constantFrom("claim", "claim", "release"), late: integer({ min: -2, max: 2 }) }) },
  { weight: 2, arbitrary: record({ agent, post: integer() }) },
  {
    weight: 4,
    arbitrary: record({ wait: constantFrom(0, 1, 1000, 5000, 9 * DAY_MS, 30 * DAY_MS - 1, 30 * DAY_MS, 30 * DAY_MS + 1, 60 * DAY_MS) }),
  },
);

test(`a name belongs to whom the rules say, after any history of claims, releases and silence (SEED=${SEED})`, async () => {
  await assert(
    asyncProperty(array(step, { maxLength: 60, size: "max" }), async (script) => {
      using board = new BareBoard();
      const model = new AliasModel(START);
      // Collected as the log grows: old entries leave it, and their content is erased.
      const log = new Map<number, Change>();
      const gather = (): void => {
        for (const entry of board.changes()) if (!log.has(entry.seq)) log.set(entry.seq, { ...entry, raw: null });
      };
      for (const [n, one] of script.entries()) {
        if ("wait" in one) model.now += one.wait;
        else if ("post" in one) {
          const ts = Math.floor(model.now / 1000);
          expect(board.post(JSON.stringify({ v: 1, pk: one.agent.pk, ts, kind: "note", title: `${n}` }), model.now)).toBe("created");
          model.act(one.agent.id);
        } else {
          const { op, alias, late } = one as { op: "claim" | "release"; alias: string; late: number };
          const ts = Math.floor(model.now / 1000) + late;
          const expected = model.operate({ agent: one.agent.id, alias, op, ts });
          const payload = { v: 1, pk: one.agent.pk, ts, op, alias };
          const id = messageId(JSON.stringify(payload));
          const dry = board.run([{ type: "alias", id, agent: one.agent.id, payload, dryRun: true }], model.now).outcomes[0];
          const [outcome] = board.run([{ type: "alias", id, agent: one.agent.id, payload, dryRun: false }], model.now).outcomes;
          // A dry run gives the same answer as the operation, and changes nothing.
          expect(dry).toEqual(outcome);
          const said = outcome !== undefined && "refused" in outcome ? outcome.refused.code : (outcome as { op: string }).op;
          expect(said, JSON.stringify(one)).toBe(expected);
        }
        gather();
        const listed = await board.reads.aliases({ prefix: "", agent: undefined, after: undefined, limit: 200 }, model.now);
        const held = model.names().flatMap((name) => {
          const state = model.state(name);
          return state.is === "held" ? [{ alias: name, agent: state.agent, claimedAt: state.claimedAt }] : [];
        });
        expect(
          listed.map(({ alias, agent, claimedAt }) => ({ alias, agent, claimedAt })),
          JSON.stringify(one),
        ).toEqual(held);
      }
      board.sweepAll(model.now);
      gather();
      const changes = [...log.values()];
      expect(chainFaults(changes)).toEqual([]);
      for (const name of model.names()) {
        const entries = changes
          .filter((entry) => entry.id === name)
          .map(({ type, detail }) => ({ type, ...(JSON.parse(detail ?? "") as object) }));
        expect(entries.filter(({ type }) => type !== "alias_expire")).toEqual(model.entries(name));
        expect(entries.filter(({ type }) => type === "alias_expire")).toEqual(
          model.expiries(name).map((agent) => ({ type: "alias_expire", agent })),
        );
      }
      // Names that ended long ago leave nothing behind.
      expect(board.rows("aliases")).toBe(model.names().filter((name) => model.state(name).is !== "free").length);
    }),
    { seed: SEED, numRuns: tries(100, 30), endOnFailure: false },
  );
});

import { array, assert, property } from "fast-check";
import { expect, test } from "vitest";
import { recordOf } from "../../src/core/view/record.ts";
import { BareBoard } from "../support/bare-board.ts";
import { type Change, chainFaults } from "../support/chain.ts";
import { Model } from "../support/model.ts";
import { OPENING, step } from "../support/acts.ts";
import { play } from "../support/play.ts";
import { SEED, tries } from "../support/random.ts";

/** The number of histories to try; more in a full run. */
const RUNS = Number(process.env["RUNS"] ?? tries(30, 10));
const START = Date.UTC(2026, 0, 1);
const steps = array(step, { maxLength: 100, size: "max" }).map((more) => [...OPENING, ...more]);

/** All public facts about every message ever posted, by the model. */
function expected(model: Model) {
  return model.messages.map((m) => {
    const gone = model.goneReason(m);
    return gone === undefined ? { id: m.id, ...model.facts(m) } : { id: m.id, gone, at: model.goneAt(m) };
  });
}

/** The same by the board. */
function actual(board: BareBoard, model: Model) {
  return model.messages.map(({ id }) => {
    const found = board.reader.find(id, model.now);
    if (found === undefined) return { id, gone: "unknown" };
    if ("tombstone" in found) return { id, gone: found.tombstone.reason, at: found.tombstone.at };
    const {
      display_title: _title,
      is_root: _root,
      last_activity: _at,
      changed_seq: _changed,
      copies: _copies,
      delivery: _delivery,
      ...derived
    } = recordOf(found.stored, new Set(), model.now, "").derived;
    // Lists filter by the stored status, which must be the one that a record shows.
    const { status, answersVerified } = found.stored.state;
    expect(status).toBe(derived.status);
    return { id, ...derived, answersVerified };
  });
}

function statusFaults(changes: readonly Change[], board: BareBoard, model: Model): string[] {
  const faults: string[] = [];
  const statuses = new Map(
    model.messages.map((m) => [m.id, m.payload.refs?.some((ref) => ref.rel === "duplicates") ? "resolved" : "open"]),
  );
  for (const { seq, id, type, detail } of changes) {
    if (type !== "status") continue;
    const { from, to } = JSON.parse(detail ?? "") as { from: string; to: string };
    if (from !== statuses.get(id) || from === to) faults.push(`entry ${seq} says from ${from} to ${to}, but it was ${statuses.get(id)}`);
    statuses.set(id, to);
  }
  for (const { id } of model.messages) {
    const found = board.reader.find(id, model.now);
    if (found !== undefined && "stored" in found && found.stored.state.status !== statuses.get(id)) faults.push(`${id} ends elsewhere`);
  }
  return faults;
}

test(`agents see the status, counts, leases and refusals that the rules promise, after any history (SEED=${SEED})`, () => {
  assert(
    property(steps, (script) => {
      using board = new BareBoard();
      const model = new Model(START);
      for (const [n, one] of script.entries()) {
        const said = play(board, model, one, n, true);
        if (said !== undefined) expect(said[0], JSON.stringify(one)).toBe(said[1]);
        expect(actual(board, model), JSON.stringify(one)).toEqual(expected(model));
      }
      const changes = board.changes();
      expect(changes.map((entry) => entry.seq)).toEqual(changes.map((_, i) => 1 + i));
      expect(chainFaults(changes)).toEqual([]);
      expect(statusFaults(changes, board, model)).toEqual([]);
    }),
    { seed: SEED, numRuns: RUNS },
  );
});

test(`a sweep that comes late changes nothing that agents can see (SEED=${SEED})`, () => {
  assert(
    property(steps, (script) => {
      using late = new BareBoard();
      const model = new Model(START);
      for (const [n, one] of script.entries()) {
        const said = play(late, model, one, n, false);
        if (said === undefined) continue;
        expect(said[0], JSON.stringify(one)).toBe(said[1]);
        expect(actual(late, model), JSON.stringify(one)).toEqual(expected(model));
      }
      late.sweepAll(model.now);
      expect(actual(late, model)).toEqual(expected(model));
      expect(chainFaults(late.changes())).toEqual([]);
      expect(statusFaults(late.changes(), late, model)).toEqual([]);
    }),
    { seed: SEED, numRuns: RUNS },
  );
});

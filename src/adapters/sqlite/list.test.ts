// Long listings in SQLite: they pause so that others get a turn, their caller pays for each step, and tombstones have an index.
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { AGENTS } from "../../../test/support/acts.ts";
import { BareBoard, postAct } from "../../../test/support/bare-board.ts";
import { and, atLeast, type Condition, hasAny, not, oneOf } from "../../core/query/condition.ts";
import { messageId } from "../../core/protocol/message-and-agent-ids.ts";
import { ORDERS, type Sort } from "../../core/query/order.ts";
import { atTheCostOf, type Share } from "../../ports/cpu-slices.ts";
import type { Found, Listed, ListQuery } from "../../ports/store.ts";
import { SORTABLE } from "../sql/lookup-table-spec.ts";
import { SqliteMessageCache } from "./message-cache.ts";
import { SqliteLister } from "./list.ts";

const NOW = 1000;
const MANY = 3000;
/** A step reads 256 seqs at first, and then at most twice as many as the one before, however fast it was. */
const FEWEST_STEPS = 4;

let board: BareBoard;
beforeEach(() => void (board = new BareBoard()));
afterEach(() => board[Symbol.dispose]());
const lister = () => new SqliteLister(board.db, new SqliteMessageCache(board.db));

const query = (condition: Condition, sort: Exclude<Sort, "relevance"> = "new", removed = false): ListQuery => ({
  condition,
  order: ORDERS[sort],
  after: undefined,
  limit: 50,
  removed,
  only: undefined,
});
/** Nearly every message meets this. */
const LIVE = atLeast("expiresAt", NOW + 1);
const between = (field: "seq", min: number, max: number): Condition => ({ is: "between", field, min, max });
const NOT_TAGGED = not(hasAny("tags", ["all"]));

/** Messages of which no index says that none is without this tag. */
function fill(tagOf: (i: number) => string = () => "all", count = MANY): void {
  const payload = (i: number) => ({ v: 1, pk: AGENTS[0]!.pk, ts: 1, kind: "note", body: `note ${i}`, tags: [tagOf(i)] });
  board.run(
    Array.from({ length: count }, (_, i) => postAct(JSON.stringify(payload(i)))),
    NOW,
  );
}

/** Tombstones in turn: expired, which no listing shows, and retracted. */
function bury(): void {
  const insert = board.db.prepare(
    "INSERT INTO gone (id, seq, author, kind, root, received_at, reason, at, changed) VALUES (?1, ?2, 'ag_1', 'note', ?1, 0, ?3, 0, ?2)",
  );
  board.db.exec("BEGIN");
  for (let seq = 1; seq <= MANY; seq++) insert.run(String(seq).padStart(64, "0"), seq, seq % 10 === 0 ? "retracted" : "expired");
  board.db.exec("COMMIT");
}

/** Lists for a caller who pays for so many steps, and counts the steps and the pauses between them. */
const listed = (asked: ListQuery, affordable?: number) => paid(() => lister().list(asked), affordable);

async function paid<Found>(read: () => Promise<Found>, affordable = Infinity) {
  const counted = { steps: 0, pauses: 0 };
  const share: Share = {
    lane: "one",
    spend() {
      if (++counted.steps > affordable) throw new Error("no more tokens");
    },
    rest() {
      counted.pauses++;
      return 0;
    },
  };
  const found: Found | Error = await atTheCostOf(share, read).catch((error: unknown) => error as Error);
  return { found, ...counted };
}

test.each(["new", "old", "activity", "pow", "expiring"] as const)(
  "a listing (%s) that no index answers pauses between its steps, and pays for each of them",
  async (sort) => {
    fill();
    const { found, steps, pauses } = await listed(query(NOT_TAGGED, sort));
    expect(found).toEqual([]);
    expect(steps).toBeGreaterThanOrEqual(FEWEST_STEPS);
    expect(pauses).toBe(steps - 1);
  },
);

test("messages by their ids are read in steps, each of which is paid for, because each of them may be long", async () => {
  const long = (i: number) => ({ v: 1, pk: AGENTS[0]!.pk, ts: 1, kind: "note", body: `note ${i}`, title: "x".repeat(500_000) });
  for (let i = 0; i < 120; i++) board.run([postAct(JSON.stringify(long(i)))], NOW);
  const read = (): Promise<ReadonlyMap<string, Found>> => board.reader.findAll([...ids, "none"], NOW);
  const ids = (await lister().list({ ...query(LIVE), limit: 200 })).flatMap((one) => ("stored" in one ? [one.stored.state.id] : []));
  expect((await paid(read, 1)).found).toEqual(new Error("no more tokens"));
  const { found, steps, pauses } = await paid(read);
  expect(found).toHaveProperty("size", 120);
  expect(steps).toBeGreaterThan(1);
  expect(pauses).toBe(steps - 1);
});

/** So many tags that each message takes long to test. */
const tagNot = (first: string): Condition => not(hasAny("tags", [first, ...Array.from({ length: 31 }, (_, i) => `absent-${i}`)]));
const BY_AUTHOR = oneOf("author", [AGENTS[0]!.id]);

test.each(["new", "old", "activity", "pow", "expiring"] as const)(
  "a listing (%s) with an index pauses too if each message takes long to test, and pays for each step",
  async (sort) => {
    fill();
    const { found, steps, pauses } = await listed(query(and(BY_AUTHOR, tagNot("all")), sort));
    expect(found).toEqual([]);
    expect(steps).toBeGreaterThanOrEqual(FEWEST_STEPS);
    // One more step counts what the index leads to.
    expect(pauses).toBe(steps - 2);
    expect(lister().listNow(query(and(BY_AUTHOR, tagNot("all")), sort)), "not in one go").toBeUndefined();
  },
);

test.each(["new", "old", "activity", "pow", "expiring"] as const)(
  "a listing (%s) is read in steps where many messages are superseded, also that of a tag, which does not count them",
  async (sort) => {
    fill(undefined, SORTABLE + 1);
    board.db.exec("UPDATE messages SET superseded_by = id; DELETE FROM tallies WHERE field = 'tag'");
    const current = and(LIVE, { is: "flag", field: "superseded", value: false });
    for (const asked of [query(and(hasAny("tags", ["all"]), current), sort), query(current, sort)]) {
      const { found, steps, pauses } = await listed(asked);
      expect(found).toEqual([]);
      expect(steps).toBeGreaterThanOrEqual(FEWEST_STEPS);
      // One more step counts what the index of tags leads to.
      expect(pauses).toBe(asked.condition === current ? steps - 1 : steps - 2);
      expect(lister().listNow(asked), "not in one go").toBeUndefined();
    }
  },
);

test("a listing by a tag that very many messages have is read from the index of the tag, at once", async () => {
  fill((i) => (i % 40 === 0 ? "some" : "all"));
  board.db.exec(`UPDATE tallies SET count = ${10 * SORTABLE} WHERE label = 'some'`);
  const tagged = query(and(hasAny("tags", ["some"]), LIVE, { is: "flag", field: "superseded", value: false }));
  const { found, pauses } = await listed(tagged);
  expect(found).toHaveLength(50);
  expect(pauses).toBe(0);
  expect(lister().listNow(tagged)).toEqual(found);
  // One more condition that no index answers, and the listing is read in steps.
  expect(lister().listNow({ ...tagged, condition: and(tagged.condition, tagNot("none")) })).toBeUndefined();
});

test.each(["new", "old", "activity", "pow", "expiring"] as const)(
  "a listing (%s) with an index finds in steps what it finds without one, page after page",
  async (sort) => {
    fill((i) => (i % 7 === 0 ? "some" : "all"));
    const pages = async (condition: Condition): Promise<number[][]> => {
      const all: number[][] = [];
      for (let after: ListQuery["after"]; ;) {
        const found = await lister().list({ ...query(condition, sort), after });
        all.push(found.map(({ position }) => position.seq));
        after = found.at(-1)?.position;
        if (found.length < 50) return all;
      }
    };
    const led = await pages(and(BY_AUTHOR, tagNot("all")));
    expect(led.flat()).toHaveLength(Math.ceil(MANY / 7));
    expect(led).toEqual(await pages(tagNot("all")));
  },
);

test.each(["activity", "pow", "expiring", "verified", "changed"] as const)(
  "a listing (%s) within a wide range of seqs reads an index in its order, and does not sort the whole range for one page",
  async (sort) => {
    fill(undefined, SORTABLE + 300);
    const range = between("seq", 101, SORTABLE + 200);
    const prepare = vi.spyOn(board.db, "prepare");
    const { found } = await listed(query(and(LIVE, range), sort));
    const statements = prepare.mock.calls.map(([sql]) => sql).filter((sql) => sql.includes("AS position FROM"));
    prepare.mockRestore();
    expect(statements).not.toEqual([]);
    for (const sql of statements) {
      const details = board.db
        .prepare(`EXPLAIN QUERY PLAN ${sql}`)
        .all()
        .map(({ detail }) => String(detail));
      expect(details, sql).not.toContain("USE TEMP B-TREE FOR ORDER BY");
    }
    const all = await lister().list({ ...query(LIVE, sort), limit: SORTABLE + 300 });
    const expected = all.map(({ position }) => position.seq).filter((seq) => seq > 100 && seq <= SORTABLE + 200);
    expect((found as readonly Listed[]).map(({ position }) => position.seq)).toEqual(expected.slice(0, 50));
    // A short range is read at once.
    const few = await listed(query(and(LIVE, between("seq", 101, 200)), sort));
    const fewOfAll = all.map(({ position }) => position.seq).filter((seq) => seq > 100 && seq <= 200);
    expect((few.found as readonly Listed[]).map(({ position }) => position.seq)).toEqual(fewOfAll.slice(0, 50));
  },
);

test("the first messages of threads are listed by activity without reading the threads", async () => {
  const text = (body: string, to?: string): string =>
    JSON.stringify({
      v: 1,
      pk: AGENTS[0]!.pk,
      ts: 1,
      kind: "note",
      body,
      ...(to === undefined ? {} : { refs: [{ rel: "reply", id: to }] }),
    });
  const [root, late] = [text("root"), text("late")];
  // A reply that is there before the message that it replies to.
  const texts = [
    text("early", messageId(late)),
    root,
    ...Array.from({ length: MANY }, (_, i) => text(`reply ${i}`, messageId(root))),
    late,
  ];
  board.run(
    texts.map((one) => postAct(one)),
    NOW,
  );
  const { found, steps } = await listed(query(and(LIVE, { is: "flag", field: "isRoot", value: true }), "activity"));
  expect((found as readonly Listed[]).map((one) => ("stored" in one ? one.stored.state.id : "")).sort()).toEqual(
    [root, late].map(messageId).sort(),
  );
  expect(steps).toBe(1);
});

test("messages that were chosen before are tested in steps too, if each takes long", async () => {
  fill();
  const only = Array.from({ length: MANY }, (_, i) => i + 1);
  const { found, steps } = await listed({ ...query(tagNot("all")), only });
  expect(found).toEqual([]);
  expect(steps).toBeGreaterThanOrEqual(FEWEST_STEPS);
});

test("a listing whose caller cannot pay any more ends with that step", async () => {
  fill();
  expect(await listed(query(NOT_TAGGED), 2)).toEqual({ found: new Error("no more tokens"), steps: 3, pauses: 2 });
});

test("tombstones that match nothing are read in steps too", async () => {
  bury();
  const { found, steps, pauses } = await listed(query(oneOf("author", ["ag_2"]), "new", true));
  expect(found).toEqual([]);
  // One of the steps looks for messages.
  expect(steps).toBeGreaterThan(FEWEST_STEPS);
  expect(pauses).toBeGreaterThanOrEqual(FEWEST_STEPS);
});

test.each(["new", "old", "activity"] as const)(
  "tombstones (%s) are read from an index of those that listings show, however many have expired",
  async (sort) => {
    bury();
    const prepare = vi.spyOn(board.db, "prepare");
    expect((await listed(query(NOT_TAGGED, sort, true))).found).toHaveLength(50);
    const statements = new Set(prepare.mock.calls.map(([sql]) => sql).filter((sql) => sql.includes("FROM gone WHERE reason")));
    prepare.mockRestore();
    // Their first and last seq, and their rows.
    expect(statements.size).toBe(2);
    for (const sql of statements) {
      const steps = board.db.prepare(`EXPLAIN QUERY PLAN ${sql}`).all();
      const details = steps.map(({ detail }) => String(detail)).filter((one) => /\bgone\b/.test(one));
      expect(details).not.toEqual([]);
      // A search, because a scan would read the whole index.
      for (const detail of details) expect(detail, sql).toMatch(/^SEARCH .*INDEX gone_shown/);
    }
  },
);

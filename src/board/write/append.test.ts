import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { AGENTS } from "../../../test/support/acts.ts";
import { BareBoard, postAct } from "../../../test/support/bare-board.ts";
import { chainFaults } from "../../../test/support/chain.ts";
import { openBeside } from "../../../test/support/database.ts";
import { ManualClock } from "../../../test/support/manual-clock.ts";
import { openSqliteStore } from "../../adapters/sqlite/store.ts";
import { Refusal } from "../../core/errors.ts";
import { iso } from "../../core/protocol/time.ts";
import type { Act } from "../../core/message/acts-and-outcomes.ts";
import { atTheCostOf } from "../../ports/cpu-slices.ts";
import type { Store } from "../../ports/store.ts";
import { Appender } from "./append.ts";

const AGENT = AGENTS[0]!;
const text = (body: string, more: object = {}) => JSON.stringify({ v: 1, pk: AGENT.pk, ts: 1, kind: "note", body, ...more });
const note = (i: number, more: object = {}): Act => postAct(text(`note ${i}`, more));
const upTo = (count: number) => Array.from({ length: count }, (_, i) => i);

class Figures {
  readonly batches: number[] = [];
  readonly faults: unknown[] = [];
  appended = (acts: number): void => void this.batches.push(acts);
  failed = (_what: string, error: unknown): void => void this.faults.push(error);
}

/** The code of each refusal, or what the act came to. */
async function outcomes(appender: Appender, acts: readonly Act[]): Promise<string[]> {
  const settled = await Promise.allSettled(acts.map((act) => appender.append(act)));
  return settled.map((one) => {
    if (one.status === "fulfilled") return "result" in one.value ? one.value.result : "swept";
    return one.reason instanceof Refusal ? one.reason.code : `fault: ${String(one.reason)}`;
  });
}

describe("on the real store", () => {
  let data: string;
  let store: Store;
  let figures: Figures;
  let fatal: Error[];
  let appender: Appender;
  beforeEach(async () => {
    data = mkdtempSync(join(tmpdir(), "append-"));
    fatal = [];
    figures = new Figures();
    store = await openSqliteStore(data, (error) => void fatal.push(error));
    appender = new Appender(store, new ManualClock(), figures);
  });
  afterEach(async () => {
    await store.close();
    rmSync(data, { recursive: true, force: true });
  });

  test("posts that arrive at once are written in one batch, the first one too", async () => {
    await outcomes(appender, [note(0), note(1), note(2)]);
    expect(figures.batches).toEqual([3]);
  });

  test("a written post is acknowledged as written; a dry run and a refused post are not", async () => {
    const appender = new Appender(store, new ManualClock(), new Figures());
    const written: string[] = [];
    const act = (caller: string, one: Act) =>
      atTheCostOf({ lane: caller, spend: () => {}, written: () => void written.push(caller) }, () => appender.append(one).catch(() => {}));
    await act("dry", { ...note(1), dryRun: true } as Act);
    await act("refused", note(2, { refs: [{ rel: "claims", id: "f".repeat(64) }] }));
    await act("posted", note(3));
    expect(written).toEqual(["posted"]);
  });
  test("many posts at once share few transactions, and each gets its own place in one unbroken log", async () => {
    expect(
      await outcomes(
        appender,
        upTo(500).map((i) => note(i)),
      ),
    ).toEqual(upTo(500).map(() => "created"));
    expect(figures.batches.reduce((sum, acts) => sum + acts, 0)).toBe(500);
    expect(figures.batches.length).toBeLessThan(10);
    const entries = await store.entries(0, 1000, 0);
    expect(entries.map((entry) => entry.seq)).toEqual(upTo(500).map((i) => i + 1));
    expect(chainFaults(entries.map((entry) => ({ ...entry, at: iso(entry.at) })))).toEqual([]);
  });

  test("a refused post and a faulty one harm nobody in the same transaction and leave no trace", async () => {
    const refused = note(1, {
      refs: [
        { rel: "cites", id: "1".repeat(64) },
        { rel: "on", id: "2".repeat(64) },
      ],
    });
    const faulty = note(2);
    if (faulty.type === "post") Object.assign(faulty.arrival.payload, { refs: [{ rel: "cites", id: { not: "text" } }] });
    const said = await outcomes(appender, [note(0), note(3), refused, faulty, note(4), note(3)]);
    expect(said).toEqual(["created", "created", "target_unknown", expect.stringMatching(/^fault: Error/), "created", "exists"]);
    expect(figures.batches).toEqual([6]);
    expect((await store.head()).seq).toBe(3);
    const db = openBeside(data);
    expect(db.prepare("SELECT (SELECT count(*) FROM refs) AS refs, (SELECT count(*) FROM contents) AS contents").get()).toEqual({
      refs: 0,
      contents: 3,
    });
    db.close();
  });

  test("a caller that comes while 4096 wait is refused at once; those who wait are served", async () => {
    const waiting = outcomes(
      appender,
      upTo(4096).map((): Act => ({ type: "sweep" })),
    );
    expect(appender.waiting).toBe(4096);
    expect(await outcomes(appender, [note(0)])).toEqual(["overloaded"]);
    expect(new Refusal("overloaded").status).toBe(503);
    expect(await waiting).toEqual(upTo(4096).map(() => "swept"));
    expect(await outcomes(appender, [note(0)])).toEqual(["created"]);
  });

  test("a broken database ends the service instead of half a promise", async () => {
    expect(await outcomes(appender, [note(0)])).toEqual(["created"]);
    const db = openBeside(data);
    db.exec("DROP TABLE messages");
    db.close();
    expect(await outcomes(appender, [note(1), note(2)])).toEqual(["storage_unavailable", "storage_unavailable"]);
    expect(fatal).toHaveLength(1);
    expect(await outcomes(appender, [note(3)])).toEqual(["storage_unavailable"]);
    expect((await store.head()).seq).toBe(1);
  });
});

describe("when the storage fails under a batch", () => {
  let board: BareBoard;
  let figures: Figures;
  let clock: ManualClock;
  let appender: Appender;
  beforeEach(() => {
    board = new BareBoard();
    figures = new Figures();
    clock = new ManualClock();
    appender = new Appender(board, clock, figures);
  });
  afterEach(() => board[Symbol.dispose]());

  /** No page more than there are now. */
  function fillDisk(): void {
    const { page_count: pages } = board.db.prepare("PRAGMA page_count").get() as { page_count: number };
    board.db.exec(`PRAGMA max_page_count = ${pages}`);
  }

  test("a full disk: nothing of the batch is acknowledged or stored, and writing goes on as soon as there is space", async () => {
    expect(await outcomes(appender, [note(0)])).toEqual(["created"]);
    fillDisk();
    const before = { head: board.head(), rows: board.rows("messages"), changes: board.changes() };
    const large = (i: number) => postAct(text(`${i} ${"x".repeat(30_000)}`));
    const batch = [note(1), large(2), large(3), note(4)];
    expect(await outcomes(appender, batch)).toEqual(batch.map(() => "storage_full"));
    expect(board.rows("messages")).toBe(before.rows);
    expect(board.head()).toEqual(before.head);
    expect(figures.faults).toHaveLength(1);
    expect(new Refusal("storage_full").status).toBe(503);
    board.db.exec("PRAGMA max_page_count = 1000000");
    expect(await outcomes(appender, batch)).toEqual(batch.map(() => "created"));
    expect(chainFaults(board.changes())).toEqual([]);
  });
});

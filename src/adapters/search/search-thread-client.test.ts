import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { TestBoard } from "../../../test/support/board.ts";
import { eventually } from "../../../test/support/eventually.ts";
import { parseQuery } from "../../core/search/query.ts";
import { atTheCostOf } from "../../ports/cpu-slices.ts";
import { type SearchIndex, SearchUnavailable } from "../../ports/search.ts";
import { databasePath } from "../sqlite/open.ts";
import { openSearchIndex } from "./search-thread-client.ts";

describe("an index beside a SQLite board", () => {
  let board: TestBoard;
  let index: SearchIndex;
  const failures: unknown[] = [];
  const head = async (): Promise<number> => (await board.get<{ seq: number }>("/api/checkpoint")).body.seq;
  const found = async (q: string): Promise<number[]> => [...(await index.matching(parseQuery(q, "all"), { upTo: await head() }))];
  const open = (): SearchIndex =>
    openSearchIndex(
      {
        dir: join(board.data, "own-index"),
        source: { url: new URL("../sqlite/search-source.ts", import.meta.url).href, options: { path: databasePath(board.data) } },
      },
      { appended: () => {}, failed: (_, error) => failures.push(error) },
    );
  const ready = () => eventually("an index", () => found("anything").catch(() => undefined));

  beforeAll(async () => {
    board = await TestBoard.start();
    index = open();
    await ready();
  });
  afterAll(async () => {
    await index.close();
    await board[Symbol.asyncDispose]();
    expect(failures).toEqual([]);
  });

  test("finds a message as soon as it is posted, and not once it is withdrawn or has expired", async () => {
    const agent = board.agent();
    const lasting = await board.put(agent, { kind: "note", title: "Gardens of Babylon", body: "hanging in the air" });
    const brief = await board.put(agent, { kind: "note", body: "gardens for a minute", ttl: "60s" });
    const wrong = await board.put(agent, { kind: "note", body: "gardens on the moon" });
    expect(await found("garden")).toEqual([lasting.seq, brief.seq, wrong.seq]);
    await board.put(agent, { kind: "retraction", refs: [{ rel: "retracts", id: wrong.id }] });
    expect(await found("garden")).toEqual([lasting.seq, brief.seq]);
    board.clock.advance(61_000);
    await eventually("the sweep", async () => ((await found("garden")).length === 1 ? true : undefined));
    expect(await found('"in the air"')).toEqual([lasting.seq]);
  });

  test("a search costs its caller the thread's time; of many searches of one caller others wait for two at most", async () => {
    const upTo = await head();
    const ended: string[] = [];
    const search = (caller: string, spend: (ms: number) => void = () => {}) =>
      atTheCostOf({ lane: caller, spend }, () => index.matching(parseQuery("garden", "all"), { upTo }).then(() => void ended.push(caller)));
    const spent: number[] = [];
    const greedy = Array.from({ length: 20 }, () => search("greedy", (ms) => spent.push(ms)));
    await Promise.all([...greedy, search("modest")]);
    expect(spent).toHaveLength(20);
    expect(ended.indexOf("modest")).toBeLessThanOrEqual(3);
    await expect(
      search("poor", () => {
        throw new Error("no more");
      }),
    ).rejects.toThrow("no more");
    expect(await found("garden"), "a refused search leaves its place").toBeDefined();
  });

  test("a search that takes long is paid for while it runs, and stopped once its caller cannot pay", async () => {
    for (let text = 0; text < 16; text++) {
      const body = Array.from({ length: 4000 }, (_, i) => `x a${(text * 4000 + i).toString(36)}`).join(" ");
      await board.put(board.agent(), { kind: "note", body });
    }
    const upTo = await head();
    const spent: number[] = [];
    const search = (q: string, most = Infinity) => {
      const spend = (ms: number): void => {
        if (spent.push(ms) >= most) throw new Error("no more");
      };
      return atTheCostOf({ lane: "caller", spend }, () => index.matching(parseQuery(q, "all"), { upTo }));
    };
    await expect(search('"x a*"', 2)).rejects.toThrow("no more");
    expect(await search("nowhere")).toHaveLength(0);
    expect(spent, "two reports of the long search, one of the short one, which did not wait for its end").toHaveLength(3);
    expect(await search('"x a1*"')).not.toHaveLength(0);
    expect(spent.length).toBeGreaterThan(3);
  });

  test("is there again after a restart, with what was posted meanwhile", async () => {
    const agent = board.agent();
    const before = await board.put(agent, { kind: "note", body: "quokka before" });
    expect(await found("quokka")).toEqual([before.seq]);
    await index.close();
    const meanwhile = await board.put(agent, { kind: "note", body: "quokka meanwhile" });
    index = open();
    await ready();
    expect(await found("quokka")).toEqual([before.seq, meanwhile.seq]);
  });
});

test("a thread that cannot start refuses searches, says why, and lets the board close", async () => {
  const dir = mkdtempSync(join(tmpdir(), "index-"));
  const failures: unknown[] = [];
  const source = { url: "data:text/javascript,throw new Error('no board here')", options: {} };
  const index = openSearchIndex({ dir, source }, { appended: () => {}, failed: (_, error) => failures.push(error) });
  await expect(index.status()).rejects.toThrow(SearchUnavailable);
  await index.close();
  expect(String(failures[0])).toContain("no board here");
  rmSync(dir, { recursive: true });
});

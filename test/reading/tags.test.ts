// The tags in use: an agent that takes its tags from here is found by others.
import { describe, expect, test } from "vitest";
import type { z } from "zod";
import { HOUR_MS } from "../../src/core/durations.ts";
import { tagsBody } from "../../src/operations/bodies/board.ts";
import { TestBoard } from "../support/board.ts";
import { expectRefusal } from "../support/refusal.ts";

type TagPage = z.infer<typeof tagsBody>;

async function page(board: TestBoard, query = ""): Promise<TagPage> {
  const { status, body } = await board.get(`/api/tags${query}`);
  expect(status, JSON.stringify(body)).toBe(200);
  return tagsBody.parse(body);
}

const counts = ({ tags }: TagPage): [string, number][] => tags.map(({ tag, count }) => [tag, count]);

describe("the list of tags shows", () => {
  test("those in use, most used first, with their count and last use; needs and offers apart", async () => {
    await using board = await TestBoard.start();
    const agent = board.agent();
    const start = board.clock.now();
    await board.put(agent, { kind: "note", title: "1", tags: ["rare", "common"], needs: ["gpu"] });
    board.clock.advance(5000);
    await board.put(agent, { kind: "note", title: "2", tags: ["common", "also"], offers: ["gpu", "common"] });
    const used = (ms: number) => new Date(start + ms).toISOString();
    expect(await page(board)).toEqual({
      field: "tag",
      tags: [
        { tag: "common", count: 2, last_used: used(5000), untrusted: true },
        { tag: "also", count: 1, last_used: used(5000), untrusted: true },
        { tag: "rare", count: 1, last_used: used(0), untrusted: true },
      ],
      next_cursor: null,
      untrusted: true,
    });
    const needs = await page(board, "?field=need");
    expect([needs.field, counts(needs)]).toEqual(["need", [["gpu", 1]]]);
    // oxfmt-ignore
    expect(counts(await page(board, "?field=offer"))).toEqual([["common", 1], ["gpu", 1]]);
  });

  test("no tag of expired, withdrawn or superseded messages", async () => {
    await using board = await TestBoard.start();
    const agent = board.agent();
    await board.put(agent, { kind: "note", title: "short", tags: ["a", "all"], ttl: "1h" });
    const old = await board.put(agent, { kind: "note", title: "old", tags: ["b", "all"] });
    const wrong = await board.put(agent, { kind: "note", title: "wrong", tags: ["c", "all"] });
    await board.put(agent, { kind: "note", title: "new", tags: ["d", "all"], refs: [{ rel: "supersedes", id: old.id }] });
    await board.put(agent, { kind: "retraction", refs: [{ rel: "retracts", id: wrong.id }] });
    // oxfmt-ignore
    expect(counts(await page(board))).toEqual([["all", 2], ["a", 1], ["d", 1]]);
    board.clock.advance(HOUR_MS);
    // oxfmt-ignore
    expect(counts(await page(board))).toEqual([["all", 1], ["d", 1]]);
    await board.put(agent, { kind: "retraction", data: { scope: "all", board: await board.name() } });
    expect(counts(await page(board))).toEqual([]);
  });

  test("only those that begin as asked, in any script and case", async () => {
    await using board = await TestBoard.start();
    const agent = board.agent();
    await board.put(agent, { kind: "note", title: "1", tags: ["rust", "rust/async", "ruby", "übung", "über", "数据", "数据库", "r"] });
    await board.put(agent, { kind: "note", title: "2", tags: ["ruby"] });
    const names = async (prefix: string) => (await page(board, `?prefix=${encodeURIComponent(prefix)}`)).tags.map((one) => one.tag);
    expect(await names("ru")).toEqual(["ruby", "rust", "rust/async"]);
    expect(await names("RUST")).toEqual(["rust", "rust/async"]);
    expect(await names("rust/async")).toEqual(["rust/async"]);
    expect(await names("üb")).toEqual(["über", "übung"]);
    expect(await names("数")).toEqual(["数据", "数据库"]);
    expect(await names("rust/asyncs")).toEqual([]);
    expect(await names("")).toHaveLength(8);
  });

  test("all of them, page by page, without gaps or repeats", async () => {
    await using board = await TestBoard.start();
    const agent = board.agent();
    const all = Array.from({ length: 30 }, (_, i) => `t${i}`);
    for (const from of [0, 10, 20]) await board.put(agent, { kind: "note", title: `${from}`, tags: all.slice(from, from + 10) });
    await board.put(agent, { kind: "note", title: "again", tags: ["t7", "t13", "t29"] });
    for (const prefix of ["", "t", "t2"]) {
      const wanted = all.filter((tag) => tag.startsWith(prefix));
      const seen: string[] = [];
      let cursor: string | null = null;
      do {
        const one: TagPage = await page(board, `?limit=4&prefix=${prefix}${cursor === null ? "" : `&cursor=${cursor}`}`);
        expect(one.tags.length).toBeLessThanOrEqual(4);
        seen.push(...one.tags.map(({ tag }) => tag));
        cursor = one.next_cursor;
      } while (cursor !== null);
      const twice = wanted.filter((tag) => ["t7", "t13", "t29"].includes(tag)).toSorted();
      expect(seen).toEqual([...twice, ...wanted.filter((tag) => !twice.includes(tag)).toSorted()]);
    }
    const { headers } = await board.get("/api/tags?limit=4");
    expect(headers.get("link")).toMatch(/\/api\/tags\?limit=4&cursor=[^>]+>; rel="next"$/);
  });

  test("what is wrong with a query", async () => {
    await using board = await TestBoard.start();
    const agent = board.agent();
    await board.put(agent, { kind: "note", title: "1", tags: ["a", "b"] });
    expect(expectRefusal(await board.get("/api/tags?field=kind"), 400, "invalid_parameter").message).toMatch(/tag, need or offer/);
    expect(expectRefusal(await board.get("/api/tags?prefx=a"), 400, "unknown_parameter").hint).toMatch(/`prefix`/);
    for (const query of ["prefix=a,b", "prefix=a%09b", `prefix=${"a".repeat(49)}`, "prefix=%E2%80%8B", "limit=0", "limit=201", "limit=-1"])
      expectRefusal(await board.get(`/api/tags?${query}`), 400, "invalid_parameter");
    const { next_cursor: cursor } = await page(board, "?limit=1");
    expectRefusal(await board.get(`/api/tags?limit=1&field=need&cursor=${cursor}`), 400, "cursor_mismatch");
    expectRefusal(await board.get(`/api/tags?limit=1&prefix=a&cursor=${cursor}`), 400, "cursor_mismatch");
    expectRefusal(await board.get("/api/tags?cursor=nonsense"), 400, "invalid_cursor");
  });
});

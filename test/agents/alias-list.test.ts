// The list of aliases: what it finds, how it pages, what it refuses.
import { beforeAll, afterAll, describe, expect, test } from "vitest";
import type { Agent } from "../support/agent.ts";
import { type AliasPage, operateAlias } from "../support/aliases.ts";
import { TestBoard } from "../support/board.ts";
import { expectRefusal } from "../support/refusal.ts";

describe("the list of aliases", () => {
  let full: TestBoard;
  const owners: Agent[] = [];
  const all: string[] = [];
  beforeAll(async () => {
    full = await TestBoard.start();
    for (let i = 0; i < 42; i++) {
      const owner = full.agent();
      owners.push(owner);
      for (let n = 0; n < 5; n++) {
        const alias = `${n === 0 ? "first" : "later"}.${String(i * 5 + n).padStart(3, "0")}`;
        expect((await operateAlias(full, owner, "claim", alias)).status).toBe(201);
        all.push(alias);
      }
    }
    all.sort();
  });
  afterAll(() => full[Symbol.asyncDispose]());
  const page = async (query: string): Promise<AliasPage> => (await full.get<AliasPage>(`/api/aliases${query}`)).body;
  const walk = async (query: string): Promise<string[]> => {
    const found: string[] = [];
    for (let cursor: string | null = ""; cursor !== null;) {
      const { aliases, next_cursor: next } = await page(`?${query}${cursor === "" ? "" : `&cursor=${encodeURIComponent(cursor)}`}`);
      found.push(...aliases.map((one) => one.alias));
      cursor = next;
    }
    return found;
  };

  test("shows each live one once, in order, however it is paged", async () => {
    expect((await page("")).aliases).toHaveLength(50);
    const most = await page("?limit=200");
    expect(most.aliases.map((one) => one.alias)).toEqual(all.slice(0, 200));
    expect(most.next_cursor).not.toBeNull();
    expect(await walk("limit=200")).toEqual(all);
    expect(await walk("limit=7")).toEqual(all);
    const link = (await full.get("/api/aliases?limit=7")).headers.get("link") ?? "";
    expect(link).toMatch(/^<[^>]+limit=7[^>]*cursor=[^>]+>; rel="next"$/);
    const one = most.aliases[0];
    expect(one).toMatchObject({ alias: all[0], email: `${all[0]}@localhost`, agent: owners[0]?.id });
    expect(Date.parse(one?.expires_at ?? "")).toBeGreaterThan(Date.parse(one?.claimed_at ?? ""));
  });

  test("finds names by their beginning, in any case, and nothing else by it", async () => {
    expect(await walk("q=first")).toEqual(all.filter((one) => one.startsWith("first")));
    expect(await walk("q=LATER.10&limit=3")).toEqual(all.filter((one) => one.startsWith("later.10")));
    expect(await walk("q=later.101")).toEqual(["later.101"]);
    for (const none of ["ater", "later.1010", "%25", "_", "*", "%00"]) expect(await walk(`q=${none}`), none).toEqual([]);
  });

  test("of one agent, by its id or by one of its names", async () => {
    const [owner] = owners;
    const own = all.filter((one) => ["000", "001", "002", "003", "004"].includes(one.slice(-3)));
    for (const agent of [owner?.id, "first.000", "LATER.001", "later.002@localhost"])
      expect(await walk(`agent=${agent}&limit=2`)).toEqual(own);
    expect(await walk(`agent=${owner?.id}&q=first`)).toEqual(["first.000"]);
    expect(await walk(`agent=ag_${"0".repeat(20)}`)).toEqual([]);
    expectRefusal(await full.get("/api/aliases?agent=nobody-at-all"), 400, "invalid_parameter");
  });

  test("refuses what it cannot answer", async () => {
    for (const limit of ["0", "201", "x", "-1", "1.5"])
      expectRefusal(await full.get(`/api/aliases?limit=${limit}`), 400, "invalid_parameter");
    expectRefusal(await full.get("/api/aliases?prefix=a"), 400, "unknown_parameter");
    expectRefusal(await full.get("/api/aliases?cursor=made-up"), 400, "invalid_cursor");
    const { next_cursor: cursor } = await page("?q=first&limit=2");
    expectRefusal(await full.get(`/api/aliases?q=later&limit=2&cursor=${cursor}`), 400, "cursor_mismatch");
  });

  test("continues in the right place when names come and go between pages", async () => {
    const { aliases, next_cursor: cursor } = await page("?limit=2");
    const [gone, last] = aliases;
    const owner = owners.find((one) => one.id === last?.agent);
    if (owner === undefined || last === undefined || gone === undefined) throw new Error("The list is empty.");
    await operateAlias(full, owner, "release", last.alias);
    expect((await page(`?limit=1&cursor=${cursor}`)).aliases[0]?.alias).toBe(all[2]);
    await operateAlias(full, owner, "claim", last.alias);
  });
});

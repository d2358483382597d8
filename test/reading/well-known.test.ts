// A program that knows only the address finds the interfaces, the MCP server and the contact for security reports.
import { afterAll, beforeAll, expect, test } from "vitest";
import { DAY_MS } from "../../src/core/durations.ts";
import { TestBoard } from "../support/board.ts";

let board: TestBoard;
beforeAll(async () => {
  board = await TestBoard.start({ flags: ["--contact", "mailto:security@board.example"] });
});
afterAll(() => board[Symbol.asyncDispose]());

const BASE = "http://board.test";
/** Whether an address of this board leads to an existing resource. */
async function leads(href: string): Promise<void> {
  expect(href.startsWith(BASE), href).toBe(true);
  const { status } = await fetch(board.url + href.slice(BASE.length), { headers: { accept: "*/*" } });
  expect([href, status]).toEqual([href, 200]);
}

interface Linkset {
  readonly linkset: readonly (Readonly<Record<string, readonly { href: string; type: string }[]>> & { readonly anchor: string })[];
}

test("the API catalog links every interface to its description, in the form of RFC 9727", async () => {
  const { status, headers, body } = await board.get<string>("/.well-known/api-catalog");
  expect([status, headers.get("content-type")]).toEqual([
    200,
    'application/linkset+json; profile="https://www.rfc-editor.org/info/rfc9727"; charset=utf-8',
  ]);
  const { linkset } = JSON.parse(body) as Linkset;
  expect(linkset.map(({ anchor }) => anchor)).toEqual([`${BASE}/api`, `${BASE}/mcp`]);
  for (const { anchor: _anchor, ...relations } of linkset) {
    expect(Object.keys(relations)).toEqual(expect.arrayContaining(["service-desc", "service-doc"]));
    for (const { href, type } of Object.values(relations).flat()) {
      await leads(href);
      expect(type).toMatch(/^[a-z]+\/[\w.+-]+/);
    }
  }
  const head = await fetch(`${board.url}/.well-known/api-catalog`, { method: "HEAD" });
  expect([head.status, head.headers.get("link")]).toEqual([200, `<${BASE}/.well-known/api-catalog>; rel="api-catalog"`]);
});

test("security.txt has a contact and runs out within a year of whenever it is read, in the form of RFC 9116", async () => {
  const read = async (): Promise<Map<string, string>> => {
    const { status, headers, body } = await board.get<string>("/.well-known/security.txt");
    expect([status, headers.get("content-type")]).toEqual([200, "text/plain; charset=utf-8"]);
    const lines = body.trimEnd().split("\n");
    expect(lines.filter((line) => !/^[A-Z][A-Za-z-]+: \S/.test(line))).toEqual([]);
    return new Map(lines.map((line) => line.split(/: (.*)/s).slice(0, 2) as [string, string]));
  };
  const fields = await read();
  expect(fields.get("Contact")).toBe("mailto:security@board.example");
  await leads(fields.get("Canonical") ?? "");
  const first = Date.parse(fields.get("Expires") ?? "");
  expect(first).toBeGreaterThan(board.clock.now() + 90 * DAY_MS);
  expect(first).toBeLessThan(board.clock.now() + 365 * DAY_MS);
  board.clock.advance(100 * DAY_MS);
  expect(Date.parse((await read()).get("Expires") ?? "")).toBe(first + 100 * DAY_MS);
});

interface Catalog {
  readonly specVersion: string;
  readonly entries: readonly { identifier: string; displayName: string; type: string; url: string }[];
}

test("both catalogs lead to the card of the MCP server", async () => {
  for (const [path, type] of [
    ["/.well-known/ai-catalog.json", "application/ai-catalog+json; charset=utf-8"],
    ["/.well-known/mcp/catalog.json", "application/json; charset=utf-8"],
  ] as const) {
    const response = await fetch(board.url + path);
    expect([response.status, response.headers.get("content-type")]).toEqual([200, type]);
    expect(response.headers.get("access-control-allow-origin")).toBe("*");
    expect(response.headers.get("cache-control")).toBe("public, max-age=3600");
    const { entries } = (await response.json()) as Catalog;
    expect(entries).toMatchObject([{ identifier: "urn:air:board.test:agent-blackboard", type: "application/mcp-server-card+json" }]);
    for (const { url } of entries) await leads(url);
  }
});

test("without its own contact, a board names its page for reports", async () => {
  await using other = await TestBoard.start();
  expect((await other.get<string>("/.well-known/security.txt")).body).toMatch(/^Contact: http:\/\/board\.test\/report$/m);
});

test("pages elsewhere may see what they need to ask only for what has changed", async () => {
  const { headers } = await board.get("/api/messages");
  expect(headers.get("etag")).not.toBeNull();
  expect(headers.get("access-control-expose-headers")?.split(", ")).toContain("etag");
});

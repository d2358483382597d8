import { afterAll, beforeAll, expect, test } from "vitest";
import { ERRORS } from "../src/core/errors.ts";
import { TestBoard } from "./support/board.ts";

interface Schema {
  readonly enum?: readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
}
interface Document {
  readonly paths: Record<string, Record<string, { operationId: string; summary: string; parameters: { name: string; schema: Schema }[] }>>;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
}

let board: TestBoard;
let manual: string;
let api: Document;
beforeAll(async () => {
  board = await TestBoard.start();
  manual = (await board.get<string>("/llms-full.txt")).body;
  api = (await board.get<Document>("/openapi.json")).body;
});
afterAll(() => board[Symbol.asyncDispose]());

/** From an anchor to the next heading of the same rank. */
function section(anchor: string): string {
  const at = manual.indexOf(`<a id="${anchor}"></a>\n`);
  expect(at, anchor).toBeGreaterThan(0);
  const mark = /^#+ /.exec(manual.slice(manual.indexOf("\n", at) + 1))?.[0] ?? "## ";
  const start = manual.indexOf(mark, at);
  const end = manual.indexOf(`\n${mark}`, start + 1);
  return manual.slice(start, end < 0 ? undefined : end);
}

test("every error is explained where its docs link points", async () => {
  for (const code of Object.keys(ERRORS)) expect(manual).toContain(`<a id="err-${code}"></a>`);
  const refusal = await board.get<{ error: { docs: string } }>("/api/messages?limit=0");
  const [page, anchor] = refusal.body.error.docs.split("#");
  expect(page).toMatch(/\/llms-full\.txt$/);
  expect(section(anchor ?? "")).toContain("invalid_parameter (400)");
});

test("every link inside the manual, and from the front page into it, leads to an anchor, and no anchor is there twice", async () => {
  const anchors = [...manual.matchAll(/<a id="([\w-]+)"><\/a>/g)].map(([, anchor]) => anchor);
  expect(new Set(anchors).size).toBe(anchors.length);
  const front = (await board.get<string>("/")).body;
  const links = [...manual.matchAll(/\]\(#([\w-]+)\)/g), ...front.matchAll(/llms-full\.txt#([\w-]+)\)/g)].map(([, anchor]) => anchor);
  expect(links.length).toBeGreaterThan(14);
  expect(links.filter((link) => !anchors.includes(link))).toEqual([]);
  const headings = [...manual.matchAll(/^(.*)\n##+ .*$/gm)].map(([, before]) => before);
  expect(headings.filter((before) => before?.startsWith("<a id=") !== true)).toEqual([]);
});

test("every endpoint is there, with every parameter and every value that a parameter takes", () => {
  for (const [path, methods] of Object.entries(api.paths)) {
    if (path === "/openapi.json" || path === "/llms-full.txt") continue;
    for (const [method, { operationId, parameters }] of Object.entries(methods)) {
      const text = section(operationId);
      expect(text).toContain(`### ${method.toUpperCase()} ${path}\n`);
      for (const { name, schema } of parameters) {
        expect(text, `${path} ${name}`).toContain(`\`${name}\``);
        const line = lineOf(text, name) ?? "";
        for (const value of schema.enum ?? []) expect(line, `${path} ${name}`).toMatch(new RegExp(`\\b${value}\\b`));
      }
    }
  }
});

/** The line that explains a parameter: here, or at the endpoint that this one refers to. */
function lineOf(text: string, name: string): string | undefined {
  const own = text.split("\n").find((line) => line.startsWith(`- \`${name}\`: `));
  if (own !== undefined) return own;
  const other = text.split("\n").find((line) => line.startsWith("- As at ") && line.includes(`\`${name}\``));
  const [, method = "", path = ""] = /^- As at `(\w+) (\S+)`/.exec(other ?? "") ?? [];
  const named = api.paths[path]?.[method.toLowerCase()]?.operationId;
  return named === undefined ? undefined : lineOf(section(named), name);
}

test("the ranges of numbers stand at their parameters as the board holds them", async () => {
  const ranges = [...manual.matchAll(/^- `(\w+)`: .*[Ii]nteger from (\d+) to (\d+)/gm)].map(
    ([, name, min, max]) => `${name} ${min}..${max}`,
  );
  expect(ranges).toEqual(expect.arrayContaining(["limit 1..200", "wait 0..30", "depth 1..6", "limit 1..1000"]));
  expect((await board.get("/api/messages?limit=200")).status).toBe(200);
  expect((await board.get("/api/messages?limit=201")).status).toBe(400);
});

test("every field of a record is named", () => {
  const text = section("record");
  const walk = (schema: Schema | undefined): string[] =>
    Object.entries(schema?.properties ?? {}).flatMap(([name, inner]) => [name, ...walk(inner)]);
  const names = walk(api.components.schemas["PostedMessage"]);
  expect(names).toContain("lease_until");
  expect(names.filter((name) => !text.includes(`\`${name}\``))).toEqual([]);
});

test("every event of the stream and every type of log entry is named", () => {
  const { summary = "" } = api.paths["/api/stream"]?.["get"] ?? {};
  const events = /events: ([\w, ]+)\./.exec(summary)?.[1]?.split(", ") ?? [];
  expect(events).toContain("hello");
  for (const event of events) expect(section("stream")).toContain(`| \`${event}\` |`);
  const types = api.components.schemas["Changes"]?.properties?.["changes"]?.items?.properties?.["type"]?.enum ?? [];
  expect(types).toContain("alias_expire");
  for (const type of types) expect(section("log")).toContain(`\`${type}\``);
});

test("who knows only the address finds the manual, the words and the work from there", async () => {
  const front = await board.get<string>("/");
  expect([front.status, front.headers.get("content-type")]).toEqual([200, "text/markdown; charset=utf-8"]);
  expect(front.body).toContain("untrusted");
  const links = [...front.body.matchAll(/\]\(https?:\/\/[^/]+([^)#]*)/g)].map(([, path]) => path ?? "");
  expect(links).toEqual(
    expect.arrayContaining(["/llms-full.txt", "/api/kinds", "/openapi.json", "/api/messages?format=md", "/api/stream"]),
  );
  for (const link of links) expect((await fetch(board.url + link, { method: "HEAD" })).status, link).toBe(200);
  const llms = await board.get<string>("/llms.txt");
  expect([llms.status, llms.body]).toEqual([200, front.body]);
});

import { afterAll, beforeAll, expect, test } from "vitest";
import { ERRORS } from "../../src/core/errors.ts";
import { TestBoard } from "../support/board.ts";
import { expectRefusal } from "../support/refusal.ts";

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

/** From an anchor to the next heading of the same level. */
function section(anchor: string): string {
  const at = manual.indexOf(`<a id="${anchor}"></a>\n`);
  expect(at, anchor).toBeGreaterThan(0);
  const mark = /^#+ /.exec(manual.slice(manual.indexOf("\n", at) + 1))?.[0] ?? "## ";
  const start = manual.indexOf(mark, at);
  const end = manual.indexOf(`\n${mark}`, start + 1);
  return manual.slice(start, end < 0 ? undefined : end);
}

test("every error is briefly explained where its docs link points", async () => {
  const refusal = await board.get<{ error: { docs: string } }>("/api/messages?limit=0");
  expect(new URL(refusal.body.error.docs).pathname).toBe("/llms/errors/invalid_parameter.txt");
  for (const [code, { status, meaning, hint }] of Object.entries(ERRORS)) {
    expect(manual).toContain(`<a id="err-${code}"></a>`);
    const page = await board.get<string>(`/llms/errors/${code}.txt`);
    expect([page.status, page.headers.get("content-type")], code).toEqual([200, "text/plain; charset=utf-8"]);
    expect(page.body).toContain(`# ${code} (${status})\n\n${meaning} ${hint}\n`);
    expect(page.body.length, code).toBeLessThan(1000);
  }
});

test("each section has its own address, and its links lead to existing texts", async () => {
  const names = [...manual.matchAll(/<a id="([\w-]+)"><\/a>\n## /g)].map(([, name = ""]) => name);
  expect(names.length).toBeGreaterThan(14);
  const texts = await Promise.all(["start", ...names].map(async (name) => [name, await board.get<string>(`/llms/${name}.txt`)] as const));
  const links = new Set<string>();
  for (const [name, { status, body }] of texts) {
    expect(status, name).toBe(200);
    expect(body, name).not.toMatch(/<a id=|\]\(#/);
    for (const [, path = ""] of body.matchAll(/https?:\/\/[^/\s)]+(\/llms\/[a-z_/-]+\.txt)/g)) links.add(path);
  }
  for (const path of links) expect((await fetch(board.url + path, { method: "HEAD" })).status, path).toBe(200);
  const whole = (text: string): string => text.replaceAll(/<a id="[\w-]+"><\/a>\n/g, "").replaceAll(/\]\([^)]*\)/g, "]()");
  for (const [name, { body }] of texts.slice(1))
    expect(whole(manual), name).toContain(
      whole(body)
        .replace(/^# .*\n/, "")
        .trim(),
    );
  expect(texts[0]?.[1].body).toContain(names.join(", "));
});

test("the start fits into a small context", async () => {
  const { body } = await board.get<string>("/llms/start.txt");
  expect(Array.from(body).length).toBeLessThanOrEqual(3500);
});

test("a part that is not there says which there are", async () => {
  const slip = expectRefusal(await board.get("/llms/postings.txt"), 404, "not_found");
  expect(slip.hint).toBe("Did you mean `posting`?");
  expect(expectRefusal(await board.get("/llms/zzz.txt"), 404, "not_found").hint).toContain("start, identity, posting");
  expect(expectRefusal(await board.get("/llms/errors/already_claim.txt"), 404, "not_found").hint).toBe("Did you mean `already_claimed`?");
});

test("documents are sent once: they have a validator, and are compressed for callers that accept it", async () => {
  for (const path of ["/llms-full.txt", "/llms/start.txt", "/llms.txt", "/openapi.json", "/client.py"]) {
    const plain = await fetch(board.url + path, { headers: { "accept-encoding": "identity" } });
    const tag = plain.headers.get("etag") ?? "";
    expect(tag, path).toMatch(/^W\/"[\w-]+"$/);
    expect(plain.headers.get("vary"), path).toContain("Accept-Encoding");
    const again = await fetch(board.url + path, { headers: { "if-none-match": tag } });
    expect([again.status, await again.text()], path).toEqual([304, ""]);
    const short = await fetch(board.url + path, { headers: { "accept-encoding": "gzip" } });
    expect([short.headers.get("content-encoding"), await short.text()], path).toEqual(["gzip", await plain.text()]);
  }
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
    if (path === "/openapi.json" || path.startsWith("/llms")) continue;
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

/** The line that explains a parameter: in this section, or at the endpoint that it refers to. */
function lineOf(text: string, name: string): string | undefined {
  const own = text.split("\n").find((line) => line.startsWith(`- \`${name}\`: `));
  if (own !== undefined) return own;
  const other = text.split("\n").find((line) => line.startsWith("- As at ") && line.includes(`\`${name}\``));
  const [, method = "", path = ""] = /^- As at `(\w+) (\S+)`/.exec(other ?? "") ?? [];
  const named = api.paths[path]?.[method.toLowerCase()]?.operationId;
  return named === undefined ? undefined : lineOf(section(named), name);
}

test("the ranges of numbers are with their parameters, as the board enforces them", async () => {
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

test("a caller that knows only the address finds the manual, the vocabulary and the work from there", async () => {
  const front = await board.get<string>("/");
  expect([front.status, front.headers.get("content-type")]).toEqual([200, "text/markdown; charset=utf-8"]);
  expect(front.body).toContain("untrusted");
  const links = [...front.body.matchAll(/\]\(https?:\/\/[^/]+([^)#]*)/g)].map(([, path]) => path ?? "");
  expect(links).toEqual(
    expect.arrayContaining(["/llms/start.txt", "/llms-full.txt", "/api/kinds", "/openapi.json", "/api/messages?format=md", "/api/stream"]),
  );
  for (const link of links) expect((await fetch(board.url + link, { method: "HEAD" })).status, link).toBe(200);
  const tokens = (await board.get<string>("/llms-full.txt")).body.length / 3.5;
  const stated = Number(/some ([\d,]+) tokens/.exec(front.body)?.[1]?.replace(",", ""));
  expect(Math.abs(stated - tokens)).toBeLessThan(2500);
  const llms = await board.get<string>("/llms.txt");
  expect([llms.status, llms.body]).toEqual([200, front.body]);
});

// The documentation as pages: its examples are true, and no link of any page leads nowhere.
import { execFile } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type ApiSchema, sampleOf } from "../../src/pages/api-sample.ts";
import { guideSteps, SHORT_ID } from "../../src/pages/guide-steps.ts";
import { TestBoard } from "../support/board.ts";
import { fillWithDemo } from "../support/demo-board.ts";
import { faultsBy, type OpenApi, operationsOf } from "../support/openapi.ts";
import { pagesOf } from "../support/page-kinds.ts";

const BROWSER = { accept: "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8" };

let board: TestBoard;
beforeAll(async () => {
  board = await TestBoard.start();
  await fillWithDemo(board);
});
afterAll(() => board[Symbol.asyncDispose]());

const page = (path: string) => board.get<string>(path, { headers: BROWSER });
const unescaped = (text: string): string =>
  text.replaceAll("&quot;", '"').replaceAll("&lt;", "<").replaceAll("&gt;", ">").replaceAll("&#39;", "'").replaceAll("&amp;", "&");

test("every link of every page to another one, and to a part of one, leads there", async () => {
  const kinds = Object.values(await pagesOf(board));
  const texts = new Map<string, { readonly status: number; readonly ids: ReadonlySet<string> }>();
  const look = async (path: string) => {
    const { status, body } = await board.get<unknown>(path, { headers: BROWSER, redirect: "manual" });
    const text = typeof body === "string" ? body : "";
    const seen = { status, ids: new Set([...text.matchAll(/\sid="([^"]+)"/g)].map(([, id = ""]) => id)) };
    texts.set(path, seen);
    return seen;
  };
  const broken: string[] = [];
  for (const from of kinds) {
    const { body } = await page(from);
    const links = new Set([...body.matchAll(/\shref="([#/][^"]*|http:\/\/board\.test[^"]*)"/g)].map(([, link = ""]) => unescaped(link)));
    for (const link of links) {
      const [path = "", part] = link.replace("http://board.test", "").split("#");
      // Streams, which stay open, and the dump, which is the whole board.
      if (/^\/api\/(stream|dump)|^\/docs\/try\//.test(path)) continue;
      const target = path === "" ? from : path;
      const { status, ids } = texts.get(target) ?? (await look(target));
      const gone = status === 410 && target.startsWith("/m/");
      if (status >= 400 && !gone && target !== from) broken.push(`${from}: ${link} is ${status}`);
      if (part !== undefined && part !== "" && !ids.has(part)) broken.push(`${from}: ${link} has no such part`);
    }
  }
  expect(broken).toEqual([]);
});

test("the examples of the reference are what the schemas say", async () => {
  const document = (await board.get<OpenApi>("/openapi.json")).body;
  const schemas = document.components.schemas as Readonly<Record<string, ApiSchema>>;
  const { body } = await page("/docs/api");
  const shown = unescaped(body);
  let looked = 0;
  for (const { operationId, requestBody, responses } of operationsOf(document)) {
    expect(shown, operationId).toContain(`id="${operationId}"`);
    const bodies = [requestBody, ...goodOf(responses)];
    for (const content of bodies.map((one) => one?.content?.["application/json"]?.schema)) {
      if (content === undefined) continue;
      const example = sampleOf(content, schemas);
      // A list of fixed length is shown by its first item.
      const faults = faultsBy(document, content as never, example).filter((fault) => !fault.includes("must NOT have fewer than"));
      expect(faults, operationId).toEqual([]);
      if (JSON.stringify(example) !== "{}") expect(shown, operationId).toContain(JSON.stringify(example, null, 2));
      looked += 1;
    }
  }
  expect(looked).toBeGreaterThan(45);
});

const goodOf = (responses: OpenApi["paths"][string][string]["responses"]) =>
  Object.entries(responses).flatMap(([status, answer]) => (status.startsWith("2") ? [answer] : []));

test("the manual is a page whose errors and sections have anchors, and the errors of the reference lead there", async () => {
  const { body } = await page("/docs/manual");
  expect(body).toMatch(/<h2 id="posting">Posting<\/h2>/);
  expect(body).toMatch(/<h3 id="err-already_claimed">already_claimed \(409\)<\/h3>/);
  expect(body).not.toMatch(/\{#|&lt;a id=|style="/);
  expect((await page("/docs/api")).body).toContain('href="/docs/manual#err-already_claimed"');
});

test("endpoints of the manual lead to the reference, which says of every parameter what it takes", async () => {
  const manual = (await page("/docs/manual")).body;
  // The manual explains a rule once, in brackets.
  const reference = unescaped((await page("/docs/api")).body).replaceAll(/ \([^)]*\)/g, "");
  const whole = (await board.get<string>("/llms-full.txt")).body;
  const endpoints = [...whole.matchAll(/^<a id="(\w+)"><\/a>\n### (?:GET|POST) /gm)].map(([, name = ""]) => name);
  expect(endpoints.length).toBeGreaterThan(40);
  expect(endpoints.filter((name) => !manual.includes(`<h3 id="${name}"><a href="/docs/api#${name}">`))).toEqual([]);
  const rules = [...whole.matchAll(/^- `\w+`: .* (Takes [^.;]*)/gm)].map(([, rule = ""]) => rule.replace(/ \([^)]*\)/, ""));
  expect(rules.length).toBeGreaterThan(40);
  expect(rules.filter((rule) => !reference.includes(rule))).toEqual([]);
});

test("the lines of the guide work as they stand, in a shell and in Python", async () => {
  const place = mkdtempSync(join(tmpdir(), "guide-"));
  const run = async (script: string): Promise<string> =>
    (await promisify(execFile)("sh", ["-ec", script], { cwd: place, env: { ...process.env, HOME: place } })).stdout;
  try {
    for (const name of ["curl", "Python"]) {
      const asked = await board.put(board.agent(), { kind: "question", title: "Which one?", needs: ["http"] });
      const answer = await board.put(board.agent(), { kind: "answer", body: "This.", refs: [{ rel: "answers", id: asked.id }] });
      const ids: Readonly<Record<string, string>> = { work: asked.id, verify: answer.id };
      const lines = guideSteps(board.url).map(({ id, ways }) =>
        (ways.find((way) => way.name === name)?.code ?? "").replaceAll(SHORT_ID, ids[id]?.slice(0, 8) ?? ""),
      );
      const whole = lines.join("\n").replaceAll("curl -", "curl -sf -").replaceAll("curl '", "curl -sf '");
      const script = `curl -sfO ${board.url}/client.py\n${whole}`.split("\n").filter((line) => !/\/api\/stream| watch /.test(line));
      await run(script.join("\n"));
      const { derived } = (await board.get<{ derived: { status: string } }>(`/api/messages/${asked.id}`)).body;
      expect(derived.status, name).toBe("verified");
    }
  } finally {
    rmSync(place, { recursive: true });
  }
});

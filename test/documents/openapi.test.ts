// openapi.json against the running board: the same routes, and the parameters and statuses that were promised.
import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Validator } from "@seriousme/openapi-schema-validator";
import type { FastifyInstance } from "fastify";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { TestBoard } from "../support/board.ts";
import { faultsBy, type OpenApi, operationsOf, type Schema } from "../support/openapi.ts";

let board: TestBoard;
let document: OpenApi;
const routes: string[] = [];

/** Fastify announces each server it makes, before the first route. */
const listen = (message: unknown): void => {
  const { fastify } = message as { fastify: FastifyInstance };
  fastify.addHook("onRoute", ({ url, method }) => {
    for (const one of [method].flat()) routes.push(`${one} ${url.replaceAll(/:(\w+)/g, "{$1}")}`);
  });
};

beforeAll(async () => {
  subscribe("fastify.initialization", listen);
  board = await TestBoard.start({ flags: ["--base-url", "http://localhost:8787", "--mail-domain", "board.example"] });
  unsubscribe("fastify.initialization", listen);
  document = (await board.get<OpenApi>("/openapi.json")).body;
});
afterAll(() => board[Symbol.asyncDispose]());
const operations = () => operationsOf(document);
const faults = (schema: Schema, body: unknown): string[] => faultsBy(document, schema, body);

describe("the document", () => {
  test("is valid OpenAPI 3.1", async () => {
    const { valid, errors } = await new Validator().validate(structuredClone(document) as unknown as Record<string, unknown>);
    expect(errors).toBeUndefined();
    expect(valid).toBe(true);
  });
  test("is the one in the repository; if not, run `npm run docs`", () => {
    const committed = JSON.parse(readFileSync(join(import.meta.dirname, "../../openapi.json"), "utf8")) as unknown;
    expect(document).toEqual(committed);
  });
  test("has every route of the running board, and no other", () => {
    const pages =
      /^GET \/(readyz\/writing|metrics|assets\/\{name\}|work|tags|stats|log|agents|a\/\{agent_id\}|docs|docs\/(?:api|manual|try\/\w+)|about|new|feed\.atom|favicon\.ico|apple-touch-icon\.png|manifest\.webmanifest|report|transparency)$/;
    const own = new Set(routes.filter((route) => !/^(HEAD|OPTIONS) |^POST \/(report|preview)$/.test(route) && !pages.test(route)));
    expect(own.size).toBeGreaterThan(20);
    // Tiles have slashes in their names.
    const written = (path: string): string => path.replace(/(?<=^\/tlog\/tile\/.*)\{\w+\}$/, "*");
    expect(new Set(operations().map(({ method, path }) => `${method} ${written(path)}`))).toEqual(own);
  });
  test("refers only to schemas it has", () => {
    const names = [...JSON.stringify(document).matchAll(/"#\/components\/schemas\/(\w+)"/g)].map(([, name]) => name ?? "");
    expect(names.filter((name) => !(name in document.components.schemas))).toEqual([]);
    expect(JSON.stringify(document)).not.toContain("$defs");
    for (const [name, schema] of Object.entries(document.components.schemas)) expect(Object.keys(schema), name).toContain("properties");
  });
  test("has only patterns that mean the same in every language, and a description if there is no pattern", () => {
    const patterns = [...JSON.stringify(document).matchAll(/"pattern":("(?:[^"\\]|\\.)*")/g)].map(
      ([, text]) => JSON.parse(text ?? "") as string,
    );
    expect(patterns.length).toBeGreaterThan(10);
    // Languages differ in Unicode classes, named groups, lookbehind and inline flags.
    for (const pattern of new Set(patterns)) {
      expect(pattern).not.toMatch(/\\[pPuk]|\(\?[^:]/);
      expect(pattern).toMatch(/^\^.*\$$/);
    }
    const ofPayload = (name: string): Schema => ({ $ref: `#/components/schemas/Payload/properties/${name}` });
    for (const tag of ["pt-BR", "zh-Hant-TW", "EN"]) expect(faults(ofPayload("lang"), tag)).toEqual([]);
    expect(faults(ofPayload("tags"), ["größe", "c++", "日本語"])).toEqual([]);
    expect(faults(ofPayload("tags"), ["x".repeat(49)])).not.toEqual([]);
    expect(document.components.schemas["Payload"]).toMatchObject({
      properties: {
        lang: { description: expect.stringContaining("BCP 47") as string },
        tags: { items: { description: expect.stringContaining("comma") as string } },
      },
    });
  });
  test("has numbers as numbers, with their bounds", () => {
    const find = (path: string, name: string) =>
      (document.paths[path]?.["get"]?.parameters.find((one) => one.name === name) as { schema?: Schema } | undefined)?.schema;
    expect(find("/api/messages", "limit")).toEqual({ type: "integer", minimum: 1, maximum: 200 });
    expect(find("/api/messages", "wait")).toEqual({ type: "integer", minimum: 0, maximum: 30 });
    expect(find("/api/messages", "min_pow")).toEqual({ type: "integer", minimum: 0, maximum: 256 });
    expect(find("/api/changes", "after")).toMatchObject({ type: "integer", minimum: 0 });
  });
  test("names every event of the stream and what it contains", () => {
    const words = document.paths["/api/stream"]?.["get"]?.responses["200"]?.description ?? "";
    for (const name of ["hello", "message", "status", "gone", "live", "gap", "error"]) expect(words).toContain(`\`${name}\``);
    for (const field of ["resumed_from", "filters", "reason", "from", "to"]) expect(words).toContain(field);
  });
  test("declares for every operation a summary, a description of every parameter, and a shape of every successful answer", () => {
    const ids = operations().map((one) => one.operationId);
    expect(new Set(ids).size).toBe(ids.length);
    for (const { operationId, summary, parameters, responses, method, path } of operations()) {
      expect(summary.length, operationId).toBeGreaterThan(10);
      expect(parameters.filter((one) => one.in === "path").map((one) => `{${one.name}}`)).toEqual(path.match(/\{\w+\}/g) ?? []);
      const wordless = parameters.filter((one) => (one.description ?? "").length < 8).map((one) => one.name);
      expect(wordless, `${method} ${path}`).toEqual([]);
      // A 202 has no body.
      const good = Object.entries(responses).filter(([status]) => /^2(?!02)|^302$/.test(status));
      expect(good.length, operationId).toBeGreaterThan(0);
      for (const [, { content = {} }] of good)
        for (const [type, { schema }] of Object.entries({ none: { schema: {} }, ...content }))
          if (type !== "none") expect(Object.keys(schema).length, `${operationId} ${type}`).toBeGreaterThan(0);
      expect(
        good.every(([, { content }]) => content !== undefined),
        operationId,
      ).toBe(true);
    }
  });
});

/** The promised interface; renaming or removing a parameter breaks existing agents. */
const FILTERS =
  "kind tag tag_any tag_not needs offers status root ref rel author author_not to replies_to inbox q q_mode near since until expiring_within min_pow " +
  "min_author_age min_verifies max_refutes max_risk max_copies verified_by claimed_by roots has_data has_attachment lang assisted";
const PROMISED: Readonly<Record<string, string>> = {
  "GET /api/messages": `${FILTERS} include_superseded include_removed sort fields include limit cursor after_seq wait format`,
  "GET /api/stream": FILTERS,
  "POST /api/messages": "dry_run",
  "GET /api/messages/{id}": "id include format",
  "GET /api/messages/{id}/thread": "id include format",
  "GET /api/messages/{id}/graph": "id depth rel",
  "GET /api/similar": "text limit format",
  "GET /api/work": "needs offers tags as sort fields limit cursor format",
  "GET /api/expiring": "within",
  "GET /api/agents": "active_within offers needs",
  "GET /api/agents/{agent_id}": "agent_id",
  "GET /api/inbox/{agent_id}": "agent_id since format unread after_seq changed_after wait kind reason",
  "GET /api/aliases": "q agent limit",
  "GET /api/aliases/{alias}": "alias",
  "GET /api/tags": "prefix field",
  "GET /api/changes": "after limit include",
  "GET /api/blobs/{sha256}": "sha256",
};

describe("every parameter that was promised is there", () => {
  test.each(Object.entries(PROMISED))("%s", (route, promised) => {
    const found = operations().find(({ method, path }) => `${method} ${path}` === route);
    const names = found?.parameters.filter((one) => one.in !== "header").map((one) => one.name) ?? [];
    expect(promised.split(" ").filter((name) => !names.includes(name))).toEqual([]);
    if (route === "GET /api/stream") expect(names.toSorted()).toEqual(promised.split(" ").toSorted());
  });
  const STATUSES: Readonly<Record<string, readonly number[]>> = {
    "POST /api/messages": [201, 200, 400, 401, 409, 413, 415, 429, 451, 503],
    "GET /api/messages": [200, 400],
    "GET /api/messages/{id}": [200, 404, 410],
    "POST /api/aliases": [201, 400, 403, 409],
    "POST /api/acks": [201, 200, 400, 401, 409, 429, 451],
    "GET /api/aliases/{alias}": [200, 404],
    "GET /api/blobs/{sha256}": [200, 404],
    "POST /api/reports": [201, 400, 429],
  };
  test.each(Object.entries(STATUSES))("and every status of %s", (route, promised) => {
    const found = operations().find(({ method, path }) => `${method} ${path}` === route);
    expect(Object.keys(found?.responses ?? {}).map(Number)).toEqual(expect.arrayContaining([...promised]));
  });
});

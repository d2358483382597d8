import { expect, test } from "vitest";
import { ERRORS } from "../src/core/errors.ts";
import { TestBoard } from "./support/board.ts";

test("the manual explains every error where its docs link points, and every endpoint there is", async () => {
  await using board = await TestBoard.start();
  const { status, body: manual, headers } = await board.get<string>("/llms-full.txt");
  expect([status, headers.get("content-type")]).toEqual([200, "text/plain; charset=utf-8"]);
  for (const code of Object.keys(ERRORS)) expect(manual).toContain(`<a id="err-${code}"></a>`);
  const refusal = await board.get<{ error: { docs: string } }>("/api/messages?limit=0");
  const [page, anchor] = refusal.body.error.docs.split("#");
  expect(page).toMatch(/\/llms-full\.txt$/);
  expect(manual).toContain(`<a id="${anchor}"></a>`);
  const { body: api } = await board.get<{ paths: Record<string, Record<string, { parameters: { name: string }[] }>> }>("/openapi.json");
  for (const [path, methods] of Object.entries(api.paths)) {
    if (path === "/openapi.json" || path === "/llms-full.txt") continue;
    for (const [method, { parameters }] of Object.entries(methods)) {
      const at = manual.indexOf(`### ${method.toUpperCase()} ${path}\n`);
      expect(at, `${method} ${path}`).toBeGreaterThan(0);
      const section = manual.slice(at, manual.indexOf("\n### ", at + 5));
      for (const { name } of parameters) expect(section, `${path} ${name}`).toContain(`\`${name}\`: `);
    }
  }
});

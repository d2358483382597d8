// docs/caches.md names every memory there is: whoever looks for what an answer may be remembered by finds all of it on one page.
import { globSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";

/** Bounded maps, and those that go with their key. */
const MEMORY = /new BoundedCache\b|\bboundedTextCache[<(]|\bcardMemory[<(]|new WeakMap\b/;
/** The maps themselves, accounts of who asked how often, and what is noted of a request or connection while it is open. */
const NO_CACHE = new Set([
  "core/bounded-cache.ts",
  "board/limits/rate.ts",
  "board/limits/retry-spread.ts",
  "transports/http/access-log.ts",
  "transports/http/request-turns.ts",
  "transports/http/unsent.ts",
  "transports/mcp/protocol-versions.ts",
  "transports/smtp/server.ts",
]);

test("every file that remembers something stands on the page, and every file on the page is there", () => {
  const page = readFileSync("docs/caches.md", "utf8");
  const named = [...page.matchAll(/`((?:adapters|board|core|operations|pages|transports)\/[\w./-]+\.ts)`/g)].map(([, path = ""]) => path);
  // Clients remember for themselves.
  const files = globSync("src/{adapters,board,core,operations,pages,ports,transports}/**/*.ts").map((path) =>
    path.replaceAll("\\", "/").slice("src/".length),
  );
  const remembering = files.filter((path) => !path.endsWith(".test.ts") && MEMORY.test(readFileSync(`src/${path}`, "utf8")));
  expect(remembering.filter((path) => !named.includes(path) && !NO_CACHE.has(path))).toEqual([]);
  expect(named.filter((path) => !files.includes(path))).toEqual([]);
});

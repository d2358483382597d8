// docs/caches.md names every cache: a reader who asks where an answer may be cached finds everything on one page.
import { globSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";

/** Bounded caches, and maps whose entries end with their keys. */
const MEMORY = /new BoundedCache\b|\bboundedTextCache[<(]|\bmessageCache[<(]|new WeakMap\b/;
/** The cache classes themselves, rate-limit accounts, and data about a request or connection while it is open. */
const NO_CACHE = new Set([
  "core/bounded-cache.ts",
  "board/limits/rate.ts",
  "board/limits/retry-spread.ts",
  "transports/http/access-log.ts",
  "transports/http/request-backpressure.ts",
  "transports/http/request-turns.ts",
  "transports/http/unsent-answers.ts",
  "transports/mcp/multi-version-handler.ts",
  "transports/smtp/server.ts",
]);

test("every file with a cache is on the page, and every file on the page exists", () => {
  const page = readFileSync("docs/caches.md", "utf8");
  const named = [...page.matchAll(/`((?:adapters|board|core|operations|pages|transports)\/[\w./-]+\.ts)`/g)].map(([, path = ""]) => path);
  // Caches of the clients are not on the page.
  const files = globSync("src/{adapters,board,core,operations,pages,ports,transports}/**/*.ts").map((path) =>
    path.replaceAll("\\", "/").slice("src/".length),
  );
  const remembering = files.filter((path) => !path.endsWith(".test.ts") && MEMORY.test(readFileSync(`src/${path}`, "utf8")));
  expect(remembering.filter((path) => !named.includes(path) && !NO_CACHE.has(path))).toEqual([]);
  expect(named.filter((path) => !files.includes(path))).toEqual([]);
});

test("the core keeps nothing between two calls: no file of it has a variable of its own", () => {
  const files = globSync("src/core/**/*.ts").filter((path) => !path.endsWith(".test.ts"));
  expect(files.length).toBeGreaterThan(100);
  expect(files.filter((path) => /^(?:export )?(?:let|var) /m.test(readFileSync(path, "utf8")))).toEqual([]);
});

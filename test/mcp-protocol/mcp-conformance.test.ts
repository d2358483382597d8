// The official conformance runner against the board's own route: a client that follows the protocol finds nothing missing in either
// version.
import { execFile } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { loadAssets } from "../../src/adapters/assets/load-assets.ts";
import { RateLimiter } from "../../src/board/limits/rate.ts";
import { httpServer } from "../../src/transports/http/server.ts";
import { protocolOver } from "../../src/transports/mcp/multi-version-handler.ts";
import { TestBoard } from "../support/board.ts";
import { ManualClock } from "../support/manual-clock.ts";
import { fixtureServer } from "../support/mcp-fixture.ts";
import { emptyDirectory } from "../support/process.ts";

const RUNNER = join(createRequire(import.meta.url).resolve("@modelcontextprotocol/conformance/package.json"), "../dist/index.js");

/** Scenarios about features that this endpoint does not offer; docs/mcp.md gives the reasons. */
const NOT_OFFERED: Readonly<Record<string, readonly string[]>> = {
  "2025-11-25": [
    "tools-call-with-logging",
    "tools-call-with-progress",
    "tools-call-sampling",
    "tools-call-elicitation",
    "elicitation-sep1034-defaults",
    "elicitation-sep1330-enums",
    "server-sse-multiple-streams",
    "resources-subscribe",
    "resources-unsubscribe",
  ],
  "2026-07-28": [],
};

const clock = new ManualClock();
const failures: unknown[] = [];
const app = httpServer({
  ready: async () => {},
  notWritable: () => undefined,
  operations: [],
  mcp: () => protocolOver(fixtureServer, { failed: (_what, error) => void failures.push(error) }),
  rates: new RateLimiter(clock, false),
  clock,
  report: { appended() {}, refused() {}, failed: (_what, error) => void failures.push(error) },
  baseUrl: "http://localhost",
  privateName: true,
  profile: "public",
  cors: "any",
  trustedProxies: [],
  tls: undefined,
  metrics: undefined,
  versions: { of: async () => "", moment: undefined },
  observe() {},
  assets: loadAssets,
  refusalPage: async ({ message }) => message,
  onRemoved() {},
});
let address: string;
beforeAll(async () => void (address = await app.listen({ port: 0, host: "127.0.0.1" })));
afterAll(() => app.close());

interface Ran {
  readonly code: number;
  readonly output: string;
}

/** A run succeeds if everything required passes and every exception still fails. */
function runAll(revision: string, excepted: readonly string[]): Promise<Ran> {
  const cwd = emptyDirectory();
  writeFileSync(join(cwd, "excepted.yml"), `server: ${JSON.stringify(excepted)}\n`);
  return run(address, cwd, "--requirements", revision, "--expected-failures", "excepted.yml");
}

function run(url: string, cwd: string, ...flags: readonly string[]): Promise<Ran> {
  return new Promise((resolve) => {
    execFile(process.execPath, [RUNNER, "server", "--url", `${url}/mcp`, ...flags], { cwd }, (error, stdout, stderr) =>
      resolve({ code: error === null ? 0 : Number(error.code ?? 1), output: stdout + stderr }),
    );
  });
}

describe.each(Object.entries(NOT_OFFERED))("revision %s", (revision, excepted) => {
  test("every required scenario passes, except for features that are not offered", async () => {
    const { code, output } = await runAll(revision, excepted);
    const summary = output.slice(output.indexOf("=== SUMMARY ==="));
    expect(code, summary).toBe(0);
    const passed = [...summary.matchAll(/^✓ ([\w-]+): ([1-9]\d*) passed, 0 failed/gm)].map(([, name]) => name);
    expect(passed.length, summary).toBeGreaterThanOrEqual(revision === "2026-07-28" ? 40 : 20);
    expect(failures).toEqual([]);
  });
  test("and the manual says why they are not", () => {
    const manual = readFileSync(join(import.meta.dirname, "../../docs/mcp.md"), "utf8");
    expect(excepted.filter((name) => !manual.includes(`\`${name}\``))).toEqual([]);
  });
});

describe("the board's own tools, resources and prompts", () => {
  let board: TestBoard;
  beforeAll(async () => void (board = await TestBoard.start()));
  afterAll(() => board[Symbol.asyncDispose]());
  const OWN = ["tools-list", "resources-list", "prompts-list", "sep-2164-resource-not-found", "dns-rebinding-protection", "caching"];
  test.each([...OWN, "http-header-validation"])("pass %s", async (scenario) => {
    const { code, output } = await run(board.url, emptyDirectory(), "--scenario", scenario, "--spec-version", "2026-07-28");
    expect(code, output).toBe(0);
    expect(output).toMatch(/Passed: [1-9]\d*\/\d+, 0 failed, 0 warnings/);
  });
});

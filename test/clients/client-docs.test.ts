// Runs the examples of docs/client.md and docs/cli.md as they are, and checks that they do what the pages say.
import { execFile } from "node:child_process";
import { chmodSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { TestBoard } from "../support/board.ts";
import { programPath } from "../support/built.ts";
import { BoardProcess, COMPILED, emptyDirectory } from "../support/process.ts";

const ROOT = resolve(import.meta.dirname, "../..");
const run = promisify(execFile);

const blocks = (page: string, language: string): string[] =>
  [...readFileSync(join(ROOT, "docs", page), "utf8").matchAll(new RegExp(`\`\`\`${language}\\n([^]+?)\`\`\``, "g"))].map(
    ([, code = ""]) => code,
  );

/** The files of the package's exports. */
const SOURCES: Readonly<Record<string, string>> = {
  "agent-blackboard/client": "src/client/client.ts",
  "agent-blackboard/client/node": "src/client/node/mine-threads.ts",
};

test("every example of the TypeScript client runs and prints the output shown beside it", async () => {
  await using board = await TestBoard.start();
  const code = blocks("client.md", "ts").join("\n");
  const source = code
    .replaceAll(
      /from "(agent-blackboard\/[^"]+)"/g,
      (_, name: string) => `from ${JSON.stringify(pathToFileURL(join(ROOT, SOURCES[name] ?? name)))}`,
    )
    .replaceAll("http://localhost:8787", board.url);
  const file = join(emptyDirectory(), "example.ts");
  writeFileSync(file, source);
  const { stdout } = await run(process.execPath, [file]);
  const said = [...code.matchAll(/console\.log\(.+\/\/ (.+)$/gm)].flatMap(([, words = ""]) => words.split(", "));
  expect(said.length).toBeGreaterThan(15);
  expect(stdout.trim().split("\n")).toEqual(said);
});

test("every command of the command line's page does what the page is about, with exit code 0", async () => {
  // With a running clock: on a slow machine, the page takes longer than a client's clock may differ.
  await using board = await BoardProcess.serve(emptyDirectory(), ["--pow-bits", "4", "--rate-limits", "off"]);
  const home = emptyDirectory();
  const shim = join(home, "blackboard");
  writeFileSync(shim, `#!/bin/sh\nexec "${process.execPath}" "${programPath()}" "$@"\n`);
  chmodSync(shim, 0o755);
  const script = `set -eu\n${blocks("cli.md", "sh").join("\n")}`;
  const env = {
    PATH: `${home}:${dirname(process.execPath)}:${process.env["PATH"]}`,
    HOME: home,
    BLACKBOARD_URL: board.url,
    NODE_COMPILE_CACHE: COMPILED,
  };
  const { stdout, stderr } = await run("sh", ["-c", script], { cwd: home, env });
  expect(stderr).toBe("");
  expect(stdout).toContain("| Eight.");
  expect(stdout).toMatch(/question {2}resolved {2}[0-9a-f]{64}/);
  expect(stdout).toContain("mirror-desk@localhost is yours until");
  expect(stdout).toContain("The log holds from the first entry");
});

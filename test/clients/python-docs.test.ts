// The guide to client.py: every block of code in it, run in order as a newcomer would.
import { execFile } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { BoardProcess, emptyDirectory } from "../support/process.ts";
import { PYTHON } from "../support/python.ts";

const GUIDE = readFileSync(join(import.meta.dirname, "../../docs/python.md"), "utf8");

test("a reader who follows docs/python.md from top to bottom sees every block work, with a fresh home and only the board's address", async () => {
  // With a running clock: on a slow machine, the guide takes longer than a client's clock may differ.
  await using board = await BoardProcess.serve(emptyDirectory(), ["--pow-bits", "4", "--rate-limits", "off"]);
  const home = mkdtempSync(join(tmpdir(), "newcomer-"));
  const blocks = [...GUIDE.matchAll(/^```(\w*)\n([\s\S]*?)^```$/gm)].map(([, language = "", code = ""], index) => {
    const here = code.replaceAll("http://localhost:8787", board.url).replaceAll(/\bpython3\b/g, `"${PYTHON}"`);
    if (language === "sh") return here;
    expect(language).toBe("python");
    writeFileSync(join(home, `block${index}.py`), here);
    return `"${PYTHON}" block${index}.py\n`;
  });
  expect(blocks.length).toBeGreaterThan(5);
  try {
    const env = { PATH: process.env["PATH"], HOME: home, BLACKBOARD_URL: board.url, LANG: "C.UTF-8" };
    const { stdout, stderr } = await promisify(execFile)("sh", ["-euc", blocks.join("\n")], { cwd: home, env });
    expect(stderr).toBe("");
    for (const words of ["  | Eight.", "status      resolved", "good        the log", "already_claimed"])
      expect(stdout, words).toContain(words);
    // The last lines are the module's own report of the log.
    expect(stdout.trim().split("\n").at(-1)).toMatch(/^\d+ [0-9a-f]{64}$/);
  } finally {
    rmSync(home, { recursive: true });
  }
});

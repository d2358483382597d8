// Runs once per run: finds a browser for the tests of pages. If there is none, these tests are skipped and say how to get one.
import { execFile } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";

/** A command on the path, or the place where macOS installs programs. */
const SYSTEM = [
  // Without windows, it needs half of the processor time.
  "chromium-headless-shell",
  "chromium",
  "chromium-browser",
  "google-chrome-stable",
  "google-chrome",
  "/Applications/Chromium.app/Contents/MacOS/Chromium",
  "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
];

const run = promisify(execFile);
let unpacked: string | undefined;

export async function setup(): Promise<void> {
  process.env["BOARD_TEST_BROWSER"] = (await chosen()) ?? (await ofTheSystem()) ?? (await ofThePackage().catch(() => undefined)) ?? "";
}

export function teardown(): void {
  if (unpacked !== undefined) rmSync(unpacked, { recursive: true, force: true });
}

async function chosen(): Promise<string | undefined> {
  const path = process.env["BOARD_BROWSER"] ?? "";
  if (path === "") return undefined;
  if (!(await starts(path))) throw new Error(`BOARD_BROWSER is ${JSON.stringify(path)}, which does not start.`);
  return pathOf(path);
}

async function ofTheSystem(): Promise<string | undefined> {
  for (const command of SYSTEM) if (await starts(command)) return pathOf(command);
  return undefined;
}

/** The package is for one kind of machine. It unpacks into the temporary directory, under a name that all runs would share. */
async function ofThePackage(): Promise<string | undefined> {
  if (process.platform !== "linux" || process.arch !== "x64") return undefined;
  const { default: chromium } = await import("@sparticuz/chromium");
  unpacked = mkdtempSync(join(tmpdir(), "browser-"));
  const usual = process.env["TMPDIR"];
  process.env["TMPDIR"] = unpacked;
  try {
    const path = await chromium.executablePath();
    return (await starts(path)) ? path : undefined;
  } finally {
    if (usual === undefined) delete process.env["TMPDIR"];
    else process.env["TMPDIR"] = usual;
  }
}

const starts = (command: string): Promise<boolean> =>
  run(command, ["--version"]).then(
    () => true,
    () => false,
  );

async function pathOf(command: string): Promise<string> {
  return command.startsWith("/") ? command : (await run("sh", ["-c", 'command -v "$0"', command])).stdout.trim();
}

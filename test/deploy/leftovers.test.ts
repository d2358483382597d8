import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { expect, test } from "vitest";
import { eventually } from "../support/eventually.ts";
import { noteGroup } from "../support/leftovers.ts";
import { postgresServer } from "../support/postgres/server.ts";
import { emptyDirectory } from "../support/process.ts";

const GUARD = join(import.meta.dirname, "../support/guard.ts");

/** An interrupted program: a board in a directory that nobody waits for. */
const BEGUN = `
  const { undoOnSignals } = await import("../support/leftovers.ts");
  const { BoardProcess, emptyDirectory } = await import("../support/process.ts");
  undoOnSignals(() => console.log("the last word"));
  const data = emptyDirectory();
  const board = BoardProcess.spawn({ args: ["serve", "--port", "0", "--smtp-port", "0", "--data", data] });
  await board.ready();
  console.log(JSON.stringify({ data, pid: board.pid }));
`;

test("an interrupted proof leaves neither a process nor a directory", async () => {
  const child = spawn(process.execPath, ["--input-type=module", "-e", BEGUN], {
    cwd: import.meta.dirname,
    stdio: ["ignore", "pipe", "inherit"],
  });
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]();
  const { data, pid } = JSON.parse(String((await lines.next()).value)) as { data: string; pid: number };
  expect(existsSync(data)).toBe(true);
  child.kill("SIGTERM");
  const [code] = (await once(child, "close")) as [number];
  expect(code).toBe(143);
  expect((await lines.next()).value).toBe("the last word");
  expect(existsSync(data)).toBe(false);
  await ended("the board", pid);
});

const ended = (what: string, pid: number): Promise<true> =>
  eventually(`the end of ${what}`, () => {
    try {
      process.kill(pid, 0);
      return undefined;
    } catch {
      return true;
    }
  });

/** A process that prints the id of its child, and then both stay. */
const FAMILY = `
  const child = require("node:child_process").spawn(process.execPath, ["-e", "setInterval(() => {}, 1000)"]);
  console.log(child.pid);
  setInterval(() => {}, 1000);
`;

const STAYS = "setInterval(() => {}, 1000)";

/** Cleans up after a run in this directory that is killed. */
async function killRun(directory: string): Promise<void> {
  // Like a run: however it ends, the guard's input is closed.
  const runner = spawn(process.execPath, ["-e", STAYS], { stdio: ["ignore", "pipe", "inherit"] });
  const guard = spawn(process.execPath, [GUARD, directory], { stdio: [runner.stdout, "ignore", "inherit"] });
  await new Promise((heard) => setImmediate(heard));
  expect(existsSync(directory)).toBe(true);
  runner.kill("SIGKILL");
  const [code] = (await once(guard, "exit")) as [number];
  expect(code).toBe(0);
  expect(existsSync(directory)).toBe(false);
}

test("a killed run of the tests leaves neither its processes nor its directory", async () => {
  const family = spawn(process.execPath, ["-e", FAMILY], { detached: true, stdio: ["ignore", "pipe", "inherit"] });
  const [child] = (await once(family.stdout, "data")) as [Buffer];
  const directory = emptyDirectory();
  noteGroup(family.pid ?? 0, directory);
  await killRun(directory);
  await ended("the parent", family.pid ?? 0);
  await ended("the child", Number(child));
});

const ON_LINUX = process.platform === "linux" ? "" : " (skipped: it takes Linux)";

test.skipIf(ON_LINUX !== "")(`nor processes in groups that nobody noted${ON_LINUX}`, async () => {
  const directory = emptyDirectory();
  const marks = [{ cwd: directory }, { env: { ...process.env, BOARD_TEST_RUN: directory } }];
  const strays = marks.map((mark) => spawn(process.execPath, ["-e", STAYS], { ...mark, detached: true, stdio: "ignore" }));
  for (const stray of strays) noteGroup(stray.pid ?? 0);
  const ends = strays.map((stray) => once(stray, "exit"));
  await killRun(directory);
  expect(await Promise.all(ends)).toEqual([
    [null, "SIGKILL"],
    [null, "SIGKILL"],
  ]);
});

test.skipIf(ON_LINUX !== "")(`nor a database server's memory in the system${ON_LINUX}`, async () => {
  const directory = emptyDirectory();
  // PostgreSQL may enter it, as it may the directory of a run.
  chmodSync(directory, 0o711);
  const server = await postgresServer({ parent: directory });
  const segment = Number(readFileSync(join(server.dir, "postmaster.pid"), "utf8").split("\n")[6]?.trim().split(/ +/)[1]);
  const [file = ""] = /\/dev\/shm\/PostgreSQL\.\d+/.exec(readFileSync(`/proc/${server.pid}/maps`, "utf8")) ?? [];
  const segments = () =>
    readFileSync("/proc/sysvipc/shm", "utf8")
      .split("\n")
      .map((line) => Number(line.trim().split(/ +/)[1]));
  expect([existsSync(file), segments().includes(segment)]).toEqual([true, true]);
  await killRun(directory);
  expect([existsSync(file), segments().includes(segment)]).toEqual([false, false]);
  await server.remove();
});

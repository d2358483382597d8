// A board that cannot listen, or has no database: the operator reads the reason and what to do, not the name of an error, and nothing is
// left behind.
import { once } from "node:events";
import { existsSync } from "node:fs";
import { createServer, type Server } from "node:net";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { readConfig, SETTINGS } from "../../src/config.ts";
import { start } from "../../src/start.ts";
import { BoardProcess, emptyDirectory } from "../support/process.ts";

let taken: Server;
let port: number;
beforeAll(async () => {
  taken = createServer().listen(0, "127.0.0.1");
  await once(taken, "listening");
  ({ port } = taken.address() as { port: number });
});
afterAll(() => void taken.close());

const HOSTS = ["--host", "127.0.0.1", "--smtp-host", "127.0.0.1", "--log-level", "silent"];
const ended = (...args: string[]) => endedOn(HOSTS, ...args);
const endedOn = async (hosts: readonly string[], ...args: string[]) => {
  await using board = BoardProcess.spawn({ args: ["serve", ...hosts, ...args] });
  return await board.ended;
};
const words = (flag: string) => `Port ${port} on 127.0.0.1 is in use. Choose another with ${flag}, or stop the program that uses it.\n`;

test("a taken port is named with the flag that changes it, the process ends with 1, and there is no directory or key that nobody asked for", async () => {
  const home = emptyDirectory();
  const places = ["--data", join(home, "data"), "--key-file", join(home, "keys", "board.key")];
  const { code, stderr, stdout } = await ended("--port", String(port), "--smtp-port", "0", ...places);
  expect({ code, stdout, stderr }).toEqual({ code: 1, stdout: "", stderr: words("--port") });
  expect([existsSync(join(home, "data")), existsSync(join(home, "keys"))]).toEqual([false, false]);
});

test("a taken port for mail that was asked for is named like the other, and leaves nothing either", async () => {
  const data = join(emptyDirectory(), "data");
  const { code, stderr } = await ended("--port", "0", "--smtp-port", String(port), "--data", data);
  expect({ code, stderr, left: existsSync(data) }).toEqual({ code: 1, stderr: words("--smtp-port"), left: false });
});

test("if only the usual port for mail is taken, the board runs without mail and says so in one line", async () => {
  const usual = readConfig(["--port", "0", "--mail-domain", "board.example", "--data", emptyDirectory()], {});
  expect(usual).toMatchObject({ smtpPort: Number(SETTINGS.smtpPort.otherwise), smtpRequired: false });
  const log: string[] = [];
  // As if the usual port were another one, because that one belongs to the whole machine.
  const board = await start({ ...usual, smtpPort: port }, { logTo: { write: (line: string) => void log.push(line) } });
  await board.close();
  const lines = log.filter((line) => line.includes('"level":"warn"'));
  expect(lines).toHaveLength(1);
  expect(lines[0]).toContain(`mail is off: Port ${port} on 127.0.0.1 is in use. Choose another with --smtp-port`);
  expect(log.join("")).not.toMatch(/"stack"|\bat .+:\d+:\d+/);
});

test("a board that was not asked to receive mail listens for none, and says how to", async () => {
  await using board = BoardProcess.spawn({ args: ["serve", "--port", "0", "--data", emptyDirectory()] });
  await board.ready();
  expect(board.stderr).toContain('"mail":"off; to receive it, give --mail-domain"');
  expect(board.stderr).not.toContain("smtp://");
});

test("a board that was already set up says the same", async () => {
  const data = emptyDirectory();
  await using first = await BoardProcess.serve(data);
  await first.kill("SIGTERM");
  const { code, stderr } = await ended("--port", String(port), "--smtp-port", "0", "--data", data);
  expect({ code, stderr }).toEqual({ code: 1, stderr: words("--port") });
});

test.each(["--host", "--smtp-host"])(
  "an address for %s that is not this machine's is named with the flag, also where nobody asked for the port",
  async (flag) => {
    const { code, stderr } = await endedOn(
      ["--log-level", "silent", flag, "192.0.2.1", "--mail-domain", "board.example"],
      "--port",
      "0",
      "--data",
      join(emptyDirectory(), "data"),
    );
    expect({ code, stderr }).toEqual({ code: 1, stderr: `192.0.2.1 is not an address of this machine. Choose another with ${flag}.\n` });
  },
);

test("a database that does not answer is named with the flag, and its password is not", async () => {
  const places = ["--port", "0", "--smtp-port", "0", "--data", join(emptyDirectory(), "data")];
  const { code, stderr } = await ended(...places, "--database-url", "postgres://board:pass-word@127.0.0.1:1/board");
  const words =
    "The database cannot be used: connect ECONNREFUSED 127.0.0.1:1. Check its address (--database-url), and that PostgreSQL runs there.\n";
  expect({ code, stderr }).toEqual({ code: 1, stderr: words });
  const stats = ["operate", "stats", "--database-url", "postgres://board:pass-word@127.0.0.1:1/board"];
  await using operator = BoardProcess.spawn({ args: stats });
  expect(await operator.ended).toMatchObject({ code: 1, stdout: "", stderr: words });
});

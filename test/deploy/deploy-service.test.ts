// The files for systemd: the unit, checked with systemd's own tools, and the sample settings, run as they are.
import { type ChildProcessWithoutNullStreams, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { parseEnv, promisify } from "node:util";
import { expect, test } from "vitest";
import { readConfig, SETTINGS } from "../../src/config.ts";
import { eventually } from "../support/eventually.ts";
import { killAtExit } from "../support/leftovers.ts";
import { BoardProcess, emptyDirectory } from "../support/process.ts";
import { programOnPath } from "../support/on-path.ts";
import { PYTHON } from "../support/python.ts";

/** Replaces systemd's end of the socket, which needs a language with datagrams. */
class Supervisor implements AsyncDisposable {
  heard = "";
  readonly #child: ChildProcessWithoutNullStreams;

  private constructor(child: ChildProcessWithoutNullStreams) {
    this.#child = child;
    child.stdout.setEncoding("utf8").on("data", (text: string) => (this.heard += text));
  }

  static async listen(socket: string): Promise<Supervisor> {
    const child = spawn(PYTHON, ["-c", LISTEN, socket]);
    killAtExit(child);
    const supervisor = new Supervisor(child);
    await eventually("a socket", () => supervisor.heard.includes("listening") || undefined);
    return supervisor;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const closed = once(this.#child, "close");
    this.#child.kill("SIGKILL");
    await closed;
  }
}

const DEPLOY = resolve(import.meta.dirname, "../../deploy");
const unit = join(DEPLOY, "blackboard.service");
const sample = readFileSync(join(DEPLOY, "blackboard.env"), "utf8");
const run = promisify(execFile);

const analyze = programOnPath("systemd-analyze");
const without = analyze === undefined ? " (skipped: systemd-analyze is not on the path)" : "";
/** In tenths; before it was hardened, the unit had 6.7. */
const MOST_EXPOSURE = "20";

test.skipIf(analyze === undefined)(
  `systemd finds no fault in the unit, and little that the service could do to the machine${without}`,
  async () => {
    const verified = await run(analyze ?? "", ["verify", unit]);
    expect(verified.stderr + verified.stdout).toBe("");
    await run(analyze ?? "", ["security", "--offline=yes", "--no-pager", `--threshold=${MOST_EXPOSURE}`, unit]);
  },
);

test("the unit keeps what the board must have: its directory, its settings, all it listens with, and code made at run time", () => {
  const lines = readFileSync(unit, "utf8").split("\n");
  expect(lines).toContain("WorkingDirectory=/etc/blackboard");
  expect(lines).toContain("AssertPathExists=/etc/blackboard/.env");
  expect(parseEnv(sample)["BOARD_DATA_DIR"]).toBe("/var/lib/blackboard");
  expect(lines).toContain("StateDirectory=blackboard");
  // Without netlink a board that listens on 0.0.0.0 ends at its start.
  expect(lines).toContain("RestrictAddressFamilies=AF_INET AF_INET6 AF_UNIX AF_NETLINK");
  expect(lines.filter((line) => line.startsWith("MemoryDenyWriteExecute"))).toEqual([]);
});

test("the unit takes from the board what it never needs", () => {
  const lines = readFileSync(unit, "utf8").split("\n");
  // oxfmt-ignore
  for (const line of [
    "UMask=0077", "CapabilityBoundingSet=", "SystemCallFilter=@system-service", "ProtectKernelModules=yes", "ProtectKernelLogs=yes", "ProtectClock=yes",
    "RestrictNamespaces=yes", "LockPersonality=yes", "NoNewPrivileges=yes",
  ])
    expect(lines).toContain(line);
  expect(lines.filter((line) => line.startsWith("MemoryMax="))).toHaveLength(1);
});

test("the sample settings are those of a public board, and the lines to uncomment are settings too", () => {
  const known = new Set<string>(Object.values(SETTINGS).map(({ variable }) => variable));
  const offered = parseEnv(sample.replaceAll(/^#(?=[A-Z_]+=)/gm, ""));
  expect(Object.keys(offered).filter((name) => !known.has(name))).toEqual([]);
  expect(readConfig([], parseEnv(sample))).toMatchObject({ profile: "public", data: "/var/lib/blackboard", smtpPort: undefined });
});

test("operate has the settings of the service if it is started in the same directory, without naming them again", async () => {
  const home = emptyDirectory();
  const settings = join(home, "etc");
  mkdirSync(settings);
  writeFileSync(join(settings, ".env"), `${sample.replace("/var/lib/blackboard", join(home, "var"))}PORT=0\n`);
  await using board = BoardProcess.spawn({ cwd: settings });
  await board.ready();
  const stats = await BoardProcess.spawn({ cwd: settings, args: ["operate", "stats", "--json"] }).ended;
  expect(stats).toMatchObject({ code: 0, stderr: "" });
});

const notify = programOnPath("systemd-notify");
const LISTEN = `
import socket, sys
server = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
server.bind(sys.argv[1])
print("listening", flush=True)
while True: print(server.recv(4096).decode(), flush=True)
`;
test.skipIf(notify === undefined)(
  `systemd is told when the board answers${notify === undefined ? " (skipped: systemd-notify is not on the path)" : ""}`,
  async () => {
    const home = emptyDirectory();
    const socket = join(home, "notify.sock");
    await using supervisor = await Supervisor.listen(socket);
    const env = { NOTIFY_SOCKET: socket, PATH: process.env["PATH"] ?? "" };
    await using board = BoardProcess.spawn({ args: ["serve", "--port", "0", "--data", join(home, "data")], env });
    await board.ready();
    await eventually("a word to systemd", () => supervisor.heard.includes("READY=1") || undefined);
  },
);

test("settings that this user may not read are reported as such", async () => {
  const cwd = emptyDirectory();
  // A directory instead of the file cannot be read by anybody, not even by root.
  mkdirSync(join(cwd, ".env"));
  const { code, stderr } = await BoardProcess.spawn({ cwd, args: ["operate", "stats"] }).ended;
  expect(code).toBe(1);
  expect(stderr).toBe(
    `The settings in ${join(cwd, ".env")} cannot be read. Run the command as the user that the board runs as, or in another directory.\n`,
  );
});

// The files for systemd: the unit, judged by systemd's own tools, and the sample settings, run as they are.
import { execFile } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { parseEnv, promisify } from "node:util";
import { expect, test } from "vitest";
import { readConfig, SETTINGS } from "../src/config.ts";
import { BoardProcess, emptyDirectory } from "./support/process.ts";
import { programOnPath } from "./support/on-path.ts";

const DEPLOY = resolve(import.meta.dirname, "../deploy");
const unit = join(DEPLOY, "blackboard.service");
const sample = readFileSync(join(DEPLOY, "blackboard.env"), "utf8");
const run = promisify(execFile);

const analyze = programOnPath("systemd-analyze");
const without = analyze === undefined ? " (skipped: systemd-analyze is not on the path)" : "";
/** In tenths; the unit as it was before it was hardened stood at 6.7. */
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

test("the sample settings are those of a public board, and the lines to uncomment are settings too", () => {
  const known = new Set<string>(Object.values(SETTINGS).map(({ variable }) => variable));
  const offered = parseEnv(sample.replaceAll(/^#(?=[A-Z_]+=)/gm, ""));
  expect(Object.keys(offered).filter((name) => !known.has(name))).toEqual([]);
  expect(readConfig([], parseEnv(sample))).toMatchObject({ profile: "public", data: "/var/lib/blackboard", smtpPort: undefined });
});

test("operate has the settings of the service where it is started in the same directory, without naming them again", async () => {
  const home = emptyDirectory();
  const settings = join(home, "etc");
  mkdirSync(settings);
  writeFileSync(join(settings, ".env"), `${sample.replace("/var/lib/blackboard", join(home, "var"))}PORT=0\n`);
  await using board = BoardProcess.spawn({ cwd: settings });
  await board.ready();
  const stats = await BoardProcess.spawn({ cwd: settings, args: ["operate", "stats", "--json"] }).ended;
  expect(stats).toMatchObject({ code: 0, stderr: "" });
});

test("settings that this user may not read are told as such", async () => {
  const cwd = emptyDirectory();
  // A directory in their place cannot be read by anybody, root neither.
  mkdirSync(join(cwd, ".env"));
  const { code, stderr } = await BoardProcess.spawn({ cwd, args: ["operate", "stats"] }).ended;
  expect(code).toBe(1);
  expect(stderr).toBe(
    `The settings in ${join(cwd, ".env")} cannot be read. Run the command as the user that the board runs as, or in another directory.\n`,
  );
});

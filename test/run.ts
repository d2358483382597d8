// Runs the tests so that nothing outlives them: one directory for all their files, and a guard that deletes it however the run ends.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { constants } from "node:os";
import { join, resolve } from "node:path";
import { buildProgram } from "./support/built.ts";
import { noteGroup } from "./support/leftovers.ts";
import { runDirectory } from "./support/run-directory.ts";

const ROOT = resolve(import.meta.dirname, "..");
const VITEST = join(ROOT, "node_modules/vitest/vitest.mjs");
const GUARD = join(import.meta.dirname, "support/guard.ts");
/** Shared between runs, to start faster; deleting it costs only time. */
const COMPILED = join(ROOT, "node_modules/.cache/blackboard-tests");
const PROGRAMS = join(COMPILED, "programs");
const SIGNALS = ["SIGHUP", "SIGINT", "SIGTERM"] as const;

const given = process.argv.slice(2);
const random = given.includes("--random");
const seed = process.env["SEED"] ?? (random ? String(Math.floor(Math.random() * 2 ** 31)) : "1");
const flags = given.filter((one) => one !== "--random");

const directory = runDirectory();

// From here on, however this process ends, the directory goes.
const guard = spawn(process.execPath, [GUARD, directory], { detached: true, stdio: ["pipe", "ignore", "inherit"] });
let child: ChildProcess | undefined;
for (const signal of SIGNALS)
  process.on(signal, () => (child === undefined ? process.exit(128 + constants.signals[signal]) : child.kill(signal)));

const built = await buildProgram(PROGRAMS);
process.stdout.write(`Tests with SEED=${seed}${random ? ", drawn for this run" : ""}.\n`);
child = spawn(process.execPath, [VITEST, "run", ...(random ? ["--sequence.shuffle.files", `--sequence.seed=${seed}`] : []), ...flags], {
  cwd: ROOT,
  stdio: "inherit",
  // A process group of their own, which the guard can end as a whole.
  detached: true,
  env: {
    ...process.env,
    SEED: seed,
    ...(random ? { BOARD_TEST_FULL: "1" } : {}),
    TMPDIR: directory,
    NODE_COMPILE_CACHE: COMPILED,
    BOARD_TEST_BUILT: built,
    BOARD_TEST_RUN: directory,
  },
});
if (child.pid !== undefined) noteGroup(child.pid, directory);

const [code, signal] = (await once(child, "exit")) as [number | null, NodeJS.Signals | null];
guard.stdin.end();
await once(guard, "exit");
if (code !== 0) process.stdout.write(`The same again: SEED=${seed} npm run test:${random ? "random" : "unit"}\n`);
process.exitCode = code ?? 128 + constants.signals[signal ?? "SIGKILL"];

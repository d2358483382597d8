// A board that runs in a terminal.
import { constants } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { programPath } from "../support/built.ts";
import { emptyDirectory } from "../support/process.ts";
import { runPython } from "../support/python.ts";

/** Runs a command in its own terminal, closes the terminal when the board is ready, and prints how the command ended. */
const WINDOW = `
import os, pty, sys
pid, terminal = pty.fork()
if pid == 0:
    os.execv(sys.argv[1], sys.argv[1:])
seen = b""
while b"blackboard ready" not in seen:
    seen += os.read(terminal, 1024)
os.close(terminal)
_, status = os.waitpid(pid, 0)
print("exit", os.waitstatus_to_exitcode(status))
`;

test("ends when the window is closed", async () => {
  const data = join(emptyDirectory(), "data");
  const { stdout, stderr } = await runPython(["-c", WINDOW, process.execPath, programPath(), "serve", "--port", "0", "--data", data]);
  expect([stdout, stderr]).toEqual([`exit ${-constants.signals.SIGHUP}\n`, ""]);
});

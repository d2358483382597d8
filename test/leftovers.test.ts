import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { createInterface } from "node:readline";
import { expect, test } from "vitest";
import { eventually } from "./support/eventually.ts";

/** Something that is broken off: a board in a directory, and nobody who waits for it. */
const BEGUN = `
  const { undoOnSignals } = await import("./support/leftovers.ts");
  const { BoardProcess, emptyDirectory } = await import("./support/process.ts");
  undoOnSignals(() => console.log("the last word"));
  const data = emptyDirectory();
  const board = BoardProcess.spawn({ args: ["serve", "--port", "0", "--smtp-port", "0", "--data", data] });
  await board.ready();
  console.log(JSON.stringify({ data, pid: board.pid }));
`;

test("whoever breaks off a proof finds neither a process nor a directory of it afterwards", async () => {
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
  await eventually("the end of the board", () => {
    try {
      process.kill(pid, 0);
      return undefined;
    } catch {
      return true;
    }
  });
});

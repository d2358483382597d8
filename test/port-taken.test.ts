// A board whose port is taken: the operator reads which port and what to do, not the name of an error.
import { once } from "node:events";
import { createServer } from "node:net";
import { expect, test } from "vitest";
import { BoardProcess, emptyDirectory } from "./support/process.ts";

test("a taken port is named with the flag that changes it, and the process ends with 1", async () => {
  const taken = createServer().listen(0, "127.0.0.1");
  await once(taken, "listening");
  const { port } = taken.address() as { port: number };
  await using board = BoardProcess.spawn({
    args: ["serve", "--port", String(port), "--host", "127.0.0.1", "--smtp-port", "0", "--data", emptyDirectory(), "--log-level", "silent"],
  });
  const { code, stderr, stdout } = await board.ended;
  taken.close();
  expect({ code, stdout, stderr }).toEqual({
    code: 1,
    stdout: "",
    stderr: `Port ${port} on 127.0.0.1 is taken. Choose another with --port, or stop what listens there.\n`,
  });
});

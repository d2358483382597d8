// Many callers that connect at once: nobody is refused while the board is busy.
import { once } from "node:events";
import { connect } from "node:net";
import { expect, test } from "vitest";
import { TEST_BITS } from "../support/agent.ts";
import { BoardProcess, emptyDirectory } from "../support/process.ts";

const CROWD = 1000;

test("a thousand callers that connect while the board is blocked are all accepted and answered", async () => {
  await using board = await BoardProcess.serve(emptyDirectory(), ["--pow-bits", String(TEST_BITS), "--rate-limits", "off"]);
  void board.kill("SIGSTOP");
  const port = Number(new URL(board.url).port);
  const sockets = Array.from({ length: CROWD }, () => connect(port, "127.0.0.1"));
  // The system queues as many as the board has asked for. Further callers would have to try again until the board continues.
  await Promise.all(sockets.map((socket) => once(socket, "connect")));
  for (const socket of sockets) socket.write("GET /healthz HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n");
  void board.kill("SIGCONT");
  const answers = await Promise.all(sockets.map(async (socket) => String((await once(socket, "data"))[0]).slice(0, 15)));
  expect(new Set(answers)).toEqual(new Set(["HTTP/1.1 200 OK"]));
});

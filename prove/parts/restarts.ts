// Restarts under load: accepted requests are answered, and acknowledged posts exist afterwards.
import { connect } from "node:net";
import { plural } from "../../src/core/text/plural.ts";
import type { Envelope } from "../../src/core/protocol/envelope.ts";
import { lostBy, wholeLog } from "../../test/support/acknowledged.ts";
import { Agent } from "../../test/support/agent.ts";
import { BoardProcess, emptyDirectory } from "../../test/support/process.ts";
import { type Part, STORES } from "../part.ts";
import { FLAGS } from "../support/board-cli-flags.ts";
import { Witness } from "../support/signed-head-watcher.ts";

const RESTARTS = 20;
const CONNECTIONS = 16;

export const restarts: Part = {
  name: "restarts",
  promise: "restart under load: no accepted request unanswered",
  stores: STORES,
  async run(times) {
    const data = emptyDirectory();
    const rounds = times(RESTARTS);
    const acknowledged: Envelope[] = [];
    using witness = new Witness();
    let url = "";
    const watching = witness.watch(() => url);
    let [answered, unanswered, unclean] = [0, 0, 0];
    for (let round = 0; round < rounds; round++) {
      await using board = await BoardProcess.serve(data, FLAGS);
      ({ url } = board);
      const port = Number(new URL(url).port);
      let stoppedAt = Number.POSITIVE_INFINITY;
      const lanes = Array.from({ length: CONNECTIONS }, async () => {
        const agent = new Agent();
        for (let i = 0; ; i++) {
          const envelope = agent.envelope({ kind: "note", body: `${round} ${i}` });
          const { status, sent } = await postOnce(port, envelope);
          if (status === 201) acknowledged.push(envelope);
          if (status !== undefined) answered++;
          // Requests after the stop signal may get no answer; requests before it must be answered.
          else if (sent > stoppedAt) return;
          else unanswered++;
        }
      });
      await new Promise((resolve) => setTimeout(resolve, 300 + Math.random() * 700));
      stoppedAt = performance.now();
      const { code } = await board.kill("SIGTERM");
      if (code !== 0) unclean++;
      await Promise.all(lanes);
    }
    await using board = await BoardProcess.serve(data, FLAGS);
    ({ url } = board);
    await witness.ask(url);
    const log = await wholeLog(url);
    const lost = await lostBy(url, acknowledged, log);
    const verdict = witness.judge(log);
    await watching;
    return {
      held: unanswered === 0 && unclean === 0 && lost.length === 0 && answered > 0 && verdict.held,
      figure: `${plural(rounds, "restart")}, ${plural(answered, "request")} answered, ${unanswered} not, ${lost.length} lost, ${plural(unclean, "exit")} other than 0; ${verdict.figure}`,
    };
  },
};

/** One request on one connection: its status, if it was answered, and when all of it had been sent. */
function postOnce(port: number, envelope: Envelope): Promise<{ status: number | undefined; sent: number }> {
  return new Promise((resolve) => {
    let [sent, text] = [Number.POSITIVE_INFINITY, ""];
    const body = JSON.stringify(envelope);
    const head = `POST /api/messages HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\ncontent-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n`;
    const socket = connect(port, "127.0.0.1", () => socket.write(head + body, () => (sent = performance.now())));
    socket.on("data", (chunk: Buffer) => (text += chunk.toString("latin1")));
    socket.on("error", () => {});
    socket.on("close", () => {
      const status = /^HTTP\/1\.1 (\d{3})/.exec(text)?.[1];
      resolve({ status: status === undefined ? undefined : Number(status), sent });
    });
  });
}

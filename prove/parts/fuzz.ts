// Hostile input: a hundred thousand requests with something wrong in them, over HTTP, MCP and SMTP. Nothing may break, nobody may wait.
import { connect } from "node:net";
import { Agent } from "../../test/support/agent.ts";
import { BoardProcess, emptyDirectory } from "../../test/support/process.ts";
import { Random, SEED } from "../../test/support/random.ts";
import { freePort } from "../../test/support/smtp.ts";
import type { Part } from "../part.ts";
import { FLAGS } from "../support/flags.ts";
import { gauge } from "../support/gauges.ts";
import { type Described, StrangeRequests } from "../support/strange-requests.ts";
import { strangeMail } from "../support/strange-mail.ts";

const REQUESTS = 95_000;
const MAILS = 5_000;
const AT_ONCE = 16;
const LONGEST_HELD_S = 0.1;

export const fuzz: Part = {
  name: "fuzz",
  promise: "hostile input over HTTP, MCP and SMTP: no 5xx, no exit, event loop never held over 100 ms",
  stores: ["sqlite"],
  async run(times) {
    const smtpPort = await freePort();
    await using board = await BoardProcess.serve(emptyDirectory(), [
      ...FLAGS,
      "--smtp-port",
      String(smtpPort),
      "--mail-domain",
      "board.example",
    ]);
    const random = new Random(SEED);
    const described = (await (await fetch(`${board.url}/openapi.json`)).json()) as Described;
    const agent = new Agent();
    const envelopes = Array.from({ length: 20 }, (_, i) =>
      JSON.stringify(agent.envelope({ kind: i % 2 === 0 ? "note" : "question", title: `strange ${i}`, tags: ["a"], data: { deep: [i] } })),
    );
    const strange = new StrangeRequests(random, described, envelopes);
    const port = Number(new URL(board.url).port);
    const outcomes = new Map<string, number>();
    const note = (outcome: string): void => void outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
    let left = times(REQUESTS);
    const worst: string[] = [];
    const lane = async (): Promise<void> => {
      while (left-- > 0) {
        const { kind, bytes } = strange.next();
        const status = await answerTo(port, bytes);
        note(status);
        if (status.startsWith("5") && worst.length < 5) worst.push(`${kind}: ${bytes.toString("latin1").slice(0, 300)}`);
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, lane));
    const held = await gauge(board.url, "nodejs_eventloop_lag_max_seconds");
    for (let i = times(MAILS); i > 0; i--) note(`smtp ${await strangeMail(smtpPort, random)}`);
    const alive = (await fetch(`${board.url}/healthz`)).status === 200;
    const failures = [...outcomes].filter(([outcome]) => outcome.startsWith("5")).reduce((sum, [, count]) => sum + count, 0);
    if (worst.length > 0) console.log(worst.join("\n---\n"));
    const told = [...outcomes].sort(([a], [b]) => a.localeCompare(b)).map(([outcome, count]) => `${outcome}: ${count}`);
    return {
      held: alive && failures === 0 && held < LONGEST_HELD_S,
      figure: `SEED=${SEED}; ${told.join(", ")}; ${failures} 5xx, alive: ${alive}, longest hold of the loop ${Math.round(held * 1000)} ms`,
    };
  },
};

/** The status of the answer; a word where there is none. */
function answerTo(port: number, bytes: Buffer): Promise<string> {
  return new Promise((resolve) => {
    let text = "";
    const socket = connect(port, "127.0.0.1", () => socket.end(bytes));
    socket.setTimeout(20_000, () => socket.destroy());
    socket.on("data", (chunk: Buffer) => (text += text.length < 20 ? chunk.toString("latin1", 0, 20) : ""));
    socket.on("error", () => {});
    socket.on("close", () => resolve(/^HTTP\/1\.1 (\d{3})/.exec(text)?.[1] ?? "closed"));
  });
}

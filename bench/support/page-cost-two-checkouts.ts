// Compares the cost of a page with that of another checkout of this board. Both get the same messages at the same time and are measured in
// turn.
import { join } from "node:path";
import { demoMessages } from "../../src/cli/demo/messages.ts";
import { demoScript } from "../../src/cli/demo/script.ts";
import { messageId } from "../../src/core/protocol/message-and-agent-ids.ts";
import { mine } from "../../src/core/protocol/proof-of-work.ts";
import { Agent, type Fields } from "../../test/support/agent.ts";
import { BoardProcess } from "./board-process.ts";
import type { Figure } from "./figure.ts";
import { BENCH_BITS, words } from "./posts.ts";
import { Scratch } from "./scratch.ts";
import { untilIdle } from "./until-idle.ts";

/** Messages of the measured thread. */
const MESSAGES = 100;
const AUTHORS = 12;
const ROUNDS = 80;
const WARM_UP = 15;

const middle = (values: readonly number[]): number => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;

export async function pagesBeside(other: string): Promise<readonly Figure[]> {
  using here = new Scratch();
  using there = new Scratch();
  await using ours = await BoardProcess.start(here.path);
  await using theirs = await BoardProcess.start(there.path, { bin: join(other, "src/bin.ts") });
  const boards = [ours, theirs];
  const post = (body: string): Promise<unknown> => Promise.all(boards.map(({ port }) => send(port, body)));
  for (const { envelope } of await demoMessages(demoScript(), Math.floor(Date.now() / 1000)))
    await post(JSON.stringify({ ...envelope, nonce: mine(messageId(envelope.payload), BENCH_BITS) }));
  const thread = await postThread(post);
  for (const { pid } of boards) await untilIdle(pid);
  const figures: Figure[] = [];
  for (const [name, path] of [
    ["front", "/"],
    [`thread of ${MESSAGES} messages`, `/m/${thread}`],
  ] as const) {
    const times: readonly [number[], number[]] = [[], []];
    const bystander = new Agent();
    for (let round = -WARM_UP; round < ROUNDS; round++) {
      // Moves the log on, so that each page has to be rendered again.
      await post(JSON.stringify(bystander.envelope({ kind: "note", title: `Note ${round}`, body: words().body })));
      for (const n of round % 2 === 0 ? ([0, 1] as const) : ([1, 0] as const)) {
        const ms = await timeOf(boards[n]!.port, path);
        if (round >= 0) times[n].push(ms);
      }
    }
    const [now, before] = [middle(times[0]), middle(times[1])];
    console.log(
      `${name}, uncached: ${now.toFixed(2)} ms here, ${before.toFixed(2)} ms there, ${(now / before).toFixed(2)} times as long; best ${Math.min(...times[0]).toFixed(2)} and ${Math.min(...times[1]).toFixed(2)} ms`,
    );
    figures.push({ name: `${name}, uncached, beside the other checkout`, value: now / before, unit: "times", better: "less" });
  }
  return figures;
}

async function send(port: number, body: string): Promise<void> {
  const answer = await fetch(`http://127.0.0.1:${port}/api/messages`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body,
  });
  if (answer.status !== 201) throw new Error(`expected 201, got ${answer.status}: ${await answer.text()}`);
}

async function timeOf(port: number, path: string): Promise<number> {
  const started = performance.now();
  const answer = await fetch(`http://127.0.0.1:${port}${path}`, { headers: { accept: "text/html", "accept-encoding": "identity" } });
  const text = await answer.text();
  const ms = performance.now() - started;
  if (answer.status !== 200 || !text.includes("</html>")) throw new Error(`${path}: ${answer.status}`);
  return ms;
}

/** Posts a task with answers, checks of them, and replies in Markdown. */
async function postThread(post: (body: string) => Promise<unknown>): Promise<string> {
  const agents = Array.from({ length: AUTHORS }, () => new Agent());
  const ids: string[] = [];
  let answer = "";
  for (let n = 0; n < MESSAGES; n++) {
    const { title, body } = words();
    const text = `${body}\n\n- one\n- **two**\n\n\`\`\`\nconst x = ${n};\n\`\`\``;
    const [root = ""] = ids;
    const about = ids[Math.floor(Math.random() * ids.length)] ?? root;
    const fields: Fields =
      n === 0
        ? { kind: "task", title, body: text }
        : n % 20 === 1
          ? { kind: "result", title, body: text, refs: [{ rel: "answers", id: root }] }
          : n % 20 < 6
            ? { kind: "verification", body: text, refs: [{ rel: n % 20 === 5 ? "refutes" : "verifies", id: answer }] }
            : { kind: "note", body: text, refs: [{ rel: "reply", id: about }] };
    const envelope = agents[n % AUTHORS]!.envelope(fields);
    const id = messageId(envelope.payload);
    await post(JSON.stringify(envelope));
    if (fields.kind === "result") answer = id;
    ids.push(id);
  }
  return ids[0] ?? "";
}

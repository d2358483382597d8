// Measures a brief of a full inbox: one request at a time, as JSON and as Markdown, small and large.
import { Agent } from "../test/support/agent.ts";
import { postgresServer } from "../test/support/postgres/server.ts";
import type { Figure } from "./support/figure.ts";
import { MeasuredBoard, storesIn } from "./support/board-on-chosen-store.ts";
import { Scratch } from "./support/scratch.ts";
import { untilIdle } from "./support/until-idle.ts";

const INBOX = 10_000;
const SENDERS = 50;
const ASKED = 60;

const middle = (values: readonly number[], share = 0.5): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length * share)] ?? Number.NaN;

export async function briefBench({ store = "sqlite,postgres" }: { store?: string | undefined } = {}): Promise<readonly Figure[]> {
  const stores = storesIn(store);
  using dir = new Scratch();
  const server = stores.some(({ nodes }) => nodes > 0) ? await postgresServer({ durable: true, parent: dir.parent }) : undefined;
  const figures: Figure[] = [];
  try {
    for (const choice of stores) {
      await using board = await MeasuredBoard.start(choice, dir.path, server);
      const url = `http://127.0.0.1:${board.ports[0] ?? 0}`;
      const me = new Agent();
      await fill(url, me);
      // Waits until the search index contains everything that was posted.
      for (const { pid } of board.nodes) await untilIdle(pid);
      for (const [budget, format] of [
        [8000, "json"],
        [8000, "md"],
        [100_000, "json"],
      ] as const) {
        const before = cpuOf(board);
        const times = await timesOf(`${url}/api/brief?agent=${me.id}&budget=${budget}&format=${format}`, budget);
        const cpu = (cpuOf(board) - before) / ASKED;
        const name = `${choice.name}, ${INBOX} unread, ${budget} characters, ${format}`;
        console.log(`${name}: p50 ${middle(times).toFixed(1)} ms, p95 ${middle(times, 0.95).toFixed(1)} ms, CPU ${cpu.toFixed(1)} ms`);
        figures.push(
          { name, value: middle(times), unit: "ms", better: "less" },
          { name: `${name}: CPU`, value: cpu, unit: "ms", better: "less" },
        );
      }
    }
  } finally {
    await server?.remove();
  }
  return figures;
}

/** CPU time of the threads that answer, and of the database server. */
const cpuOf = (board: MeasuredBoard): number => [...board.cpuMs().values()].reduce((sum, ms) => sum + ms, 0);

/** Posts messages to the agent, and some work for it alone, from a few other agents. */
async function fill(url: string, me: Agent): Promise<void> {
  const send = async (sender: Agent, n: number): Promise<void> => {
    const fields = { kind: n % 50 === 0 ? "task" : "note", title: `letter ${n}`, body: `${n} `.repeat(60), to: me.id };
    const init = { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(sender.envelope(fields)) };
    const { status } = await fetch(`${url}/api/messages`, init);
    if (status !== 201) throw new Error(`expected 201, got ${status}`);
  };
  await Promise.all(
    Array.from({ length: SENDERS }, async (_, sender) => {
      const agent = new Agent();
      for (let n = sender; n < INBOX; n += SENDERS) await send(agent, n);
    }),
  );
}

async function timesOf(address: string, budget: number): Promise<readonly number[]> {
  const times: number[] = [];
  for (let asked = 0; asked < ASKED; asked++) {
    const began = performance.now();
    const answer = await fetch(address);
    const text = await answer.text();
    times.push(performance.now() - began);
    if (answer.status !== 200 || Array.from(text).length > budget) throw new Error(`not a good answer: ${answer.status}`);
  }
  return times;
}

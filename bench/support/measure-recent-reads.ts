// Measures how fast boards on several stores answer the same questions about recent posts, beside a bare server that sends the same bytes.
import { type Figure, whole } from "./figure.ts";
import type { GeneratorProcess } from "./spawn-load-generator.ts";
import { machineTime, othersShare } from "./cpu-time.ts";
import type { MeasuredBoard } from "./board-on-chosen-store.ts";
import { SameBytesProcess } from "./spawn-fixed-response-server.ts";

const CONNECTIONS = 16;
const SECONDS = 2;
const PAGES = 20;

interface Page {
  readonly messages: readonly { readonly id: string }[];
  readonly next_cursor: string | null;
}

export async function readBack(boards: readonly MeasuredBoard[], generator: GeneratorProcess): Promise<readonly Figure[]> {
  using bare = await SameBytesProcess.start();
  const figures: Figure[] = [];
  for (const [what, pathsOf] of Object.entries(QUESTIONS)) {
    for (const board of boards) {
      const [port = 0] = board.ports;
      const paths = await pathsOf(port);
      const barePort = await bare.copy(`http://127.0.0.1:${port}${paths[0]}`);
      const ceiling = { name: "a bare server", value: (await generator.get([barePort], ["/"], CONNECTIONS, SECONDS / 2)).perSecond };
      await generator.get(board.ports, paths, CONNECTIONS, SECONDS / 2);
      const pids = [...board.pids, generator.pid];
      const before = machineTime(pids);
      const { perSecond, p50, p99, answers, statuses } = await generator.get(board.ports, paths, CONNECTIONS, SECONDS);
      const others = othersShare(before, machineTime(pids));
      if (statuses["200"] !== answers) throw new Error(`${what}: not every answer was good: ${JSON.stringify(statuses)}`);
      const name = `${board.name}, ${what}`;
      console.log(
        `${name}: ${whole(perSecond)}/s, p50 ${p50.toFixed(1)} ms, p99 ${p99.toFixed(1)} ms; others took ${((others ?? 0) * 100).toFixed(0)} %`,
      );
      figures.push({ name, value: perSecond, unit: "/s", better: "more", ceiling });
      figures.push({ name: `${name}: p99`, value: p99, unit: "ms", better: "less" });
    }
  }
  return figures;
}

const QUESTIONS: Readonly<Record<string, (port: number) => Promise<readonly string[]> | readonly string[]>> = {
  "by id": async (port) => (await someIds(port)).map((id) => `/api/messages/${id}`),
  "newest 50 without bodies": () => ["/api/messages?include="],
  // The board caches pages until its log moves. Each of these URLs is different, so its page is read and rendered each time.
  "newest 50 without bodies, uncached": () => Array.from({ length: 2000 }, (_, n) => `/api/messages?include=&after_seq=${n}`),
};

/** Ids of some of the newest thousand messages. */
export async function someIds(port: number): Promise<readonly string[]> {
  const ids: string[] = [];
  let cursor: string | null = "";
  for (let page = 0; page < PAGES && cursor !== null; page++) {
    const answer = await fetch(`http://127.0.0.1:${port}/api/messages?include=&limit=50${cursor === "" ? "" : `&cursor=${cursor}`}`);
    const { messages, next_cursor } = (await answer.json()) as Page;
    ids.push(...messages.map(({ id }) => id));
    cursor = next_cursor;
  }
  return ids;
}

// A flood from one address: every request is refused at once, and an IPv6 network of 64 bits counts as one address.
import { randomBytes } from "node:crypto";
import { BoardProcess, emptyDirectory } from "../../test/support/process.ts";
import { count, type Part, STORES } from "../part.ts";
import { quantile } from "../support/memory-and-quantiles.ts";

const QUESTIONS = 20_000;
/** With fewer requests, too many of them meet a board that has just started and is still compiling. */
const LEAST = 5000;
const REFUSED_WITHIN_MS = 1;
/** On a shared machine, some requests wait for a core. */
const IN_TIME = 0.95;
const NETWORK = "2001:db8:0:7";
const FLAGS = ["--profile", "public", "--rate-limits", "on", "--trusted-proxies", "127.0.0.1", "--log-level", "warn"];

/** The requests of the flood; the last ones would be the most expensive to answer. */
const ASKED: readonly (readonly [path: string, init: RequestInit])[] = [
  ["/api/messages", {}],
  ["/", { headers: { accept: "text/html" } }],
  ["/api/messages?q=word", {}],
  ["/api/similar", { method: "POST", headers: { "content-type": "application/json" }, body: '{"text":"words"}' }],
  [
    "/api/messages",
    { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify({ payload: "x".repeat(10_000) }) },
  ],
  ["/mcp", { method: "POST", headers: { "content-type": "application/json" }, body: '{"jsonrpc":"2.0","id":1,"method":"ping"}' }],
];

export const floods: Part = {
  name: "floods",
  promise: "floods: 429 in under a millisecond, IPv6 /64 as one",
  stores: STORES,
  async run(times) {
    await using board = await BoardProcess.serve(emptyDirectory(), FLAGS);
    const statuses = new Map<number, number>();
    const taken: number[] = [];
    const ask = async (path: string, init: RequestInit, from: string): Promise<number> => {
      const response = await fetch(board.url + path, {
        ...init,
        headers: { ...(init.headers as Record<string, string>), "x-forwarded-for": from },
      });
      await response.arrayBuffer();
      return response.status;
    };
    for (let i = Math.max(LEAST, times(QUESTIONS)); i > 0; i--) {
      const [path, init] = ASKED[i % ASKED.length] ?? ["/", {}];
      const at = performance.now();
      const status = await ask(path, init, `${NETWORK}:${anyHost()}`);
      if (status === 429) taken.push(performance.now() - at);
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
    }
    const neighbour = await ask("/api/messages", {}, `2001:db8:0:8:${anyHost()}`);
    const [median, p99] = [quantile(taken, 0.5), quantile(taken, 0.99)];
    const inTime = await sharesWithin(board.url);
    return {
      held: taken.length > 0 && neighbour === 200 && median < REFUSED_WITHIN_MS && inTime > IN_TIME,
      figure: `${[...statuses].map(([status, n]) => `${count(n)} x ${status}`).join(", ")} from one /64; 429 after ${median.toFixed(2)} ms, p99 ${p99.toFixed(2)} ms, there and back; ${(inTime * 100).toFixed(2)} % within ${REFUSED_WITHIN_MS} ms by the board's own clock (${IN_TIME * 100} % asked); the next /64: ${neighbour}`,
    };
  },
};

const anyHost = (): string => (randomBytes(8).toString("hex").match(/.{4}/g) ?? []).join(":");

/** The share of answers with 429 that took the board less than a millisecond. */
async function sharesWithin(url: string): Promise<number> {
  const text = await (await fetch(`${url}/metrics`, { headers: { "x-forwarded-for": "192.0.2.1" } })).text();
  const sum = (name: RegExp): number =>
    text
      .split("\n")
      .filter((line) => name.test(line) && line.includes('status="429"'))
      .reduce((all, line) => all + Number(line.split(" ").at(-1)), 0);
  return sum(/^blackboard_request_seconds_bucket\{le="0\.001"/) / sum(/^blackboard_request_seconds_count/);
}

// A flood from one address: refused at once, whatever it asks, and an IPv6 network of 64 bits is one address.
import { BoardProcess, emptyDirectory } from "../../test/support/process.ts";
import type { Part } from "../part.ts";
import { quantile } from "../support/gauges.ts";

const QUESTIONS = 20_000;
const REFUSED_WITHIN_MS = 1;

export const floods: Part = {
  name: "floods",
  promise: "floods: 429 in under a millisecond, IPv6 /64 as one",
  stores: ["sqlite"],
  async run(times) {
    await using board = await BoardProcess.serve(emptyDirectory(), [
      "--rate-limits",
      "on",
      "--trusted-proxies",
      "127.0.0.1",
      "--log-level",
      "warn",
    ]);
    const statuses = new Map<number, number>();
    const taken: number[] = [];
    for (let i = times(QUESTIONS); i > 0; i--) {
      const at = performance.now();
      const response = await fetch(`${board.url}/api/messages`, { headers: { "x-forwarded-for": `2001:db8:0:7::${i.toString(16)}` } });
      await response.arrayBuffer();
      if (response.status === 429) taken.push(performance.now() - at);
      statuses.set(response.status, (statuses.get(response.status) ?? 0) + 1);
    }
    const other = await fetch(`${board.url}/api/messages`, { headers: { "x-forwarded-for": "2001:db8:0:8::1" } });
    const median = quantile(taken, 0.5);
    return {
      held: taken.length > 0 && other.status === 200 && median < REFUSED_WITHIN_MS,
      figure: `${[...statuses].map(([status, count]) => `${count.toLocaleString("en")} x ${status}`).join(", ")} from one /64, 429 after ${median.toFixed(2)} ms (median, there and back); the next /64: ${other.status}`,
    };
  },
};

// Slow senders and readers that take nothing: others must not feel them, and they are cut off in time.
import { connect, type Socket } from "node:net";
import { Agent } from "../../test/support/agent.ts";
import { BoardProcess, emptyDirectory } from "../../test/support/process.ts";
import type { Part } from "../part.ts";
import { FLAGS } from "../support/flags.ts";
import { quantile, residentMiB } from "../support/gauges.ts";

const SENDERS = 1000;
const READERS = 200;
const QUESTIONS = 2000;
const CUT_OFF_S = 15 + 4;
const MORE_MIB = 64;
const SLOWER = 1.2;
/** Two measures of the same thing on an idle machine differ by this much. */
const NOISE_MS = 2;

export const slow: Part = {
  name: "slow",
  promise: "1,000 slow senders and 200 stalled readers: others' p99 within 20 %, at most 64 MiB more, slow senders cut off in 15 s",
  stores: ["sqlite"],
  async run(times) {
    await using board = await BoardProcess.serve(emptyDirectory(), FLAGS);
    const agent = new Agent();
    for (let i = 0; i < 50; i++) await post(board.url, agent, `before ${i}`);
    await ask(board.url, QUESTIONS);
    const quiet = quantile(await ask(board.url, QUESTIONS), 0.99);
    const memory = residentMiB(board.pid);

    const port = Number(new URL(board.url).port);
    const readers = Array.from({ length: times(READERS) }, () => stalledReader(port));
    const senders = Array.from({ length: times(SENDERS) }, () => slowSender(port));
    await Promise.all([...readers, ...senders].map((one) => one.there));
    const begun = performance.now();
    for (let i = 0; i < 100; i++) await post(board.url, agent, `${i} ${"x".repeat(10_000)}`);
    const meanwhile = quantile(await ask(board.url, QUESTIONS), 0.99);
    const more = residentMiB(board.pid) - memory;
    await Promise.all(senders.map((one) => one.cut));
    const seconds = (performance.now() - begun) / 1000;
    for (const { socket } of readers) socket.destroy();
    return {
      held: meanwhile < Math.max(quiet * SLOWER, quiet + NOISE_MS) && more < MORE_MIB && seconds < CUT_OFF_S,
      figure: `p99 of others ${quiet.toFixed(1)} ms before, ${meanwhile.toFixed(1)} ms meanwhile; ${more.toFixed(0)} MiB more; the last slow sender cut off after ${seconds.toFixed(0)} s`,
    };
  },
};

async function post(url: string, agent: Agent, body: string): Promise<void> {
  const response = await fetch(`${url}/api/messages`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(agent.envelope({ kind: "note", body })),
  });
  await response.arrayBuffer();
  if (response.status !== 201) throw new Error(`expected 201, got ${response.status}`);
}

/** Milliseconds of each of so many questions, one after the other. */
async function ask(url: string, count: number): Promise<number[]> {
  const taken: number[] = [];
  for (let i = 0; i < count; i++) {
    const at = performance.now();
    await (await fetch(`${url}/api/messages?limit=10`)).arrayBuffer();
    taken.push(performance.now() - at);
  }
  return taken;
}

interface Rude {
  readonly socket: Socket;
  readonly there: Promise<void>;
  readonly cut: Promise<void>;
}

function rude(port: number, arrive: (socket: Socket) => void): Rude {
  const there = Promise.withResolvers<void>();
  const cut = Promise.withResolvers<void>();
  const socket = connect(port, "127.0.0.1", () => {
    arrive(socket);
    there.resolve();
  });
  socket.on("error", () => {}).on("close", () => cut.resolve());
  return { socket, there: there.promise, cut: cut.promise };
}

/** A header that never ends, a byte a second. */
function slowSender(port: number): Rude {
  return rude(port, (socket) => {
    socket.write("POST /api/messages HTTP/1.1\r\nhost: board\r\nx: ");
    const drip = setInterval(() => socket.write("y"), 1000);
    socket.on("data", () => {}).on("close", () => clearInterval(drip));
  });
}

function stalledReader(port: number): Rude {
  return rude(port, (socket) => {
    socket.write("GET /api/stream HTTP/1.1\r\nhost: board\r\n\r\n");
    socket.pause();
  });
}

// Wakes a client of the Model Context Protocol through its bridge, `blackboard mcp --channel`; what nobody acknowledges goes to a command.
import { createConnection, createServer, type Server, type Socket } from "node:net";
import { chmodSync, mkdirSync, rmSync } from "node:fs";
import { dirname } from "node:path";
import { createInterface } from "node:readline";
import { pause } from "../client/pause.ts";
import { type Adapter, type Batch, failed } from "./adapter.ts";

/** What goes to a bridge: messages to show, on one line of JSON. */
export interface ChannelMessages {
  readonly type: "messages";
  readonly board: string;
  readonly agent: string;
  readonly messages: readonly (Batch["parcels"][number]["message"] & { readonly reason: string })[];
}

/** What comes back: the client has read these, or all that it was shown. */
export interface ChannelRead {
  readonly type: "read";
  readonly ids: readonly string[];
}

/** The one place where bridges find their courier; only one courier has it. */
export class ChannelServer {
  readonly #server: Server;
  readonly #bridges = new Set<Socket>();
  readonly #heard = new Set<(read: ChannelRead) => void>();

  private constructor(server: Server) {
    this.#server = server;
    server.on("connection", (socket) => this.#join(socket));
  }

  /** Throws where another courier is at this place. */
  static async open(path: string): Promise<ChannelServer> {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    if (await answers(path)) throw new Error(`Another courier is at work on ${dirname(path)}.`);
    // Left behind by one that was killed.
    rmSync(path, { force: true });
    const server = createServer();
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    server.once("error", reject).listen(path, resolve);
    await promise;
    chmodSync(path, 0o600);
    return new ChannelServer(server);
  }

  #join(socket: Socket): void {
    this.#bridges.add(socket);
    socket.on("error", () => {}).once("close", () => this.#bridges.delete(socket));
    createInterface({ input: socket }).on("line", (line) => {
      const read = readOf(line);
      if (read !== undefined) for (const hear of this.#heard) hear(read);
    });
  }

  get bridges(): number {
    return this.#bridges.size;
  }

  show(shown: ChannelMessages): void {
    for (const bridge of this.#bridges) bridge.write(`${JSON.stringify(shown)}\n`);
  }

  hear(heard: (read: ChannelRead) => void): () => void {
    this.#heard.add(heard);
    return () => this.#heard.delete(heard);
  }

  async close(): Promise<void> {
    for (const bridge of this.#bridges) bridge.destroy();
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#server.close(() => resolve());
    return promise;
  }
}

/** Whether somebody listens there. */
function answers(path: string): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const socket = createConnection(path);
  socket.once("connect", () => resolve(true)).once("error", () => resolve(false));
  return promise.finally(() => socket.destroy());
}

function readOf(line: string): ChannelRead | undefined {
  try {
    const value = JSON.parse(line) as Partial<ChannelRead>;
    return value.type === "read" && Array.isArray(value.ids) ? (value as ChannelRead) : undefined;
  } catch {
    return undefined;
  }
}

export interface ChannelParts {
  readonly server: ChannelServer;
  readonly ackWithinMs: number;
  /** Up to where the agent says that it has read. */
  readonly seen: (signal: AbortSignal) => Promise<number | undefined>;
  readonly fallback: Adapter | undefined;
}

/** How often the board is asked whether the agent has acknowledged. */
const LOOK_MS = 2000;

/** Shown is not read: it counts only what the client fetched after it was shown, or what the agent acknowledged at the board. */
export const channelAdapter =
  ({ server, ackWithinMs, seen, fallback }: ChannelParts): Adapter =>
  async (batch, signal) => {
    const total = batch.parcels.length;
    if (server.bridges > 0 && (await isAcknowledged(batch))) return { acknowledged: total };
    signal.throwIfAborted();
    if (fallback !== undefined) return fallback(batch, signal);
    const why = server.bridges === 0 ? "no client is connected to the channel" : "no client acknowledged in time";
    return failed(`${why}, and there is no fallback`, false);

    async function isAcknowledged({ board, agent, parcels }: Batch): Promise<boolean> {
      const left = new Set(parcels.map(({ message }) => message.id));
      const last = parcels.at(-1)?.place.cursor ?? 0;
      const done = new AbortController();
      const leave = server.hear(({ ids }) => {
        for (const id of ids) left.delete(id);
        if (left.size === 0) done.abort();
      });
      const over = AbortSignal.any([done.signal, signal, AbortSignal.timeout(ackWithinMs)]);
      server.show({ type: "messages", board, agent, messages: parcels.map(({ message, reason }) => ({ ...message, reason })) });
      try {
        while (!over.aborted) {
          await pause(LOOK_MS, over).catch(() => {});
          // A board that is away says nothing, and the time goes on.
          if (left.size > 0 && ((await seen(over).catch(() => undefined)) ?? 0) >= last) left.clear();
          if (left.size === 0) break;
        }
      } finally {
        leave();
      }
      return left.size === 0;
    }
  };

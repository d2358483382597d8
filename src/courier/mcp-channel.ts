// Wakes an MCP client through its bridge, `blackboard mcp --channel`; messages that nobody acknowledges go to a command.
import { once } from "node:events";
import { createServer, type Server, type Socket } from "node:net";
import { chmodSync, rmSync } from "node:fs";
import { createInterface } from "node:readline";
import { pause } from "../client/pause.ts";
import { jsonIn } from "../core/text/json-in.ts";
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

/** The socket at which bridges find their courier. */
export class ChannelServer {
  readonly #server: Server;
  readonly #bridges = new Set<Socket>();
  readonly #listeners = new Set<(read: ChannelRead) => void>();

  private constructor(server: Server) {
    this.#server = server;
    // An agent that cannot be accepted ends nothing: it connects again.
    server.on("connection", (socket) => this.#join(socket)).on("error", () => {});
  }

  /** The caller has made the directory and holds its lock. */
  static async open(path: string): Promise<ChannelServer> {
    const fault = socketFault(path);
    if (fault !== undefined) throw new Error(fault);
    // A courier that was killed leaves its socket behind; nobody else uses it, because the caller holds the lock.
    rmSync(path, { force: true });
    const server = createServer().listen(path);
    await once(server, "listening");
    chmodSync(path, 0o600);
    return new ChannelServer(server);
  }

  #join(socket: Socket): void {
    this.#bridges.add(socket);
    socket.on("error", () => {}).once("close", () => this.#bridges.delete(socket));
    const lines = createInterface({ input: socket });
    // It reports the errors of its socket again, and without a listener they would end the process.
    lines.on("error", () => {});
    lines.on("line", (line) => {
      const read = readOf(line);
      if (read !== undefined) for (const listener of this.#listeners) listener(read);
    });
  }

  get bridges(): number {
    return this.#bridges.size;
  }

  show(shown: ChannelMessages): void {
    for (const bridge of this.#bridges) bridge.write(`${JSON.stringify(shown)}\n`);
  }

  onRead(listener: (read: ChannelRead) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  async close(): Promise<void> {
    for (const bridge of this.#bridges) bridge.destroy();
    await this.#server[Symbol.asyncDispose]();
  }
}

/** The operating system's limit for the path of a socket. */
const PATH_BYTES = process.platform === "linux" ? 107 : 103;

/** Why there cannot be a socket with this path, if so. */
export function socketFault(path: string): string | undefined {
  const length = Buffer.byteLength(path);
  if (process.platform === "win32" || length <= PATH_BYTES) return undefined;
  return `the path of the socket ${path} has ${length} bytes, and a socket's may have ${PATH_BYTES}: give \`state\` a shorter directory`;
}

function readOf(line: string): ChannelRead | undefined {
  const value = jsonIn(line) as Partial<ChannelRead> | null | undefined;
  return value?.type === "read" && Array.isArray(value.ids) ? (value as ChannelRead) : undefined;
}

export interface ChannelParts {
  readonly server: ChannelServer;
  readonly ackWithinMs: number;
  /** The seq up to which the agent has acknowledged its inbox. */
  readonly seen: (signal: AbortSignal) => Promise<number | undefined>;
  readonly fallback: Adapter | undefined;
}

/** How often the board is asked whether the agent has acknowledged. */
const LOOK_MS = 2000;

/** A message counts as read only if the client fetched it after it was shown, or if the agent acknowledged it at the board. */
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
      const leave = server.onRead(({ ids }) => {
        for (const id of ids) left.delete(id);
        if (left.size === 0) done.abort();
      });
      const over = AbortSignal.any([done.signal, signal, AbortSignal.timeout(ackWithinMs)]);
      server.show({ type: "messages", board, agent, messages: parcels.map(({ message, reason }) => ({ ...message, reason })) });
      try {
        while (!over.aborted) {
          await pause(LOOK_MS, over).catch(() => {});
          // An unreachable board does not stop the timeout.
          if (left.size > 0 && ((await seen(over).catch(() => undefined)) ?? 0) >= last) left.clear();
          if (left.size === 0) break;
        }
      } finally {
        leave();
      }
      return left.size === 0;
    }
  };

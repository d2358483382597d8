// A reader of the stream, frame by frame.
import { connect } from "node:net";
import type { TestBoard } from "./board.ts";

export interface Frame {
  readonly event: string;
  readonly id: string | undefined;
  readonly data: unknown;
}

export interface StreamReader extends AsyncDisposable {
  /** The next frame; it must be of this kind, if one is given. */
  next(event?: string): Promise<Frame>;
  /** The next frame, or undefined if the stream has ended. */
  take(): Promise<Frame | undefined>;
  /** All frames up to and including the first of this kind. */
  upTo(event: string): Promise<Frame[]>;
  readonly status: number;
  readonly headers: Headers;
}

export async function openStream(board: Pick<TestBoard, "url">, path: string, headers: Record<string, string> = {}): Promise<StreamReader> {
  const controller = new AbortController();
  const response = await fetch(board.url + path, { headers, signal: controller.signal });
  if (response.body === null) throw new Error("no body");
  const frames = framesOf(response.body);
  const take = async (): Promise<Frame | undefined> => {
    const { value, done } = await frames.next();
    return done === true ? undefined : value;
  };
  async function next(event?: string): Promise<Frame> {
    const frame = await take();
    if (frame === undefined) throw new Error("the stream has ended");
    if (event !== undefined && frame.event !== event) throw new Error(`expected ${event}, got ${JSON.stringify(frame)}`);
    return frame;
  }
  return {
    // Keeps a reference to the answer: a body that nobody has begun to read is cancelled when its answer is garbage collected.
    get status() {
      return response.status;
    },
    headers: response.headers,
    take,
    next,
    async upTo(event) {
      const taken = [await next()];
      while (taken.at(-1)?.event !== event) taken.push(await next());
      return taken;
    },
    async [Symbol.asyncDispose]() {
      controller.abort();
    },
  };
}

export async function* framesOf(body: AsyncIterable<Uint8Array>): AsyncGenerator<Frame, void> {
  let text = "";
  const decoder = new TextDecoder();
  for await (const chunk of body) {
    text += decoder.decode(chunk, { stream: true });
    for (let end = text.indexOf("\n\n"); end >= 0; end = text.indexOf("\n\n")) {
      const lines = text.slice(0, end).split("\n");
      text = text.slice(end + 2);
      const field = (name: string) => lines.find((line) => line.startsWith(`${name}: `))?.slice(name.length + 2);
      const event = field("event");
      if (event !== undefined) yield { event, id: field("id"), data: JSON.parse(field("data") ?? "null") as unknown };
    }
  }
}

export interface RawReader extends Disposable {
  /** Everything received so far. */
  readonly text: string;
  readonly closed: boolean;
  /** Stops reading from the socket. */
  stall(): void;
  resume(): void;
  send(text: string): void;
}

/**
 * A reader that sees every byte and can misbehave as a socket can. With `stallAt`, it stops reading at the first bytes that contain this
 * text.
 */
export function rawStream(url: string, path: string, headers: readonly string[] = [], stallAt?: string): RawReader {
  const { hostname, port } = new URL(url);
  const socket = connect({ host: hostname, port: Number(port) });
  let text = "";
  let closed = false;
  let stalls = stallAt !== undefined;
  socket.setEncoding("utf8").on("data", (chunk: string) => {
    text += chunk;
    if (!stalls || stallAt === undefined || !text.includes(stallAt)) return;
    stalls = false;
    socket.pause();
  });
  socket.on("close", () => (closed = true)).on("error", () => {});
  socket.write(`GET ${path} HTTP/1.1\r\nhost: localhost\r\n${headers.map((line) => `${line}\r\n`).join("")}\r\n`);
  return {
    get text() {
      return text;
    },
    get closed() {
      return closed;
    },
    stall: () => void socket.pause(),
    resume: () => void socket.resume(),
    send: (more) => void socket.write(more),
    [Symbol.dispose]: () => void socket.destroy(),
  };
}

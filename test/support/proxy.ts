// A proxy between a client and its board that can change answers, refuse, and close connections.
import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout } from "node:timers/promises";

export interface ProxyRules {
  /** Answers instead of the board; returns false to ask the board. */
  readonly instead?: (request: IncomingMessage, response: ServerResponse) => boolean;
  /** Changes a complete answer. */
  readonly change?: (path: string, body: string) => string | Promise<string>;
  /** Closes the connection after this many bytes of a stream. */
  readonly cutStreamAfter?: (connection: number) => number;
  /** Whether to close the connection instead of sending this answer, or in the middle of it. */
  readonly lose?: (request: IncomingMessage) => "all" | "half" | undefined;
  /** Sends pages in pieces with this pause between them, and scripts after such a page. */
  readonly pauseMs?: number;
}

const PIECES = 4;

async function inPieces(response: ServerResponse, type: string, text: string, pauseMs: number): Promise<void> {
  if (type.includes("javascript")) await setTimeout(PIECES * pauseMs);
  const size = type.startsWith("text/html") ? Math.ceil(text.length / PIECES) : text.length;
  for (let from = 0; from < text.length; from += size) {
    if (from > 0) await setTimeout(pauseMs);
    response.write(text.slice(from, from + size));
  }
  response.end();
}

export class Proxy {
  readonly #server: Server;
  readonly url: string;
  /** The number of streams so far. */
  connections = 0;

  private constructor(server: Server) {
    this.#server = server;
    this.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  }

  static async start(target: () => string, rules: ProxyRules = {}): Promise<Proxy> {
    const server = createServer((request, response) => {
      proxy.#pass(target(), rules, request, response).catch(() => response.destroy());
    }).listen(0, "127.0.0.1");
    await once(server, "listening");
    const proxy = new Proxy(server);
    return proxy;
  }

  async #pass(target: string, rules: ProxyRules, request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    if (rules.instead?.(request, response) === true) return;
    const gone = new AbortController();
    response.on("close", () => gone.abort());
    const { method = "GET", url: path = "/", headers } = request;
    const forwarded = Object.entries(headers).filter(([name]) => ["content-type", "accept", "last-event-id"].includes(name));
    const answer = await fetch(target + path, {
      method,
      // A closed connection on one side closes the other side.
      signal: gone.signal,
      headers: forwarded.map(([name, value]): [string, string] => [name, String(value)]),
      ...(method === "POST" ? { body: Buffer.concat(chunks) } : {}),
    });
    const lost = rules.lose?.(request);
    if (lost !== undefined) {
      const body = Buffer.from(await answer.arrayBuffer());
      if (lost === "half") {
        response.writeHead(answer.status, { "content-type": "application/json", "content-length": body.length });
        await new Promise((sent) => response.write(body.subarray(0, body.length / 2), sent));
      }
      response.destroy();
      return;
    }
    const type = answer.headers.get("content-type") ?? "";
    response.writeHead(answer.status, { "content-type": type, "retry-after": answer.headers.get("retry-after") ?? "" });
    if (type.startsWith("text/event-stream")) return this.#stream(answer, rules, response);
    if (type === "application/octet-stream") return void response.end(Buffer.from(await answer.arrayBuffer()));
    const text = await answer.text();
    if (rules.pauseMs !== undefined) return inPieces(response, type, text, rules.pauseMs);
    response.end((await rules.change?.(path, text)) ?? text);
  }

  async #stream(answer: Response, rules: ProxyRules, response: ServerResponse): Promise<void> {
    const number = this.connections++;
    let left = rules.cutStreamAfter?.(number) ?? Infinity;
    for await (const chunk of answer.body ?? []) {
      // Shortens the retry time: these tests are about reconnecting, not about waiting.
      const bytes = Buffer.from(Buffer.from(chunk).toString("latin1").replace("retry: 3000", "retry: 0010"), "latin1");
      response.write(bytes.subarray(0, left));
      left -= bytes.length;
      if (left <= 0) break;
    }
    await new Promise((sent) => response.write("", sent));
    response.destroy();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, "close");
  }
}

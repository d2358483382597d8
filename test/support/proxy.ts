// Something between a client and its board that can lie, refuse and hang up.
import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

export interface ProxyRules {
  /** Answers in the board's place; false where the board is to be asked. */
  readonly instead?: (request: IncomingMessage, response: ServerResponse) => boolean;
  /** Changes an answer that was read to its end. */
  readonly change?: (path: string, body: string) => string;
  /** Hangs up after this many bytes of a stream. */
  readonly cutStreamAfter?: (connection: number) => number;
  /** Whether to hang up instead of passing on this answer, or in the middle of it. */
  readonly lose?: (request: IncomingMessage) => "all" | "half" | undefined;
}

export class Proxy {
  readonly #server: Server;
  readonly url: string;
  /** Of streams. */
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
    const kept = Object.entries(headers).filter(([name]) => ["content-type", "accept", "last-event-id"].includes(name));
    const answer = await fetch(target + path, {
      method,
      // Whoever hangs up here hangs up there.
      signal: gone.signal,
      headers: kept.map(([name, value]): [string, string] => [name, String(value)]),
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
    response.end(rules.change?.(path, text) ?? text);
  }

  async #stream(answer: Response, rules: ProxyRules, response: ServerResponse): Promise<void> {
    const number = this.connections++;
    let left = rules.cutStreamAfter?.(number) ?? Infinity;
    for await (const chunk of answer.body ?? []) {
      // Reconnecting is what is tested here, not waiting.
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

// A small ntfy server, by its documentation: JSON is published to the root, and a topic is read as a stream of JSON lines.
import { randomBytes } from "node:crypto";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";

export interface Published {
  readonly topic: string;
  readonly title?: string;
  readonly message?: string;
  readonly click?: string;
}

export class NtfyServer implements AsyncDisposable {
  readonly published: Published[] = [];
  readonly url: string;
  readonly #server: Server;
  readonly #token: string | undefined;
  readonly #readers = new Map<string, Set<ServerResponse>>();

  private constructor(server: Server, token: string | undefined) {
    this.#server = server;
    this.#token = token;
    this.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    server.on("request", (request, response) => void this.#answer(request, response));
  }

  /** If a token is given, only callers with the token may publish. */
  static async start(token?: string): Promise<NtfyServer> {
    const server = createServer();
    const { promise, resolve } = Promise.withResolvers<void>();
    server.listen(0, "127.0.0.1", resolve);
    await promise;
    return new NtfyServer(server, token);
  }

  readers(topic: string): number {
    return this.#readers.get(topic)?.size ?? 0;
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const topic = /^\/([-_A-Za-z0-9]{1,64})\/json$/.exec(request.url ?? "")?.[1];
    if (request.method === "GET" && topic !== undefined) return this.#subscribe(topic, response);
    if (request.method !== "POST" || request.url !== "/") return void response.writeHead(404).end();
    if (this.#token !== undefined && request.headers.authorization !== `Bearer ${this.#token}`) return void response.writeHead(403).end();
    const published = JSON.parse(await text(request)) as Published;
    if (!/^[-_A-Za-z0-9]{1,64}$/.test(published.topic)) return void response.writeHead(400).end();
    this.published.push(published);
    const line = this.#line("message", published.topic, published);
    for (const reader of this.#readers.get(published.topic) ?? []) reader.write(line);
    response.writeHead(200, { "content-type": "application/json" }).end(line);
  }

  #subscribe(topic: string, response: ServerResponse): void {
    const readers = this.#readers.get(topic) ?? new Set();
    this.#readers.set(topic, readers.add(response));
    response.once("close", () => readers.delete(response));
    response.writeHead(200, { "content-type": "application/x-ndjson; charset=utf-8" }).write(this.#line("open", topic, {}));
  }

  #line(event: string, topic: string, more: object): string {
    return `${JSON.stringify({ id: randomBytes(6).toString("hex"), time: Math.floor(Date.now() / 1000), event, topic, ...more })}\n`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#server.close(() => resolve());
    this.#server.closeAllConnections();
    await promise;
  }
}

// A proxy between workers and their board that counts requests, for any client. The board sees one address.
import { once } from "node:events";
import { createServer, request as ask, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

export interface Passed {
  readonly requests: number;
  readonly posts: number;
  /** Posts that were answered with 429. */
  readonly slowed: number;
  /** Claims that another worker made first, and those of them that followed right after another lost claim of the same worker. */
  readonly lost: number;
  readonly lostAgain: number;
  /** Bytes of answers, without their heads. */
  readonly bytes: number;
}

/** How often a route was called, and the totals of its answers. */
export interface Route {
  readonly requests: number;
  readonly bytes: number;
}

export class CountingProxy {
  readonly #server: Server;
  #passed: Passed = { requests: 0, posts: 0, slowed: 0, lost: 0, lostAgain: 0, bytes: 0 };
  /** For each key, the claims that it has lost since it last got one. */
  readonly #lostInARow = new Map<string, number>();
  readonly #routes = new Map<string, Route>();

  private constructor(server: Server) {
    this.#server = server;
  }

  static async before(port: number): Promise<CountingProxy> {
    const server = createServer((request, response) => proxy.#pass(port, request, response)).listen(0, "127.0.0.1");
    const proxy = new CountingProxy(server);
    await once(server, "listening");
    return proxy;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }
  get passed(): Passed {
    return this.#passed;
  }
  /** By request and result, the most frequent first. */
  get routes(): readonly (readonly [string, Route])[] {
    return [...this.#routes].sort(([, a], [, b]) => b.requests - a.requests);
  }

  #pass(port: number, request: IncomingMessage, response: ServerResponse): void {
    const { method = "GET", url = "/", headers } = request;
    const sent: Buffer[] = [];
    request.on("data", (chunk: Buffer) => sent.push(chunk));
    const onward = ask({ port, host: "127.0.0.1", method, path: url, headers: { ...headers, host: `127.0.0.1:${port}` } }, (answer) => {
      const isPost = method === "POST" && url.startsWith("/api/messages");
      const { requests, posts, slowed } = this.#passed;
      this.#passed = {
        ...this.#passed,
        requests: requests + 1,
        posts: posts + (isPost ? 1 : 0),
        slowed: slowed + (isPost && answer.statusCode === 429 ? 1 : 0),
      };
      const body = Buffer.concat(sent).toString();
      if (isPost) this.#countClaim(body, answer.statusCode);
      const route = `${routeOf(method, url, isPost ? kindOf(body) : "")} ${answer.statusCode}`;
      this.#count(route, { requests: 1, bytes: 0 });
      answer.on("data", (chunk: Buffer) => {
        this.#passed = { ...this.#passed, bytes: this.#passed.bytes + chunk.length };
        this.#count(route, { requests: 0, bytes: chunk.length });
      });
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    });
    // Workers are killed in the middle of a request.
    onward.on("error", () => response.destroy());
    request.on("error", () => onward.destroy());
    request.pipe(onward);
  }

  #count(route: string, { requests, bytes }: Route): void {
    const before = this.#routes.get(route) ?? { requests: 0, bytes: 0 };
    this.#routes.set(route, { requests: before.requests + requests, bytes: before.bytes + bytes });
  }

  #countClaim(body: string, status: number | undefined): void {
    const { kind, pk } = payloadOf(body);
    if (kind !== "claim") return;
    const before = this.#lostInARow.get(pk) ?? 0;
    this.#lostInARow.set(pk, status === 409 ? before + 1 : 0);
    if (status !== 409) return;
    const { lost, lostAgain } = this.#passed;
    this.#passed = { ...this.#passed, lost: lost + 1, lostAgain: lostAgain + (before > 0 ? 1 : 0) };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, "close");
  }
}

const payloadOf = (body: string): { kind: string; pk: string } =>
  JSON.parse((JSON.parse(body) as { payload: string }).payload) as { kind: string; pk: string };
const kindOf = (body: string): string => ` ${payloadOf(body).kind}`;

/** The request without ids and values: the route and the names of the parameters. */
function routeOf(method: string, url: string, what: string): string {
  const { pathname, searchParams } = new URL(url, "http://board");
  const asked = [...new Set(searchParams.keys())].join(",");
  const path = pathname.replaceAll(/\/(?:[0-9a-f]{12,64}|ag_[0-9a-f]{20})(?=\/|$)/g, "/{id}");
  return `${method} ${path}${asked === "" ? "" : `?${asked}`}${what}`;
}

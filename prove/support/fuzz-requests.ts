// Unreasonable requests: real ones with a fault, and bytes that are not a request at all.
import type { Random } from "../../test/support/random.ts";
import type { McpRequest, FuzzMcp } from "./fuzz-mcp.ts";
import type { FuzzPosts } from "./fuzz-posts.ts";
import { broken, heavyText, VALUES } from "./fuzz-texts.ts";

export interface Described {
  readonly paths: Readonly<
    Record<string, Readonly<Record<string, { readonly parameters?: readonly { readonly name: string; readonly in: string }[] }>>>
  >;
}

export interface FuzzRequest {
  readonly kind: string;
  /** Sent one after the other, each a little later than the one before. */
  readonly pieces: readonly Buffer[];
  /** How it ends: after the answer, after closing the sending side, by closing at once, or after the first bytes of the answer. */
  readonly end: "answer" | "half" | "gone" | "taste";
}

/** Pages for people, which openapi.json does not contain. */
const PAGES = ["/agents", "/a/{agent_id}", "/docs", "/about", "/report", "/transparency", "/work", "/tags", "/stats", "/log"].concat(
  ["/preview", "/docs/try/list_messages", "/docs/try/get_message", "/assets/board.js", "/assets/../x", "/healthz", "/readyz", "/metrics"],
  ["/mcp", "/nothing", "//", "/api/", "/api/messages/", "/%2e%2e/", "*", "http://127.0.0.1/api/time", "/favicon.ico"],
);
const ACCEPT = ["*/*", "application/json", "text/html", "text/markdown", "text/event-stream", "text/html;q=0.5, */*", ";;;q=", "a/b;q=9"];
const METHODS = ["HEAD", "OPTIONS", "PUT", "DELETE", "PATCH", "TRACE", "PROPFIND", "CONNECT", "get", "X"];
const HEADERS: readonly (readonly [string, readonly string[]])[] = [
  ["accept-encoding", ["br", "gzip", "br;q=0, gzip;q=1", "identity", "*", "zstd", ",,,", "br".repeat(2000)]],
  ["range", ["bytes=0-10", "bytes=-1", "bytes=5-1", `bytes=${"0-1,".repeat(500)}`, "x"]],
  ["last-event-id", ["0", "1", "-1", "99999999", "1e3", "x", "0x1", "9".repeat(400)]],
  ["if-none-match", ["*", '""', 'W/"a"', '"'.repeat(3000)]],
  ["if-modified-since", ["x", "Thu, 01 Jan 1970 00:00:00 GMT"]],
  ["host", ["", "evil.example", "127.0.0.1:99999", "[::1]", "a b", "@", "x".repeat(3000), "localhost"]],
  ["origin", ["null", "https://evil.example", "http://127.0.0.1", "\u0001"]],
  ["x-forwarded-for", ["1.2.3.4", "::1", "x", "1.2.3.4, ".repeat(300)]],
  ["x-forwarded-proto", ["https", "http", "https, http"]],
  ["forwarded", ["for=_x;proto=https", '"']],
  [
    "content-type",
    ["", "text/plain", "application/json; charset=latin1", "multipart/form-data", "application/x-www-form-urlencoded", "a/b;".repeat(200)],
  ],
  ["content-encoding", ["gzip", "br", "identity", "x"]],
  ["transfer-encoding", ["chunked", "gzip, chunked", "x", "chunked, chunked"]],
  ["content-length", ["0", "-1", "1e3", "99999999999", "5", "5, 5", "+5", "0x5"]],
  ["expect", ["100-continue", "x"]],
  ["connection", ["keep-alive", "upgrade", "close, x", "host"]],
  ["upgrade", ["websocket", "h2c", "HTTP/2.0"]],
  ["sec-fetch-site", ["cross-site", "same-origin", "x"]],
  ["cookie", ["a=b;".repeat(1000)]],
  ["authorization", ["Basic eDp5", "Bearer x"]],
];

const FRAMING = ["content-length", "transfer-encoding", "expect", "upgrade"];

export class FuzzRequests {
  readonly #described: readonly { readonly path: string; readonly method: string; readonly names: readonly string[] }[];
  readonly #posts: FuzzPosts;
  readonly #mcp: FuzzMcp;
  readonly #cursors: readonly string[];

  /** `cursors` are real cursors of this board. */
  constructor({ paths }: Described, posts: FuzzPosts, mcp: FuzzMcp, cursors: readonly string[]) {
    this.#posts = posts;
    this.#mcp = mcp;
    this.#cursors = cursors;
    const operations = Object.entries(paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, { parameters = [] }]) => ({
        path,
        method: method.toUpperCase(),
        names: parameters.filter((one) => one.in === "query").map((one) => one.name),
      })),
    );
    this.#described = [...operations, ...PAGES.map((path) => ({ path, method: "GET", names: ["limit", "cursor", "q", "tag"] }))];
  }

  next(random: Random): FuzzRequest {
    const drawn = random.below(20);
    if (drawn < 8) return this.#question(random);
    if (drawn < 15) return this.#body(random);
    if (drawn < 19) return this.#call(random, this.#mcp.next(random));
    return { kind: "garbage", pieces: [this.#garbage(random)], end: "half" };
  }

  #question(random: Random): FuzzRequest {
    const { path, names } = random.pick(this.#described);
    const method = random.chance(0.9) ? "GET" : random.pick(METHODS);
    const target = `${this.#filled(random, path)}${this.#query(random, names)}`;
    const streams = path === "/api/stream" && ["GET", "get"].includes(method);
    const headers = this.#headers(random);
    // A request that announces more data, or another protocol, gets no answer while the connection is open.
    const open = method === "CONNECT" || FRAMING.some((name) => headers[name] !== undefined);
    const end = streams ? "taste" : open || random.chance(0.03) ? random.pick(["half", "gone"] as const) : "answer";
    return { kind: `${method} ${path}`, pieces: [head(method, target, headers)], end };
  }

  #filled(random: Random, path: string): string {
    return path.replace(/\{(\w+)\}/g, (_, name: string) => {
      if (name === "id" && random.chance(0.7)) return random.pick(this.#posts.ids).slice(0, random.pick([64, 64, 8, 9, 7, 63]));
      if (name === "agent_id" && random.chance(0.7)) return random.pick(this.#posts.agents).id;
      return encodeURIComponent(random.pick(VALUES).toWellFormed()) || "x";
    });
  }

  #query(random: Random, names: readonly string[]): string {
    const given = random.some([...names, "nonsense"], 0, random.chance(0.9) ? 4 : 30).map((name) => `${name}=${this.#value(random, name)}`);
    if (given.length > 0 && random.chance(0.05)) given.push(given[0] ?? "");
    return given.length === 0 ? "" : `?${given.join(random.chance(0.98) ? "&" : "&&=&")}`;
  }

  #value(random: Random, name: string): string {
    // Only values that do not wait, so that the lane continues.
    if (name === "wait") return random.pick(["0", "-1", "x", "31", "0.5"]);
    if (name === "cursor" && random.chance(0.8)) return this.#cursor(random);
    if (["q", "near", "text"].includes(name) && random.chance(0.4))
      return encodeURIComponent(heavyText(random, random.chance(0.5) ? 250 : 2000));
    if (["root", "ref", "near"].includes(name) && random.chance(0.6)) return random.pick(this.#posts.ids);
    if (["author", "author_not", "to", "inbox", "replies_to", "verified_by", "agent"].includes(name) && random.chance(0.6))
      return random
        .some(this.#posts.agents, 1, 4)
        .map(({ id }) => id)
        .join(",");
    if (name === "limit" && random.chance(0.6)) return "200";
    if (name === "include" && random.chance(0.6)) return "body,data,raw,preview";
    if (name === "after" && random.chance(0.6)) return "0";
    const value = random.pick(VALUES);
    // Some values are not encoded, so the result is not always a URL.
    return random.chance(0.9) ? encodeURIComponent(value.toWellFormed()) : value.replace(/[\s\p{Cc}]/gu, "");
  }

  #cursor(random: Random): string {
    const cursor = random.pick(["", "AA", ...this.#cursors]);
    const at = random.below(cursor.length + 1);
    const changed = random.pick([
      cursor,
      cursor.slice(0, at),
      `${cursor.slice(0, at)}A${cursor.slice(at + 1)}`,
      cursor + cursor,
      `${cursor}=`,
    ]);
    return encodeURIComponent(changed);
  }

  #headers(random: Random): Record<string, string> {
    const headers: Record<string, string> = { host: "127.0.0.1", connection: "close", accept: random.pick(ACCEPT) };
    if (random.chance(0.3)) for (const [name, values] of random.some(HEADERS, 1, 3)) headers[name] = random.pick(values);
    if (random.chance(0.01)) for (let i = random.below(1500); i > 0; i--) headers[`x-${i}`] = "y";
    if (random.chance(0.01)) headers["x-long"] = "y".repeat(random.below(40_000));
    return headers;
  }

  #body(random: Random): FuzzRequest {
    const takers = this.#described.filter(({ method }) => method === "POST");
    const path = random.chance(0.7) ? "/api/messages" : random.pick([...takers.map((one) => one.path), "/preview", "/report"]);
    const dry = path === "/api/messages" && random.chance(0.1) ? `?dry_run=${random.pick(["1", "true", "x"])}` : "";
    return this.#sent(random, `POST ${path}`, `${path}${dry}`, { "content-type": "application/json" }, this.#bodyFor(random, path));
  }

  #bodyFor(random: Random, path: string): Buffer {
    if (path === "/api/messages") return this.#posts.message(random);
    if (path === "/api/aliases") return this.#posts.alias(random);
    if (path === "/preview") return Buffer.from(JSON.stringify({ body: heavyText(random, 32_000) }));
    return this.#posts.other(random, path);
  }

  #call(random: Random, { headers, body }: McpRequest): FuzzRequest {
    return this.#sent(random, "POST /mcp", "/mcp", headers, body);
  }

  /** A body in one piece or in chunks, with a right or wrong length, at once or slowly. */
  #sent(random: Random, kind: string, target: string, more: Readonly<Record<string, string>>, body: Buffer): FuzzRequest {
    const headers = { host: "127.0.0.1", connection: "close", ...more };
    const drawn = random.below(20);
    if (drawn === 4) {
      const odd = { "content-length": String(body.length), ...headers, ...this.#headers(random) };
      return { kind: `${kind} with odd headers`, pieces: [head("POST", target, odd), body], end: "half" };
    }
    if (drawn === 0) {
      // Sends less than announced, and then nothing, or the end.
      const length = String(body.length + 1 + random.below(1000));
      return {
        kind: `${kind} cut off`,
        pieces: [head("POST", target, { ...headers, "content-length": length }), body],
        end: random.pick(["half", "gone"]),
      };
    }
    if (drawn === 1) {
      const whole = head("POST", target, { ...headers, "transfer-encoding": "chunked" });
      const chunks = [...chunked(random, body)];
      const last = random.pick(["0\r\n\r\n", "0\r\nx: y\r\n\r\n", "0\r\n", "", "fffffffff\r\n", "zz\r\n", "-1\r\n"]);
      return {
        kind: `${kind} in chunks`,
        pieces: [whole, ...chunks, Buffer.from(last)],
        end: last.endsWith("\r\n\r\n") ? "answer" : "half",
      };
    }
    const whole = head("POST", target, { "content-length": String(body.length), ...headers });
    if (drawn < 4) {
      const at = random.below(body.length + 1);
      return { kind, pieces: [whole, body.subarray(0, at), body.subarray(at)], end: "answer" };
    }
    return { kind, pieces: [Buffer.concat([whole, body])], end: random.chance(0.02) ? "gone" : "answer" };
  }

  #garbage(random: Random): Buffer {
    const bytes = Buffer.from(random.bytes(1 + random.below(400)));
    const good = head("GET", "/api/messages", { host: "127.0.0.1", connection: "close" });
    return random.pick([
      bytes,
      Buffer.concat([Buffer.from("GET / HTTP/1.1\r\n"), bytes]),
      broken(random, good),
      // Several requests at once, which is allowed, and one of them is broken.
      Buffer.concat([head("GET", "/api/time", { host: "x" }), head("GET", "/api/pow", { host: "x" }), broken(random, good)]),
      Buffer.from(`GET /${"a".repeat(random.below(40_000))} HTTP/1.1\r\nhost: x\r\n\r\n`),
      Buffer.from(`GET / HTTP/${random.pick(["0.9", "1.0", "2.0", "9.9", "x"])}\r\n\r\n`),
      Buffer.from("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"),
      Buffer.from("\u0016\u0003\u0001\u0002\u0000\u0001", "latin1"),
    ]);
  }
}

function* chunked(random: Random, body: Buffer): Generator<Buffer> {
  const size = Math.ceil(body.length / (1 + random.below(50))) + 1;
  for (let at = 0; at < body.length; at += size) {
    const part = body.subarray(at, at + size);
    yield Buffer.concat([Buffer.from(`${part.length.toString(16)}${random.chance(0.1) ? ";a=b" : ""}\r\n`), part, Buffer.from("\r\n")]);
  }
}

/** The head of a request, byte for byte as given. */
export function head(method: string, target: string, headers: Readonly<Record<string, string>>): Buffer {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  return Buffer.from(`${method} ${target} HTTP/1.1\r\n${lines.join("")}\r\n`);
}

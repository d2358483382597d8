// Requests that nobody in their right mind sends: real ones with something wrong in them, and things that are no requests at all.
import type { Random } from "../../test/support/random.ts";

export interface Described {
  readonly paths: Readonly<
    Record<string, Readonly<Record<string, { readonly parameters?: readonly { readonly name: string; readonly in: string }[] }>>>
  >;
}

/** A request as bytes, and the word for its kind. */
export interface Strange {
  readonly kind: "parameters" | "body" | "mcp" | "raw";
  readonly bytes: Buffer;
}

const VALUES = [
  "",
  "0",
  "-1",
  "1e309",
  "NaN",
  "true",
  "null",
  "undefined",
  "99999999999999999999",
  "0x10",
  "1.5",
  "a".repeat(300),
  "é\u0301",
  "\u202e",
  "\u0000",
  "%",
  "%zz",
  "%00",
  "..",
  "../../etc/passwd",
  "' OR 1=1 --",
  '"',
  "`",
  "[]",
  "{}",
  "*",
  "**",
  "-",
  "--",
  "NEAR(a b, 1)",
  "a*b*c*",
  '"unclosed',
  "body,raw,data",
  "new",
  "old,old",
  "1h",
  "-1h",
  "9999d",
  "2026-13-45",
  "1970-01-01T00:00:00Z",
  "agent_",
  "f".repeat(64),
  "0".repeat(63),
  "question",
  "open",
  "𝕊𝕔𝕣𝕚𝕡𝕥",
  "ﷺ".repeat(40),
  "👩‍👩‍👧‍👦".repeat(20),
  "<script>",
  "${7*7}",
  "{{7*7}}",
  "; ls",
  "\r\nx: y",
  "a,b,c,d,e,f,g,h,i,j,k,l,m,n,o,p,q,r,s,t,u,v,w,x,y,z,1,2,3,4,5,6,7,8,9",
] as const;

export class StrangeRequests {
  readonly #random: Random;
  readonly #described: readonly { readonly path: string; readonly method: string; readonly names: readonly string[] }[];
  readonly #envelopes: readonly string[];

  constructor(random: Random, { paths }: Described, envelopes: readonly string[]) {
    this.#random = random;
    this.#envelopes = envelopes;
    this.#described = Object.entries(paths).flatMap(([path, methods]) =>
      Object.entries(methods)
        // A stream has no end to wait for.
        .filter(() => path !== "/api/stream")
        .map(([method, { parameters = [] }]) => ({
          path,
          method: method.toUpperCase(),
          names: parameters.filter((one) => one.in === "query" && one.name !== "wait").map((one) => one.name),
        })),
    );
  }

  next(): Strange {
    const drawn = this.#random.below(20);
    if (drawn < 9) return { kind: "parameters", bytes: this.#parameters() };
    if (drawn < 15) return { kind: "body", bytes: this.#body() };
    if (drawn < 19) return { kind: "mcp", bytes: this.#mcp() };
    return { kind: "raw", bytes: this.#garbage() };
  }

  #parameters(): Buffer {
    const { path, names } = this.#random.pick(this.#described);
    const method = this.#random.chance(0.9) ? "GET" : this.#random.pick(["HEAD", "OPTIONS", "PUT", "DELETE", "PATCH"]);
    const filled = path.replace(/\{[^}]+\}/g, () => encodeURIComponent(this.#random.pick(VALUES) || "x"));
    const given = this.#random.some([...names, "nonsense"], 0, 4).map((name) => `${name}=${this.#value()}`);
    const accept = this.#random.pick(["*/*", "application/json", "text/html", "text/markdown", "text/event-stream", ";;;q=", "a/b;q=9"]);
    return request(method, `${filled}${given.length > 0 ? `?${given.join("&")}` : ""}`, { accept });
  }

  #value(): string {
    const value = this.#random.pick(VALUES);
    // Some as they are, which is not always a URL.
    return this.#random.chance(0.9) ? encodeURIComponent(value) : value.replace(/[\s\p{Cc}]/gu, "");
  }

  #body(): Buffer {
    const posts = this.#described.filter(({ method }) => method === "POST");
    const { path } = this.#random.chance(0.6) ? { path: "/api/messages" } : this.#random.pick(posts);
    return request(
      "POST",
      path.replace(/\{[^}]+\}/g, "x"),
      { "content-type": "application/json" },
      this.#broken(this.#random.pick(this.#envelopes)),
    );
  }

  #mcp(): Buffer {
    const method = this.#random.pick([
      "initialize",
      "tools/list",
      "tools/call",
      "resources/read",
      "prompts/get",
      "ping",
      "nonsense",
      "server/discover",
    ]);
    const name = this.#random.pick([
      "search_messages",
      "get_message",
      "get_thread",
      "find_work",
      "submit_message",
      "prepare_message",
      "nonsense",
    ]);
    const key = this.#random.pick(["q", "id", "limit", "payload", "kind", "agent"]);
    const params = {
      name,
      uri: `blackboard://${this.#random.pick(VALUES)}`,
      arguments: { [key]: this.#random.pick([...VALUES, 1, null, {}, []]) },
    };
    const text = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params });
    const headers = { "content-type": "application/json", accept: "application/json, text/event-stream" };
    return request("POST", "/mcp", headers, this.#random.chance(0.5) ? this.#broken(text) : Buffer.from(text));
  }

  /** A text with a few bytes changed, lost, doubled or put in. */
  #broken(text: string): Buffer {
    let bytes = Buffer.from(text);
    for (let i = this.#random.below(4); i >= 0; i--) {
      const at = this.#random.below(bytes.length + 1);
      const end = Math.min(bytes.length, at + this.#random.below(20));
      const insert = this.#random.pick([
        Buffer.alloc(0),
        Buffer.from([this.#random.below(256)]),
        Buffer.from(this.#random.pick(VALUES)),
        bytes.subarray(at, end),
        Buffer.from("[".repeat(2000)),
      ]);
      bytes = Buffer.concat([bytes.subarray(0, at), insert, bytes.subarray(this.#random.chance(0.5) ? at : end)]);
    }
    return bytes;
  }

  #garbage(): Buffer {
    const bytes = Buffer.from(Array.from({ length: 1 + this.#random.below(400) }, () => this.#random.below(256)));
    return this.#random.pick([
      bytes,
      Buffer.concat([Buffer.from("GET / HTTP/1.1\r\n"), bytes]),
      this.#broken(request("GET", "/api/messages", {}).toString("latin1")),
    ]);
  }
}

function request(method: string, target: string, headers: Readonly<Record<string, string>>, body?: Buffer): Buffer {
  const all = {
    host: "127.0.0.1",
    connection: "close",
    ...headers,
    ...(body === undefined ? {} : { "content-length": String(body.length) }),
  };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  return Buffer.concat([Buffer.from(`${method} ${target} HTTP/1.1\r\n${lines.join("")}\r\n`), body ?? Buffer.alloc(0)]);
}

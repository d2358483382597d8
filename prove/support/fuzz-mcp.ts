// Unreasonable MCP calls: both protocol versions, every tool with odd arguments, and messages that are not MCP.
import type { Random } from "../../test/support/random.ts";
import type { FuzzPosts } from "./fuzz-posts.ts";
import { broken, heavyText, oddValue, twisted, VALUES } from "./fuzz-texts.ts";

export interface DescribedTool {
  readonly name: string;
  readonly inputSchema: { readonly properties?: Readonly<Record<string, unknown>> };
}

const METHODS = [
  "initialize",
  "notifications/initialized",
  "notifications/cancelled",
  "ping",
  "server/discover",
  "tools/list",
  "tools/call",
  "resources/list",
  "resources/templates/list",
  "resources/read",
  "resources/subscribe",
  "prompts/list",
  "prompts/get",
  "completion/complete",
  "logging/setLevel",
  "sampling/createMessage",
  "tasks/get",
  "__proto__",
  "nonsense",
];
const ADDRESSES = ["manual", "kinds", "messages/", "threads/", "inbox/", ""];
const PROMPTS = ["claim_work", "post_finding", "verify", "nonsense"];
const ERAS = ["2025-11-25", "2026-07-28", "2025-06-18", "1999-01-01", ""];
const MODERN = "2026-07-28";

export interface McpRequest {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

export class FuzzMcp {
  readonly #tools: readonly DescribedTool[];
  readonly #posts: FuzzPosts;

  constructor(tools: readonly DescribedTool[], posts: FuzzPosts) {
    this.#tools = tools;
    this.#posts = posts;
  }

  next(random: Random): McpRequest {
    const method = random.chance(0.6) ? "tools/call" : random.pick(METHODS);
    const era = random.pick(ERAS);
    const params = this.#params(random, method, era);
    let message: unknown = { jsonrpc: "2.0", id: random.pick([1, "a", 0, -1, null, 1.5]), method, params };
    if (random.chance(0.15)) message = twisted(random, message);
    if (random.chance(0.04)) message = Array.from({ length: random.below(50) }, () => message);
    const bytes = Buffer.from(JSON.stringify(message));
    return { headers: this.#headers(random, method, era, params), body: random.chance(0.1) ? broken(random, bytes) : bytes };
  }

  #params(random: Random, method: string, era: string): unknown {
    const meta = {
      "io.modelcontextprotocol/protocolVersion": era,
      "io.modelcontextprotocol/clientInfo": { name: "strange", version: "1" },
      "io.modelcontextprotocol/clientCapabilities": {},
    };
    const given = this.#given(random, method);
    const whole = era === MODERN || random.chance(0.2) ? { ...given, _meta: random.chance(0.1) ? twisted(random, meta) : meta } : given;
    return random.chance(0.1) ? twisted(random, whole) : whole;
  }

  #given(random: Random, method: string): Record<string, unknown> {
    if (method === "tools/call") return this.#call(random);
    if (method === "resources/read")
      return { uri: `blackboard://${random.pick(ADDRESSES)}${random.pick([...this.#posts.ids, ...VALUES])}` };
    if (method === "prompts/get")
      return { name: random.pick(PROMPTS), arguments: { id: random.pick(VALUES), topic: heavyText(random, 500) } };
    if (method === "initialize")
      return { protocolVersion: random.pick(ERAS), capabilities: {}, clientInfo: { name: random.pick(VALUES), version: "1" } };
    return random.chance(0.5) ? {} : { cursor: random.pick(VALUES), level: "debug" };
  }

  #call(random: Random): Record<string, unknown> {
    const { name, inputSchema } = random.pick(this.#tools);
    if (name === "submit_message" && random.chance(0.8)) return { name, arguments: tryJson(this.#posts.message(random)) };
    if (["post_message", "prepare_message"].includes(name) && random.chance(0.6)) {
      const [agent] = this.#posts.agents;
      const who = name === "post_message" ? { secret_key: Buffer.alloc(32, 1).toString("base64url") } : { pk: agent?.pk };
      return { name, arguments: { ...who, ...this.#posts.fields(random) } };
    }
    const names = [...Object.keys(inputSchema.properties ?? {}), "other"];
    const given = Object.fromEntries(random.some(names, 0, 4).map((one): [string, unknown] => [one, this.#argument(random, one)]));
    // Only values that do not wait, because nobody needs the answer.
    const wait = name === "wait_for_messages" ? { wait: random.pick([0, "0", -1, "x"]) } : {};
    return { name: random.chance(0.97) ? name : random.pick(VALUES), arguments: { ...given, ...wait } };
  }

  #argument(random: Random, name: string): unknown {
    if (name === "id" && random.chance(0.7)) return random.pick(this.#posts.ids);
    if (["agent", "author"].includes(name) && random.chance(0.7)) return random.pick(this.#posts.agents).id;
    if (["q", "near", "text"].includes(name) && random.chance(0.5)) return heavyText(random, 300);
    if (name === "limit" && random.chance(0.7)) return 200;
    if (name === "include" && random.chance(0.7)) return "body,data,raw";
    return oddValue(random);
  }

  #headers(random: Random, method: string, era: string, params: unknown): Record<string, string> {
    const headers: Record<string, string> = { "content-type": "application/json", accept: "application/json, text/event-stream" };
    if (era !== "" && random.chance(0.7)) headers["mcp-protocol-version"] = random.chance(0.9) ? era : random.pick(ERAS);
    if (era === MODERN && random.chance(0.9)) {
      headers["mcp-method"] = method;
      const name = (params as { name?: unknown } | null)?.name ?? (params as { uri?: unknown } | null)?.uri;
      if (typeof name === "string") headers["mcp-name"] = name;
    }
    if (random.chance(0.1)) headers["x-blackboard-key"] = random.pick([Buffer.alloc(32, 2).toString("base64url"), "x", ""]);
    if (random.chance(0.1)) headers["accept"] = random.pick(["*/*", "text/html", "application/json", "text/event-stream", ";;", ""]);
    if (random.chance(0.05)) headers["mcp-session-id"] = random.pick(VALUES);
    if (random.chance(0.05)) headers["origin"] = random.pick(["null", "http://127.0.0.1", "https://evil.example", "://"]);
    if (random.chance(0.05))
      headers["content-type"] = random.pick(["text/plain", "application/json; charset=utf-16", "application/json;", ""]);
    return headers;
  }
}

function tryJson(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString("utf8"));
  } catch {
    return {};
  }
}

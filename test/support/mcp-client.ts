// The official MCP client, with the protocol version that a test chooses.
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { STRUCTURED } from "../../src/transports/mcp/server.ts";
import { HANG_MS } from "./eventually.ts";

/** The client's own limit is less than a busy machine may need. */
const PATIENT = { timeout: HANG_MS };

export const ERAS = ["2025-11-25", "2026-07-28"] as const;
export type Era = (typeof ERAS)[number];

export interface Called {
  readonly text: string;
  readonly body: Record<string, unknown>;
  readonly isError: boolean;
}

/** A client with the calls that tests make. Each call requests its answer as JSON in addition to the text. */
export class McpClient {
  readonly client: Client;

  constructor(era: Era) {
    this.client = new Client(
      { name: "test", version: "1.0.0" },
      era === "2026-07-28" ? { versionNegotiation: { mode: { pin: era } } } : {},
    );
  }

  static async connect(url: string, era: Era, headers: Record<string, string> = {}): Promise<McpClient> {
    const one = new McpClient(era);
    await one.client.connect(new StreamableHTTPClientTransport(new URL(`${url}/mcp`), { requestInit: { headers } }), PATIENT);
    return one;
  }

  async call(name: string, given: Record<string, unknown> = {}): Promise<Called> {
    const asked = { name, arguments: given, _meta: { [STRUCTURED]: true } };
    const { content, structuredContent, isError } = await this.client.callTool(asked, PATIENT);
    const [first] = content;
    if (first?.type !== "text") throw new Error(`${name} answered without a text.`);
    return { text: first.text, body: structuredContent as Record<string, unknown>, isError: isError === true };
  }

  /** A call that must succeed. */
  async done(name: string, given: Record<string, unknown> = {}): Promise<Record<string, unknown>> {
    const { body, text, isError } = await this.call(name, given);
    if (isError) throw new Error(`${name}: ${text}`);
    return body;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.client.close();
  }
}

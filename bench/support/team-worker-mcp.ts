// One worker of a team that has only MCP: a client of `blackboard mcp` over stdio, as a model's host would start it. It does the same as
// team-worker.ts.
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { STRUCTURED } from "../../src/transports/mcp/server.ts";
import { checked, directory, type Done, doneFor, isMine, keepWorking, LEASE, slot, url, WAIT_S } from "./team-work.ts";

/** Longer than the timeout of most hosts, because a busy machine should not affect the result. */
const PATIENCE = { timeout: 300_000 };

interface Found {
  readonly id: string;
  readonly meta: { readonly title?: string };
  readonly content: { readonly data: Done };
}

/** A worker that is started again has the same key. */
const keyFile = join(directory, `mcp-worker-${slot}.key`);
const program = fileURLToPath(new URL("../../src/bin.ts", import.meta.url));
const client = new Client({ name: "team", version: "1.0.0" }, { versionNegotiation: { mode: { pin: "2026-07-28" } } });
const args = [program, "mcp", "--url", url, "--key-file", keyFile];
await client.connect(new StdioClientTransport({ command: process.execPath, args, stderr: "ignore" }));
const say = (words: object): void => void process.stdout.write(`${JSON.stringify(words)}\n`);

/** Counts what the model would read; the worker reads the same answer as JSON. */
async function call(name: string, given: Record<string, unknown>): Promise<Record<string, unknown>> {
  for (;;) {
    const { content, structuredContent, isError } = await client.callTool(
      { name, arguments: given, _meta: { [STRUCTURED]: true } },
      PATIENCE,
    );
    const text = content.map((part) => (part.type === "text" ? part.text : "")).join("");
    say({ calls: 1, chars: text.length });
    if (isError !== true) return structuredContent as Record<string, unknown>;
    const { error } = structuredContent as { error: { code: string; details?: { retry_after_s?: number } } };
    if (error.code !== "rate_limited") throw new Error(text);
    await new Promise((later) => setTimeout(later, (error.details?.retry_after_s ?? 1) * 1000));
  }
}

async function check(): Promise<void> {
  const question = { kind: "result", status: "open", sort: "old", limit: 20, include: "data" };
  const { messages } = (await call("search_messages", question)) as unknown as { messages: readonly Found[] };
  for (const { id, content } of messages.filter((result) => isMine(result.id, result.content.data)))
    await call("post_message", { kind: "verification", body: checked(content.data), refs: [{ rel: "verifies", id }] });
}

async function work(): Promise<boolean> {
  const { work: task } = (await call("take_work", { lease: LEASE, wait: WAIT_S })) as unknown as { work: Found | null };
  if (task === null) return false;
  const done = doneFor(task.meta);
  await call("post_message", { kind: "result", body: `${done.sum}`, data: { ...done }, refs: [{ rel: "answers", id: task.id }] });
  return true;
}

await keepWorking(work, check);

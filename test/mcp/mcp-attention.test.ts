// Attention over MCP: what is unread, what was acknowledged, and inboxes that a client subscribes to; with the official client and both
// protocol versions.
import { join } from "node:path";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { Agent } from "../support/agent.ts";
import { TestBoard } from "../support/board.ts";
import { programPath } from "../support/built.ts";
import { eventually } from "../support/eventually.ts";
import { ERAS, type Era, McpClient } from "../support/mcp-client.ts";
import { emptyDirectory } from "../support/process.ts";
import { keyBytes } from "../support/random.ts";

let board: TestBoard;
beforeAll(async () => void (board = await TestBoard.start()));
afterAll(() => board[Symbol.asyncDispose]());

const ids = (body: Record<string, unknown>): unknown[] => (body["messages"] as { id: string }[]).map(({ id }) => id);
const letter = (to: string, title: string) => board.put(board.agent(), { kind: "note", title, to });

describe.each(ERAS)("in the era of %s", (era) => {
  test("an inbox shows what is unread until it is acknowledged, and everything on request", async () => {
    const seed = Buffer.from(keyBytes());
    const me = new Agent(() => board.clock.now(), seed);
    await using mcp = await McpClient.connect(board.url, era, { "x-blackboard-key": seed.toString("base64url") });
    const [first, second] = [await letter(me.id, "one"), await letter(me.id, "two")];
    const unread = await mcp.call("read_inbox");
    expect(ids(unread.body)).toEqual([second.id, first.id]);
    expect(unread.text).toContain(`Acknowledged up to seq 0. acknowledge {"seen":${String(unread.body["latest_seq"])}}`);
    const done = await mcp.call("acknowledge", {
      seen: first.seq,
      acted: [first.id],
      declined: [{ id: second.id, why: "busy" }],
    });
    expect([done.isError, done.body]).toMatchObject([false, { agent: me.id, seen: first.seq, acted: 1, declined: 1, skipped: [] }]);
    expect(ids(await mcp.done("read_inbox"))).toEqual([second.id]);
    expect(ids(await mcp.done("read_inbox", { unread: false }))).toEqual([second.id, first.id]);
    expect((await board.record(first.id)).derived.delivery).toMatchObject({ state: "acted" });
    expect((await mcp.call("list_agents", { agent: me.id })).text).toMatch(new RegExp(` · acknowledged \\S+, read to seq ${first.seq} · `));
    expect((await mcp.call("acknowledge", { seen: 10_000_000 })).text).toContain("future_cursor");
  });

  test("over stdio a client that subscribes to an inbox is notified of new messages and of changes to its own, until it unsubscribes", async () => {
    await using mcp = await bridged(era);
    const { agent_id: self } = await mcp.done("create_identity");
    await follow(mcp, era, String(self), async (notified) => {
      const { id } = await board.put(board.agent(), { kind: "task", title: `Do this ${era}`, to: String(self) });
      await eventually("told of a message", () => notified() || undefined);
      expect(ids(await mcp.done("read_inbox"))).toEqual([id]);
      const before = notified();
      const posted = (await mcp.done("post_message", { kind: "question", title: `And this? ${era}` })) as { id: string };
      await board.put(board.agent(), { kind: "claim", refs: [{ rel: "claims", id: posted.id }] });
      await eventually("told of a claim", () => (notified() > before ? true : undefined));
    });
    await expect(
      era === "2025-11-25"
        ? mcp.client.subscribeResource({ uri: "blackboard://manual" })
        : mcp.client.listen({ resourceSubscriptions: ["blackboard://inbox/nobody-has-this-name"] }),
    ).rejects.toThrow(era === "2025-11-25" ? "You cannot subscribe to" : "alias");
  });
});

test("over HTTP a stream notifies of an inbox, by id or by name, and ends with its subscriber", async () => {
  await using mcp = await McpClient.connect(board.url, "2026-07-28");
  const me = board.agent();
  await follow(mcp, "2026-07-28", me.id, async (notified) => {
    await letter(board.agent().id, "for somebody else");
    await letter(me.id, "for me");
    await eventually("told", () => notified() || undefined);
  });
  await expect(mcp.client.listen({ resourceSubscriptions: ["blackboard://inbox/nobody-has-this-name"] })).rejects.toThrow("alias");
  await expect(mcp.client.listen({ resourceSubscriptions: ["blackboard://manual"] })).rejects.toThrow("You cannot subscribe to");
});

test("a board that stops ends the streams of its subscribers", async () => {
  const short = await TestBoard.start();
  await using mcp = await McpClient.connect(short.url, "2026-07-28");
  const subscription = await mcp.client.listen({ resourceSubscriptions: [`blackboard://inbox/${short.agent().id}`] });
  await short[Symbol.asyncDispose]();
  await subscription.closed;
});

test("the revision without streams does not say that one could subscribe", async () => {
  await using mcp = await McpClient.connect(board.url, "2025-11-25");
  expect(mcp.client.getServerCapabilities()?.resources).toEqual({});
  await using newer = await McpClient.connect(board.url, "2026-07-28");
  expect(newer.client.getServerCapabilities()?.resources).toEqual({ subscribe: true });
});

async function bridged(era: Era): Promise<McpClient> {
  const mcp = new McpClient(era);
  const args = [programPath(), "mcp", "--url", board.url, "--key-file", join(emptyDirectory(), "agent.key")];
  await mcp.client.connect(new StdioClientTransport({ command: process.execPath, args, stderr: "ignore" }));
  return mcp;
}

/** Subscribes as the protocol version requires, and unsubscribes; `notified` counts notifications of this inbox. */
async function follow(mcp: McpClient, era: Era, agent: string, run: (notified: () => number) => Promise<void>): Promise<void> {
  const uri = `blackboard://inbox/${agent}`;
  let notified = 0;
  mcp.client.setNotificationHandler("notifications/resources/updated", ({ params }) => void (params.uri === uri && notified++));
  const subscription = era === "2025-11-25" ? undefined : await mcp.client.listen({ resourceSubscriptions: [uri] });
  if (subscription === undefined) await mcp.client.subscribeResource({ uri });
  await run(() => notified);
  if (subscription === undefined) await mcp.client.unsubscribeResource({ uri });
  else await subscription.close();
}

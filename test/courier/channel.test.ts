// A client of the Model Context Protocol is woken through its bridge; messages that it does not read go to the command.
import { spawn } from "node:child_process";
import { join, resolve } from "node:path";
import { text } from "node:stream/consumers";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { afterAll, beforeAll, expect, test } from "vitest";
import { readKeyFile, writeKeyFile } from "../../src/cli/key-file.ts";
import { makeKey } from "../../src/client/key.ts";
import { SOCKET } from "../../src/courier/courier.ts";
import { ChannelServer } from "../../src/courier/mcp-channel.ts";
import { TestBoard } from "../support/board.ts";
import { programPath } from "../support/built.ts";
import { ACTING_AGENT, actsIn, courierFile, TestCourier } from "../support/courier.ts";
import { eventually } from "../support/eventually.ts";
import { ERAS, McpClient } from "../support/mcp-client.ts";
import { emptyDirectory } from "../support/process.ts";

let board: TestBoard;
beforeAll(async () => void (board = await TestBoard.start()));
afterAll(() => board[Symbol.asyncDispose]());

interface Notified {
  readonly content: string;
  readonly meta: Readonly<Record<string, string>>;
}

test.each(ERAS)("a message is sent on the channel, counts once it was read, and otherwise goes to the command (%s)", async (era) => {
  const directory = emptyDirectory();
  const keyFile = join(directory, "agent.key");
  writeKeyFile(keyFile, await makeKey());
  const { agent } = await readKeyFile(keyFile);
  const acts = join(directory, "acts.db");
  const start = (ackWithinS: number): TestCourier => {
    const fallback = { command: [process.execPath, ACTING_AGENT, "exec", acts] };
    const deliver = [{ adapter: "mcp-channel", ack_within_s: ackWithinS, fallback, retry_s: 0.01 }];
    return new TestCourier(courierFile({ board: board.url, agent, from: "all", deliver }, directory), agent);
  };
  const other = board.agent();
  const notified: Notified[] = [];
  await using mcp = new McpClient(era);
  mcp.client.fallbackNotificationHandler = async ({ method, params }) => {
    if (method === "notifications/claude/channel") notified.push(params as unknown as Notified);
  };
  {
    // There is no hurry: what the client reads counts, however late.
    await using courier = start(3600);
    await eventually("the courier", () => (courier.said.includes("begins after") ? true : undefined));
    const socket = join(courier.config.state, SOCKET);
    const args = [programPath(), "mcp", "--url", board.url, "--key-file", keyFile, "--channel", socket];
    await mcp.client.connect(new StdioClientTransport({ command: process.execPath, args, stderr: "ignore" }));
    // The client is present from its first request, even if a connection has no explicit beginning.
    await mcp.client.listTools();
    expect(mcp.client.getServerCapabilities()?.experimental).toEqual({ "claude/channel": {} });
    // The bridge soon finds the courier; until then, the command is used.
    for (let n = 0; notified.length === 0; n++) {
      const { seq } = await board.put(other, { kind: "note", title: `are you there? ${n}`, to: agent });
      await eventually("told or acted on", () => (notified.length > 0 || courier.said.includes(`up to seq ${seq}`) ? true : undefined));
    }
    const id = notified[0]?.meta["first"] ?? "";
    expect(notified[0]?.content).toMatch(/<<<DATA [0-9a-f]{12}\ntitle: are you there\?/);
    expect(courier.said).not.toContain("not delivered");
    const { seq } = await board.record(id);
    expect(courier.said).not.toContain(`up to seq ${seq}`);
    await mcp.done("get_message", { id });
    await eventually("read", () => (courier.said.includes(`up to seq ${seq}`) ? true : undefined));
    expect(actsIn(acts).map((one) => one.id)).not.toContain(id);
  }
  notified.length = 0;
  await using courier = start(0.5);
  const unread = await board.put(other, { kind: "note", title: "nobody reads this", to: agent });
  await eventually("the command", () => (actsIn(acts).some(({ id }) => id === unread.id) ? true : undefined));
  await eventually("its place", () => (courier.said.includes(`up to seq ${unread.seq}`) ? true : undefined));
});

test("a bridge that is killed before it has read everything does not end the courier", async () => {
  const path = join(emptyDirectory(), "channel.sock");
  const server = await ChannelServer.open(path);
  const deaf = 'require("net").createConnection(process.argv[1]).pause(); setInterval(() => {}, 1000)';
  const bridge = spawn(process.execPath, ["-e", deaf, path], { stdio: "ignore" });
  await eventually("the bridge", () => (server.bridges === 1 ? true : undefined));
  server.show({ type: "messages", board: "", agent: "", messages: [] });
  bridge.kill("SIGKILL");
  await eventually("its end", () => (server.bridges === 0 ? true : undefined));
  await server.close();
});

test("a courier that is not there does not end the bridge", async () => {
  const module = resolve(import.meta.dirname, "../../src/courier/mcp-channel-bridge.ts");
  // A second connection fails after the bridge's first one.
  const code = `
    import { createConnection } from "node:net";
    import { joinChannel } from ${JSON.stringify(module)};
    joinChannel(process.argv[1], async () => {});
    createConnection(process.argv[1]).on("error", () => {}).on("close", () => setImmediate(() => console.log("alive")));`;
  const args = ["--input-type=module-typescript", "-e", code, join(emptyDirectory(), "missing.sock")];
  const bridge = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "pipe"] });
  expect(await Promise.all([text(bridge.stdout), text(bridge.stderr)])).toEqual(["alive\n", ""]);
});

// `blackboard mcp`: the board's tools over standard input and output, with a key that stays on this machine.
import { existsSync } from "node:fs";
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import type { Command } from "commander";
import { call } from "../client/call.ts";
import { makeKey } from "../client/key.ts";
import { INTRODUCTION } from "../transports/mcp/introduction.ts";
import { surfaceServer } from "../transports/mcp/server.ts";
import { type ApiDocument, shapesOf } from "../transports/mcp/shapes.ts";
import { tools } from "../transports/mcp/tools/list.ts";
import { readKeyFile, writeKeyFile } from "./key-file.ts";
import { clientChannel } from "./mcp/client-channel.ts";
import { remoteDesk, refusalOf } from "./mcp/tool-context.ts";
import { atBoard, Session } from "./session.ts";

/** A client that waits for an answer gives up after a minute; better to hear of the limit before. */
const LONGEST_WAIT_S = 10;

export function mcpCommand(program: Command): void {
  const command = atBoard(
    program.command("mcp").description("serve the board's tools to an MCP client over stdio, signing and mining here"),
  );
  command.option("--channel <socket>", "tell the client what a courier brings; `blackboard courier check` says where it is");
  command.action(({ channel }: { readonly channel?: string }) => serve(new Session(command), program.version() ?? "", channel));
}

async function serve({ board, keyFile, mining }: Session, version: string, socket: string | undefined): Promise<void> {
  if (!existsSync(keyFile)) writeKeyFile(keyFile, await makeKey());
  const key = await readKeyFile(keyFile);
  const shapes = shapesOf(await call<ApiDocument>(board, "/openapi.json"));
  const channel = socket === undefined ? undefined : clientChannel(socket);
  const known = tools({ shapes, takesKeys: false, introduction: INTRODUCTION });
  const serverFor = surfaceServer({
    name: "agent-blackboard",
    version,
    websiteUrl: board.url,
    instructions: INTRODUCTION,
    tools: channel === undefined ? known : known.map(channel.watched),
    refusalOf: (error) => refusalOf(error, board.url),
  });
  const deskFor = remoteDesk({ board: { ...board, longestWaitS: LONGEST_WAIT_S }, shapes, key, mining });
  const opened = () => channel?.served(serverFor(deskFor)) ?? serverFor(deskFor);
  serveStdio(opened, { onerror: ({ message }) => void process.stderr.write(`${message}\n`) });
  process.stderr.write(`${key.agent} at ${board.url}\n`);
}

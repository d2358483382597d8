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
import { remoteDesk, refusalOf } from "./mcp/tool-context.ts";
import { atBoard, Session } from "./session.ts";

/** A client that waits for an answer gives up after a minute; better to hear of the limit before. */
const LONGEST_WAIT_S = 10;

export function mcpCommand(program: Command): void {
  const command = atBoard(
    program.command("mcp").description("serve the board's tools to an MCP client over stdio, signing and mining here"),
  );
  command.action(() => serve(new Session(command), program.version() ?? ""));
}

async function serve({ board, keyFile, mining }: Session, version: string): Promise<void> {
  if (!existsSync(keyFile)) writeKeyFile(keyFile, await makeKey());
  const key = await readKeyFile(keyFile);
  const shapes = shapesOf(await call<ApiDocument>(board, "/openapi.json"));
  const serverFor = surfaceServer({
    name: "agent-blackboard",
    version,
    websiteUrl: board.url,
    instructions: INTRODUCTION,
    tools: tools({ shapes, takesKeys: false, introduction: INTRODUCTION }),
    refusalOf: (error) => refusalOf(error, board.url),
  });
  const deskFor = remoteDesk({ board: { ...board, longestWaitS: LONGEST_WAIT_S }, shapes, key, mining });
  serveStdio(() => serverFor(deskFor), { onerror: ({ message }) => void process.stderr.write(`${message}\n`) });
  process.stderr.write(`${key.agent} at ${board.url}\n`);
}

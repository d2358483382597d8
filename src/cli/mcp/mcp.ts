// `blackboard mcp`: the board's tools over standard input and output, with a key that stays on this machine.
import { existsSync } from "node:fs";
import { serveStdio, StdioServerTransport } from "@modelcontextprotocol/server/stdio";
import type { Command } from "commander";
import { call } from "../../client/call.ts";
import { INTRODUCTION } from "../../transports/mcp/introduction.ts";
import { surfaceServer, toolSet } from "../../transports/mcp/server.ts";
import { type OpenApiDocument, schemasOf } from "../../transports/mcp/openapi-schemas.ts";
import { tools } from "../../transports/mcp/tools/list.ts";
import { readKeyFile } from "../key-file.ts";
import { makeIdentity } from "../keygen.ts";
import { delegatedKey, plainKey } from "./delegated-bridge-key.ts";
import { clientChannel } from "./courier-notifications.ts";
import { Subscriptions } from "./subscriptions.ts";
import { remoteToolContext, asRefusal } from "./tool-context.ts";
import { atBoard, inSession, type Session } from "../session.ts";

/** Clients give up after a minute; an error before that is better. */
const LONGEST_WAIT_S = 10;

export function mcpCommand(program: Command): void {
  const command = atBoard(
    program.command("mcp").description("serve the board's tools to an MCP client over stdio, signing and mining here"),
  );
  command.option("--channel <socket>", "notify the client of messages from a courier; `blackboard courier check` shows the path");
  command.option("--own-key", "sign with the key itself instead of a key that it delegates to for a day at a time");
  inSession(command, (session, options: McpOptions) => serve(session, program.version() ?? "", options));
}

interface McpOptions {
  readonly channel?: string;
  readonly ownKey?: true;
}

async function serve(session: Session, version: string, { channel: socket, ownKey }: McpOptions): Promise<void> {
  const { board, keyFile, mining } = session;
  if (!existsSync(keyFile)) await makeIdentity(keyFile);
  const key = ownKey === undefined ? await delegatedKey(session) : plainKey(await readKeyFile(keyFile), keyFile);
  const patient = { ...board, longestWaitS: LONGEST_WAIT_S };
  const shapes = whenNeeded(async () => schemasOf(await call<OpenApiDocument>(patient, "/openapi.json")));
  const channel = socket === undefined ? undefined : clientChannel(socket);
  const offered = whenNeeded(async () => {
    const known = tools({ shapes: await shapes(), takesKeys: false, introduction: INTRODUCTION });
    return toolSet(channel === undefined ? known : known.map(channel.watched));
  });
  const serverFor = surfaceServer({
    name: "agent-blackboard",
    version,
    websiteUrl: board.url,
    instructions: INTRODUCTION,
    tools: offered,
    refusalOf: (error) => asRefusal(error, board.url),
  });
  const contextFor = remoteToolContext({ board: patient, shapes, key, mining });
  const say = (words: string): void => void process.stderr.write(`${words}\n`);
  const subscriptions = new Subscriptions({ contextFor, url: board.url, report: say });
  const opened = () => {
    const server = subscriptions.served(serverFor(contextFor, true));
    return channel?.served(server) ?? server;
  };
  const transport = new StdioServerTransport();
  serveStdio(opened, { transport, onerror: ({ message }) => say(message) });
  subscriptions.between(transport);
  process.stderr.write(`${key.main.agent} at ${board.url}\n`);
}

/** Not at the start: clients also start this program only to ask for its version. After a failure it is tried again. */
function whenNeeded<Value>(get: () => Promise<Value>): () => Promise<Value> {
  let asked: Promise<Value> | undefined;
  return () =>
    (asked ??= get().catch((error: unknown) => {
      asked = undefined;
      throw error;
    }));
}

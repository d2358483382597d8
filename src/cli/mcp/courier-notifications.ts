// The channel of an MCP client: messages from a courier become notifications, and the client's reading of them is reported back.
import { randomBytes } from "node:crypto";
import { fence, TOKEN_BYTES } from "../../core/view/fence.ts";
import { markdownDocument, type MarkdownRecord } from "../../core/view/markdown.ts";
import { plural } from "../../core/text/plural.ts";
import { type Bridge, joinChannel } from "../../courier/mcp-channel-bridge.ts";
import type { ChannelMessages } from "../../courier/mcp-channel.ts";
import type { surfaceServer } from "../../transports/mcp/server.ts";
import type { Tool } from "../../transports/mcp/tools/tool.ts";

type ProtocolServer = ReturnType<ReturnType<typeof surfaceServer>>;

/** The capability that tells a client that the server sends messages on its own. */
const CAPABILITY = "claude/channel";
const METHOD = "notifications/claude/channel";

/** The tools that show one message, and those that show the inbox. */
const SHOWS_ONE: ReadonlySet<string> = new Set(["get_message", "get_thread"]);
const SHOWS_ALL: ReadonlySet<string> = new Set(["read_inbox", "brief"]);

export interface ClientChannel {
  /** The server that the client uses from now on. */
  served(server: ProtocolServer): ProtocolServer;
  /** The same tool, which also marks the messages it shows as read. */
  watched(this: void, tool: Tool): Tool;
}

export function clientChannel(socket: string): ClientChannel {
  let current: ProtocolServer | undefined;
  let bridge: Bridge | undefined;
  return {
    served(server) {
      server.registerCapabilities({ experimental: { [CAPABILITY]: {} } });
      current = server;
      // Only when there is a client, because a courier must not mistake a bridge for one.
      bridge ??= joinChannel(socket, async (shown) => current?.notification({ method: METHOD, params: contentOf(shown) }));
      return server;
    },
    watched: (tool) => ({
      ...tool,
      async run(given, context) {
        const outcome = await tool.run(given, context);
        const id = given["id"];
        if (SHOWS_ALL.has(tool.name)) bridge?.read();
        else if (SHOWS_ONE.has(tool.name) && typeof id === "string") bridge?.read(id);
        return outcome;
      },
    }),
  };
}

function contentOf({ agent, board, messages }: ChannelMessages) {
  const lines = [`${plural(messages.length, "message")} for ${agent} at ${board}. Read with get_message what you act on.`];
  const marks = fence(randomBytes(TOKEN_BYTES).toString("hex"));
  return {
    content: markdownDocument("Inbox", lines, messages as unknown as readonly MarkdownRecord[], marks),
    meta: { agent, messages: String(messages.length), first: messages[0]?.id ?? "" },
  };
}

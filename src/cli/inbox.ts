// `blackboard inbox`: the inbox of an agent, your own by default.
import type { Command } from "commander";
import { readInbox } from "../client/read.ts";
import { INBOX_REASONS } from "../core/message/inbox-types.ts";
import { countOption } from "./filter-options.ts";
import { pendingLines } from "./key-facts.ts";
import { atBoard, inSession } from "./session.ts";
import { inboxTable } from "./print-messages.ts";

interface InboxOptions {
  readonly unread?: true;
  readonly kind?: string;
  readonly reason?: string;
  readonly since?: string;
  readonly limit: number;
}

export function inboxCommand(program: Command): void {
  const command = program
    .command("inbox")
    .description("list the messages in your inbox")
    .argument("[agent]", "another agent, by id or alias");
  command.option("--unread", "only what came after what you acknowledged with `blackboard ack --seen`");
  command.option("--kind <kinds>", "only these kinds, comma separated, such as answer,result");
  command.option("--reason <reasons>", `only for these reasons, comma separated: ${INBOX_REASONS.join(", ")}`);
  command.option("--since <time>", "a duration such as 24h, or a time").option("--limit <n>", "how many at most", countOption, 50);
  inSession(atBoard(command), async (session, agent: string | undefined, { unread, kind, reason, since, limit }: InboxOptions) => {
    const list = await readInbox(session.board, agent ?? (await session.key()).agent, { unread, kind, reason, since, limit });
    session.print(list, () => [...pendingLines(list.pending), inboxTable(list.messages, list.as_of)].join("\n"));
  });
}

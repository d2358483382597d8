// `blackboard inbox`: what is for you, or for another agent.
import type { Command } from "commander";
import { readInbox } from "../client/read.ts";
import { countOption } from "./filter-options.ts";
import { atBoard, Session } from "./session.ts";
import { messageTable } from "./shown.ts";

interface InboxOptions {
  readonly unread?: true;
  readonly since?: string;
  readonly limit: number;
}

export function inboxCommand(program: Command): void {
  const command = program.command("inbox").description("list what is for you").argument("[agent]", "another agent, by id or alias");
  command.option("--unread", "only what comes after what you acknowledged with `blackboard ack --seen`");
  command.option("--since <time>", "a duration such as 24h, or a time").option("--limit <n>", "how many at most", countOption, 50);
  atBoard(command).action(async (agent: string | undefined, { unread, since, limit }: InboxOptions) => {
    const session = new Session(command);
    const list = await readInbox(session.board, agent ?? (await session.key()).agent, { unread, since, limit });
    session.print(list, () => messageTable(list.messages, list.as_of));
  });
}

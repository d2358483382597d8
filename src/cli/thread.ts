// `blackboard thread`: shows the thread of a message, or a part of it.
import { type Command, Option } from "commander";
import { getThread, type ThreadQuery } from "../client/read.ts";
import { countOption } from "./filter-options.ts";
import { atBoard, inSession } from "./session.ts";
import { shownThread } from "./print-messages.ts";

interface ThreadOptions extends Pick<ThreadQuery, "scope" | "fold" | "limit"> {
  readonly maxChars?: number;
  readonly fields?: string;
}

export function threadCommand(program: Command): void {
  const command = program.command("thread").description("show the thread of a message").argument("<id>", "its id or a prefix");
  command
    .addOption(
      new Option("--scope <scope>", "the whole thread, or only the ancestors and replies of this message").choices(["thread", "subtree"]),
    )
    .option("--fold", "claims, signals and votes in the line of their target")
    .option("--limit <n>", "how many messages at most", countOption)
    .option("--max-chars <n>", "how many characters of messages at most", countOption)
    .option("--fields <paths>", "only these, such as meta.title,derived.status");
  inSession(atBoard(command), async (session, id: string, { scope, fold, limit, maxChars, fields }: ThreadOptions) => {
    const query: ThreadQuery = { scope, fold, limit, max_chars: maxChars, fields };
    // `fields` already selects what is needed.
    const thread = await getThread(session.board, id, fields === undefined ? { ...query, include: ["body"] } : query);
    session.print(thread, () => shownThread(thread));
  });
}

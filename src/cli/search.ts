// `blackboard search`: messages by their text and by filters; without words the newest.
import type { Command } from "commander";
import { listMessages, type ListQuery } from "../client/read.ts";
import { count, type FilterOptions, filtersOf, takesFilters } from "./filter-options.ts";
import { atBoard, Session } from "./session.ts";
import { messageTable } from "./shown.ts";

interface SearchOptions extends FilterOptions {
  readonly limit: number;
  readonly sort?: ListQuery["sort"];
  readonly cursor?: string;
}

export function searchCommand(program: Command): void {
  const command = program.command("search").description("search messages; without words, the newest");
  command.argument("[words...]", 'words, "a phrase", pre*, -not').option("--limit <n>", "how many at most", count, 20);
  command.option("--sort <order>", "new, old, activity, expiring, verified, pow or relevance").option("--cursor <cursor>", "the next page");
  takesFilters(atBoard(command)).action(async (words: string[], { limit, sort, cursor, ...filters }: SearchOptions) => {
    const session = new Session(command);
    const q = words.length === 0 ? undefined : words.join(" ");
    const list = await listMessages(session.board, { q, limit, sort, cursor, ...filtersOf(filters) });
    const more = list.next_cursor === null ? "" : `more: --cursor ${list.next_cursor}\n`;
    session.print(list, () => messageTable(list.messages, list.as_of) + more);
  });
}

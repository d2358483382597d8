// `blackboard search`: messages by their text and by filters; without words the newest.
import type { Command } from "commander";
import { countOption, filtersOf, takesFilters } from "./filter-options.ts";
import { type PageOptions, printPage, takesPage } from "./message-page.ts";
import { atBoard, inSession } from "./session.ts";

export function searchCommand(program: Command): void {
  const command = program.command("search").description("search messages; without words, the newest");
  takesPage(command.argument("[words...]", 'words, "a phrase", pre*, -not').option("--limit <n>", "how many at most", countOption, 20));
  inSession(takesFilters(atBoard(command)), async (session, words: string[], { limit, sort, cursor, ...filters }: PageOptions) => {
    const q = words.length === 0 ? undefined : words.join(" ");
    await printPage(session, { q, limit, sort, cursor, ...(await filtersOf(filters, session)) });
  });
}

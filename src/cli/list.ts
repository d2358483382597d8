// `blackboard list`: messages by filters, newest first.
import type { Command } from "commander";
import { countOption, filtersOf, takesFilters } from "./filter-options.ts";
import { type PageOptions, printPage, printPageOfWords, takesPage } from "./message-page.ts";
import { atBoard, inSession } from "./session.ts";

export function listCommand(program: Command): void {
  const command = program.command("list").description("list messages, newest first");
  command.option("--all", "also claims, signals and retractions (or ask for them with --kind)");
  takesPage(command.option("--limit <n>", "how many at most", countOption, 50));
  inSession(takesFilters(atBoard(command)), async (session, { limit, sort, cursor, all, ...given }: PageOptions & { all?: true }) => {
    const filters = await filtersOf(given, session);
    const query = { limit, sort, cursor, ...filters };
    const print = all === true || filters.kind !== undefined ? printPage : printPageOfWords;
    return print(session, query);
  });
}

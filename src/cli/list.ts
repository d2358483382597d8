// `blackboard list`: messages by filters, newest first.
import type { Command } from "commander";
import { count, filtersOf, takesFilters } from "./filter-options.ts";
import { type PageOptions, printPage, takesPage } from "./message-page.ts";
import { atBoard, Session } from "./session.ts";

export function listCommand(program: Command): void {
  const command = program.command("list").description("list messages, newest first");
  takesPage(command.option("--limit <n>", "how many at most", count, 50));
  takesFilters(atBoard(command)).action(({ limit, sort, cursor, ...filters }: PageOptions) =>
    printPage(new Session(command), { limit, sort, cursor, ...filtersOf(filters) }),
  );
}

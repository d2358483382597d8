// `blackboard similar`: finds similar messages, so that nothing is posted twice.
import type { Command } from "commander";
import { findSimilar } from "../client/read.ts";
import { countOption, type FilterOptions, filtersOf, takesRiskFilters, takesWhere } from "./filter-options.ts";
import { atBoard, inSession } from "./session.ts";
import { messageTable } from "./print-messages.ts";

interface SimilarOptions extends Pick<FilterOptions, "maxRisk" | "maxCopies" | "where"> {
  readonly limit: number;
}

export function similarCommand(program: Command): void {
  const command = program.command("similar").description("find messages that say something similar").argument("<text>");
  command.option("--limit <n>", "how many at most", countOption, 10);
  inSession(takesWhere(takesRiskFilters(atBoard(command))), async (session, text: string, { limit, ...filters }: SimilarOptions) => {
    const list = await findSimilar(session.board, text, { limit, ...(await filtersOf(filters, session)) });
    session.print(list, () => messageTable(list.messages, list.as_of));
  });
}

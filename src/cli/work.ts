// `blackboard work`: open work, first what the caller can do.
import { type Command, Option } from "commander";
import { findWork } from "../client/read.ts";
import { countOption, type FilterOptions, filtersOf, takesRiskFilters, takesWhere } from "./filter-options.ts";
import { atBoard, inSession } from "./session.ts";
import { messageTable } from "./print-messages.ts";

interface WorkOptions extends Pick<FilterOptions, "maxRisk" | "maxCopies" | "where"> {
  readonly offers?: string;
  readonly needs?: string;
  readonly tag?: string;
  readonly as?: string;
  readonly sort?: (typeof SORTS)[number];
  readonly limit: number;
}

const SORTS = ["old", "new", "fit"] as const;

export function workCommand(program: Command): void {
  const command = program.command("work").description("list open work");
  command
    .option("--offers <tags>", "your skills: matching work comes first")
    .option("--needs <tags>", "only work that needs any of these")
    .option("--tag <tags>", "only work with any of these tags")
    .option(
      "--as <agent>",
      "the agent that asks: work that it may not claim is left out, and each agent starts at another place in the list",
    )
    .addOption(new Option("--sort <order>", "the oldest first unless given").choices(SORTS))
    .option("--limit <n>", "how many at most", countOption, 20);
  inSession(takesWhere(takesRiskFilters(atBoard(command))), async (session, { offers, needs, tag: tags, as, ...given }: WorkOptions) => {
    const { sort, limit, ...filters } = given;
    const list = await findWork(session.board, { offers, needs, tags, as, sort, limit, ...(await filtersOf(filters, session)) });
    session.print(list, () => messageTable(list.messages, list.as_of));
  });
}

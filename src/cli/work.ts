// `blackboard work`: open work, what the caller can do first.
import { type Command, Option } from "commander";
import { findWork } from "../client/read.ts";
import { countOption } from "./filter-options.ts";
import { atBoard, Session } from "./session.ts";
import { messageTable } from "./shown.ts";

interface WorkOptions {
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
    .option("--offers <tags>", "what you can do: what fits comes first")
    .option("--needs <tags>", "only what needs any of these")
    .option("--tag <tags>", "only with any of these")
    .option("--as <agent>", "who asks: without what it may not claim, from a place of its own")
    .addOption(new Option("--sort <order>", "the oldest first unless given").choices(SORTS))
    .option("--limit <n>", "how many at most", countOption, 20);
  atBoard(command).action(async ({ offers, needs, tag, as, sort, limit }: WorkOptions) => {
    const session = new Session(command);
    const list = await findWork(session.board, { offers, needs, tags: tag, as, sort, limit });
    session.print(list, () => messageTable(list.messages, list.as_of));
  });
}

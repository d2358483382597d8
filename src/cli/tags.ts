// `blackboard tags`: lists the tags in use, so that agents use the same ones.
import { type Command, Option } from "commander";
import { listTags, type TagsQuery } from "../client/read.ts";
import { countOption } from "./filter-options.ts";
import { atBoard, inSession } from "./session.ts";
import { table } from "./table.ts";

interface TagsOptions {
  readonly field: TagsQuery["field"];
  readonly limit: number;
}

export function tagsCommand(program: Command): void {
  const command = program.command("tags").description("list tags in use, the most used first").argument("[prefix]", "how they begin");
  command.addOption(new Option("--field <field>", "tags, needs or offers").choices(["tag", "need", "offer"]).default("tag"));
  command.option("--limit <n>", "how many at most", countOption, 50);
  inSession(atBoard(command), async (session, prefix: string | undefined, { field, limit }: TagsOptions) => {
    const list = await listTags(session.board, { prefix, field, limit });
    const rows = list.tags.map(({ tag, count: uses, last_used: used }) => [String(uses), used.slice(0, 16), tag]);
    session.print(list, () => table(["USES", "LAST USED", "TAG"], rows));
  });
}

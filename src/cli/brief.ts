// `blackboard brief`: what is new for you, or for another agent, within a number of characters.
import type { Command } from "commander";
import { getBrief, getBriefText } from "../client/read.ts";
import { visible } from "../core/view/fence.ts";
import { LIMITS } from "../core/protocol/limits.ts";
import { jsonText } from "./failure.ts";
import { countOption } from "./filter-options.ts";
import { atBoard, inSession } from "./session.ts";

interface BriefOptions {
  readonly budget: number;
  readonly since?: string;
  readonly afterSeq?: number;
}

export function briefCommand(program: Command): void {
  const command = program
    .command("brief")
    .description("show what is new for you, most important first")
    .argument("[agent]", "another agent, by id or alias");
  command
    .option("--budget <chars>", "how many characters at most; a token has about 3.5", countOption, LIMITS.brief_chars_default)
    .option("--since <duration>", "only what is newer than this, such as 24h")
    .option("--after-seq <seq>", "only what came after this seq", countOption);
  inSession(atBoard(command), async (session, given: string | undefined, { budget, since, afterSeq: after_seq }: BriefOptions) => {
    const agent = given ?? (await session.key()).agent;
    const query = { budget, since, after_seq };
    if (session.json) process.stdout.write(`${jsonText(await getBrief(session.board, agent, query))}\n`);
    else process.stdout.write(visible(await getBriefText(session.board, agent, query)));
  });
}

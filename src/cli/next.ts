// `blackboard next`: takes the next piece of work, and shows it in full.
import type { Command } from "commander";
import { next } from "../client/next.ts";
import { shortId } from "../core/view/markdown.ts";
import { durationOf } from "./field-options.ts";
import { countOption } from "./filter-options.ts";
import { commitWithFirstUse } from "./first-use.ts";
import { atBoard, Session } from "./session.ts";
import { shownMessage } from "./shown.ts";
import { oneLine } from "./table.ts";

interface NextOptions {
  readonly offers?: string;
  readonly needs?: string;
  readonly tag?: string;
  readonly lease?: string | number;
  readonly wait: number;
}

export function nextCommand(program: Command): void {
  const command = program.command("next").description("find work, claim it and show it; waits for some");
  command
    .option("--offers <tags>", "what you can do: what fits comes first")
    .option("--needs <tags>", "only what needs any of these")
    .option("--tag <tags>", "only with any of these")
    .option("--lease <duration>", "how long you hold it, such as 1h; 4h unless given, 7d at most", durationOf)
    .option("--wait <seconds>", "how long to wait for some, 30 at most", countOption, 30);
  atBoard(command).action(async ({ offers, needs, tag, lease, wait }: NextOptions) => {
    const session = new Session(command);
    const fitting = { offers, needs, tags: tag, sort: offers === undefined ? undefined : ("fit" as const) };
    const key = await session.key();
    const taken = await next(session.board, key, { ...fitting, lease, wait }, session.mining);
    session.print(taken, () => {
      const held = taken.held.map(
        ({ id, derived }) => `you hold ${shortId(id)} until ${derived.lease_until}: ${oneLine(derived.display_title ?? "", 80)}\n`,
      );
      if (taken.work === null) return `${held.join("")}No work came within ${wait} s.\n`;
      return `${held.join("")}claimed ${taken.work.id} until ${taken.work.derived.lease_until}\n${shownMessage(taken.work)}`;
    });
    if (taken.work !== null) await commitWithFirstUse(session, key);
  });
}

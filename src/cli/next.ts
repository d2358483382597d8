// `blackboard next`: claims the next piece of work and shows it in full.
import type { Command } from "commander";
import type { Message } from "../client/response-types.ts";
import { next } from "../client/claim-next-work.ts";
import { shortId } from "../core/view/markdown.ts";
import { rejectedWords } from "../core/view/rejected-answer-words.ts";
import { durationOf } from "./field-options.ts";
import { countOption, type RiskOptions, riskFiltersOf, takesRiskFilters } from "./filter-options.ts";
import { commitWithFirstUse } from "./commit-next-key.ts";
import { atBoard, inSession } from "./session.ts";
import { shownMessage } from "./print-messages.ts";
import { oneLine } from "./table.ts";

interface NextOptions extends RiskOptions {
  readonly offers?: string;
  readonly needs?: string;
  readonly tag?: string;
  readonly lease?: string | number;
  readonly wait: number;
}

function heldText({ id, derived }: Message): string {
  const rejected = rejectedWords(derived);
  const why = rejected === "" ? "" : `  ${rejected}; why: blackboard thread ${shortId(id)}\n`;
  return `you hold ${shortId(id)} until ${derived.lease_until} | ${oneLine(derived.display_title ?? "", 80)}\n${why}`;
}

export function nextCommand(program: Command): void {
  const command = program.command("next").description("find work, claim it and show it; waits if there is none");
  command
    .option("--offers <tags>", "your skills: matching work comes first")
    .option("--needs <tags>", "only work that needs any of these")
    .option("--tag <tags>", "only work with any of these tags")
    .option("--lease <duration>", "how long you hold it, such as 1h; 4h unless given, 7d at most", durationOf)
    .option("--wait <seconds>", "how long to wait for work, 30 at most", countOption, 30);
  inSession(takesRiskFilters(atBoard(command)), async (session, { offers, needs, tag, lease, wait, ...risk }: NextOptions) => {
    const fitting = { offers, needs, tags: tag, sort: offers === undefined ? undefined : ("fit" as const), ...riskFiltersOf(risk) };
    const key = await session.key();
    const taken = await next(session.board, key, { ...fitting, lease, wait }, session.mining);
    session.print(taken, () => {
      const held = taken.held.map(heldText);
      if (taken.work === null) return `${held.join("")}No work came within ${wait} s.\n`;
      return `${held.join("")}claimed ${taken.work.id} until ${taken.work.derived.lease_until}\n${shownMessage(taken.work)}`;
    });
    if (taken.work !== null) await commitWithFirstUse(session, key);
  });
}

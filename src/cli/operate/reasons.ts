// The statement of reasons as flags. Everything that is missing or wrong is reported at once, with the allowed values.
import { randomBytes } from "node:crypto";
import type { Command } from "commander";
import { GROUNDS, type Ground, type Reasons } from "../../core/message/moderation-state.ts";
import { REPORT_CATEGORIES, type ReportCategory } from "../../core/protocol/vocabulary.ts";
import { plural } from "../../core/text/plural.ts";
import { UsageFault } from "../failure.ts";
import { withOperator, type OperatorOptions, quoted } from "./operator-session.ts";

export interface ReasonOptions extends OperatorOptions {
  readonly category?: string;
  readonly ground?: string;
  readonly facts?: string;
}

const FACTS_CHARS = 2000;
const CATEGORY = `one of ${REPORT_CATEGORIES.join(", ")}`;
const GROUND = "illegal_content (against the law) or incompatible_content (against the rules of this board)";
const FACTS = "a public description of what was found; never the content itself";

export function withReasons(command: Command): Command {
  return withOperator(command)
    .option("--category <category>", `required: ${CATEGORY}`)
    .option("--ground <ground>", `required: ${GROUND}`)
    .option("--facts <text>", `required: ${FACTS}`);
}

/** Makes the reasons of one decision after the other; `more` are other faults of the command. */
export function reasonsOf({ category, ground, facts }: ReasonOptions, more: readonly string[] = []): () => Reasons {
  const faults: string[] = [];
  const known = <Name extends string>(flag: string, names: readonly Name[], given: string | undefined, words: string): Name | undefined => {
    const name = names.find((one) => one === given);
    if (given === undefined) faults.push(`${flag} is missing: ${words}`);
    else if (name === undefined) faults.push(`${flag} ${quoted(given)} is not known: ${words}`);
    return name;
  };
  const why = {
    category: known<ReportCategory>("--category", REPORT_CATEGORIES, category, CATEGORY),
    ground: known<Ground>("--ground", GROUNDS, ground, GROUND),
    facts,
  };
  if (facts === undefined) faults.push(`--facts is missing: ${FACTS}`);
  else if (facts.trim() === "" || facts.length > FACTS_CHARS || hasControls(facts))
    faults.push(
      `--facts has ${plural(facts.length, "character")}: give 1 to ${FACTS_CHARS}, not all of them spaces and none of them control characters`,
    );
  faults.push(...more);
  if (faults.length > 0 || !isWhole(why)) throw new UsageFault(["nothing was done.", ...faults, "See docs/moderation.md."].join("\n  "));
  return () => ({ id: `sr_${randomBytes(8).toString("hex")}`, ...why });
}

type Why = Omit<Reasons, "id">;
const isWhole = (why: { [Name in keyof Why]: Why[Name] | undefined }): why is Why => Object.values(why).every((one) => one !== undefined);

/** Line ends and tabs are allowed. */
const hasControls = (text: string): boolean => /[^\P{Cc}\t\n\r]/u.test(text);

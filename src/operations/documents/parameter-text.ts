// What a parameter means and what it takes, in words, from the schema that checks it.
import type { z } from "zod";

export interface SchemaWords {
  readonly description?: string;
  readonly maxLength?: number;
  readonly enum?: readonly string[];
}

/** A character that only free-text parameters accept. */
const WRONG = "\u0000";

/** `shorten` may shorten a rule, for instance one that was explained before. */
export function parameterText(
  schema: z.ZodType,
  { description = "", maxLength }: SchemaWords,
  shorten: (rule: string) => string = (rule) => rule,
): string {
  const rule = shorten(ruleOf(schema));
  const said = description.toLowerCase().includes((rule.split(";")[0] ?? "").replace(/^an? /, "").toLowerCase());
  const { data } = schema.safeParse(undefined);
  const otherwise = (typeof data === "number" || typeof data === "string") && data !== "" && !description.includes("unless given");
  const parts = [
    ...(said ? [] : [rule]),
    ...(maxLength === undefined ? [] : [`at most ${maxLength} characters`]),
    ...(otherwise ? [`${data} unless given`] : []),
  ];
  return parts.length === 0 ? description : `${description} Takes ${parts.join("; ")}.`;
}

/** The rule of a schema in words: the message that it gives for a wrong value. */
function ruleOf(schema: z.ZodType): string {
  const refusal = schema.safeParse(WRONG).error?.issues[0]?.message ?? "";
  return refusal.startsWith("must be ") ? refusal.slice("must be ".length) : "";
}

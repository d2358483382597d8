// The rule of a field in words, read from its schema: tells the caller what would be right.
import { z } from "zod";
import { closestName } from "../text/did-you-mean.ts";

interface Rule {
  readonly type?: string | readonly string[];
  readonly description?: string;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly pattern?: string;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly minimum?: number;
  readonly maximum?: number;
}

const WHERE = "The fields of a message: /llms/posting.txt; those of other requests: /llms/endpoints.txt; all limits: /llms/limits.txt.";

/**
 * What the field at `path` must be and, if only some words are allowed, the word that was most likely meant. Quotes nothing of the value.
 * `where` says where to read on.
 */
export function ruleHint(schema: z.ZodType, path: readonly PropertyKey[], value: unknown, where = WHERE): string {
  const field = schemaAt(schema, path);
  if (field === undefined || path.length === 0) return where;
  const rule: Rule = z.toJSONSchema(field, { io: "input", unrepresentable: "any" });
  const given = path.reduce<unknown>((at, key) => (at as Record<PropertyKey, unknown> | undefined)?.[key], value);
  const near = typeof given === "string" ? closestName(given, (rule.enum ?? []).map(String)) : undefined;
  return [near === undefined ? "" : `Did you mean \`${near}\`?`, sentence(path.map(String).join("."), rule), where]
    .filter((part) => part !== "")
    .join(" ");
}

function schemaAt(schema: z.ZodType, path: readonly PropertyKey[]): z.ZodType | undefined {
  let at: z.ZodType | undefined = bare(schema);
  for (const key of path) {
    if (at instanceof z.ZodObject) at = (at.shape as Readonly<Record<PropertyKey, z.ZodType>>)[key];
    else if (at instanceof z.ZodArray) at = at.element as z.ZodType;
    else if (at instanceof z.ZodRecord) at = at.valueType as z.ZodType;
    else return undefined;
    if (at === undefined) return undefined;
    at = bare(at);
  }
  return at;
}

const bare = (schema: z.ZodType): z.ZodType => (schema instanceof z.ZodOptional ? bare(schema.unwrap() as z.ZodType) : schema);

const TYPES: Readonly<Record<string, string>> = { array: "an array", integer: "an integer", object: "an object" };

function sentence(field: string, rule: Rule): string {
  const { type, description, enum: allowed, pattern } = rule;
  // If a schema has several types, its description says everything; otherwise it adds what the bounds do not say.
  const suffix = description === undefined ? "" : ` ${description}`;
  if (rule.const !== undefined) return `\`${field}\` is ${JSON.stringify(rule.const)}.${suffix}`;
  if (allowed !== undefined) return `\`${field}\` is one of ${allowed.join(", ")}.${suffix}`;
  if (typeof type !== "string") return suffix === "" ? "" : `\`${field}\`:${suffix}`;
  const bounds = [
    between(rule.minLength, rule.maxLength, "of", "characters"),
    between(rule.minItems, rule.maxItems, "of", "items"),
    between(sane(rule.minimum), sane(rule.maximum), "from", ""),
    pattern === undefined ? "" : `that matches \`${pattern}\``,
  ].filter((bound) => bound !== "");
  return `\`${field}\` is ${[TYPES[type] ?? `a ${type}`, ...bounds].join(" ")}.${suffix}`;
}

/** Undefined for a bound that only says that an integer must be safe, which is said elsewhere. */
const sane = (bound: number | undefined): number | undefined =>
  bound === undefined || Math.abs(bound) >= Number.MAX_SAFE_INTEGER ? undefined : bound;

function between(least: number | undefined, most: number | undefined, word: string, unit: string): string {
  const what = unit === "" ? "" : ` ${unit}`;
  if (most !== undefined) return least === undefined ? `${word} at most ${most}${what}` : `${word} ${least} to ${most}${what}`;
  return least === undefined ? "" : `${word} ${least}${what} or more`;
}

// From a request's path and query to an operation's checked input; the refusal of an unknown name suggests the nearest one.
import { z } from "zod";
import { ERRORS, Refusal } from "../core/errors.ts";
import type { Operation } from "./operation.ts";
import { COMMA_LIST } from "../core/query/forms.ts";
import { closestName } from "../core/text/did-you-mean.ts";

export function readInput(
  { input: schema, refusals }: Pick<Operation, "input" | "refusals">,
  params: Readonly<Record<string, unknown>>,
  query: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  const known = Object.keys(schema.shape);
  for (const [name, value] of Object.entries(query)) {
    if (!known.includes(name) || Object.hasOwn(params, name))
      throw unknownParameter(
        name,
        known.filter((one) => !Object.hasOwn(params, one)),
      );
    if (typeof value !== "string")
      throw new Refusal("invalid_parameter", `\`${name}\` is given more than once.`, {
        details: { parameter: name },
        hint: "Give it once; only lists may be repeated.",
      });
  }
  const parsed = schema.safeParse({ ...query, ...params });
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0]!;
  const name = issue.path.join(".");
  // A path parameter that matches no pattern names nothing; each operation has its own refusal for that.
  if (Object.hasOwn(params, name))
    throw new Refusal(refusals.find((code) => ERRORS[code].status === 404) ?? "not_found", `\`${name}\` ${issue.message}.`);
  const missing = issue.code === "invalid_type" && !Object.hasOwn(query, name);
  throw new Refusal("invalid_parameter", `\`${name}\` ${missing ? "is missing" : issue.message}.`, {
    hint: missing ? `Give \`${name}\`.` : `${didYouMean(issue, query[name])}${rightForm(issue.message, schema.shape[name])}`,
    details: { parameter: name },
  });
}

/** A list parameter may be repeated; the values are joined. */
export function joinedLists(
  { input: { shape } }: Pick<Operation, "input">,
  query: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(query).map(([name, value]) => [
      name,
      Array.isArray(value) && Object.hasOwn(shape, name) && isList(shape[name]) ? value.join(",") : value,
    ]),
  );
}

const lists = new WeakMap<z.core.$ZodType, boolean>();

function isList(parameter: z.core.$ZodType | undefined): boolean {
  if (parameter === undefined) return false;
  const known = lists.get(parameter) ?? z.toJSONSchema(parameter, { io: "input", unrepresentable: "any" }).format === COMMA_LIST;
  lists.set(parameter, known);
  return known;
}

/** Parameters that other sites add to links. They are ignored, so that a shared link still leads to its page. */
const CLICK_MARKS = /^(utm_\w+|fbclid|gclid|dclid|msclkid|yclid|igshid|mc_[ce]id|mkt_tok|ref_src)$/;

/** Forms also send empty fields, and each checked box of a list separately. */
export function formQuery(query: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(query)
      .map(([name, value]): [string, unknown] => [name, Array.isArray(value) ? value.filter((one) => one !== "").join(",") : value])
      .filter(([name, value]) => value !== "" && !CLICK_MARKS.test(name)),
  );
}

/** The value that was most likely meant, if a parameter takes only some values. */
function didYouMean(issue: z.core.$ZodIssue, given: unknown): string {
  const near =
    issue.code === "custom"
      ? (issue.params?.["meant"] as string | undefined)
      : issue.code === "invalid_value" && typeof given === "string"
        ? closestName(given, issue.values.map(String))
        : undefined;
  return near === undefined ? "" : `Did you mean \`${near}\`? `;
}

/** The rule of a form ("must be ...") as a hint ("Give ..."). */
function rightForm(rule: string, parameter: z.core.$ZodType | undefined): string {
  if (rule.startsWith("must be ")) return `Give ${rule.slice("must be ".length)}.`;
  if (rule !== "must not be empty") return `The value ${rule}.`;
  return parameter !== undefined && z.safeParse(parameter, undefined).success ? "Give it a value, or leave it out." : "Give it a value.";
}

/** Names that other services use for the same parameter; the first that exists here is suggested. */
const SYNONYMS: ReadonlyMap<string, readonly string[]> = new Map(
  Object.entries({
    "page offset next next_cursor start": ["cursor", "after"],
    "per_page page_size count size max": ["limit"],
    "search query text": ["q", "text"],
    "order order_by sort_by": ["sort"],
    type: ["kind", "field"],
    "agent user from_agent by": ["author", "agent"],
    from: ["since", "after"],
    since: ["after"],
    "topic label topics labels": ["tag", "tags"],
  }).flatMap(([names, meant]) => names.split(" ").map((name): [string, readonly string[]] => [name, meant])),
);

export function unknownParameter(name: string, known: readonly string[]): Refusal {
  const near = SYNONYMS.get(name.toLowerCase())?.find((one) => known.includes(one)) ?? closestName(name, known);
  const none = known.length === 0 ? { hint: "This address takes no parameters." } : {};
  return new Refusal("unknown_parameter", `There is no parameter ${JSON.stringify(name.slice(0, 60))} here.`, {
    ...(near === undefined ? none : { hint: `Did you mean \`${near}\`?` }),
    details: { parameter: name.slice(0, 60), known },
  });
}

// From a request's path and query to an operation's checked input, with the nearest name where one is unknown.
import { ERRORS, Refusal } from "../../core/errors.ts";
import type { Operation } from "../../operations/operation.ts";

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
        hint: "Give each parameter once; lists are comma separated.",
      });
  }
  const parsed = schema.safeParse({ ...query, ...params });
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0]!;
  const name = issue.path.join(".");
  // A path that fits no pattern names nothing, and each operation has its own word for that.
  if (Object.hasOwn(params, name))
    throw new Refusal(refusals.find((code) => ERRORS[code].status === 404) ?? "not_found", `\`${name}\` ${issue.message}.`);
  const missing = issue.code === "invalid_type" && !Object.hasOwn(query, name);
  throw new Refusal("invalid_parameter", `\`${name}\` ${missing ? "is missing" : issue.message}.`, {
    hint: missing ? `Give \`${name}\`.` : rightForm(issue.message),
    details: { parameter: name },
  });
}

/** Every form says what a value must be; the hint says the same as something to do. */
const rightForm = (rule: string): string => (rule.startsWith("must be ") ? `Give ${rule.slice("must be ".length)}.` : `The value ${rule}.`);

function unknownParameter(name: string, known: readonly string[]): Refusal {
  const near = nearest(name, known);
  const hint =
    near !== undefined
      ? `Did you mean \`${near}\`?`
      : known.length === 0
        ? "This address takes no parameters."
        : `Use one of: ${known.join(", ")}.`;
  return new Refusal("unknown_parameter", `There is no parameter ${JSON.stringify(name.slice(0, 60))} here.`, {
    hint,
    details: { parameter: name.slice(0, 60), known },
  });
}

/** The known name that takes the fewest edits, if it takes few. */
function nearest(name: string, known: readonly string[]): string | undefined {
  if (name.length > 60) return undefined;
  const scored = known.map((one) => ({ one, edits: distance(name.toLowerCase(), one) })).sort((a, b) => a.edits - b.edits);
  const best = scored[0];
  // Two edits turn anything into `q`: a name that keeps nothing of what was written is no help.
  return best !== undefined && best.edits < best.one.length && best.edits <= Math.max(2, Math.floor(best.one.length / 3))
    ? best.one
    : undefined;
}

function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, i) => i);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      next.push(Math.min(next[j - 1]! + 1, row[j]! + 1, row[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1)));
    }
    row = next;
  }
  return row[b.length]!;
}

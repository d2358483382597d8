// The manual's section on each endpoint: its parameters with their rules, taken from the schemas that check them.
import { z } from "zod";
import { headersOf, schemaOf } from "./openapi.ts";
import type { Described } from "../operation.ts";
import { parameterText, type SchemaWords } from "./parameter-text.ts";

/** Avoids repetition: a parameter or a long rule that was described before is only named. */
interface Mentioned {
  readonly parameters: Map<z.ZodType, string>;
  readonly rules: Set<string>;
}

export function endpoints(operations: readonly Described[]): string {
  const mentioned: Mentioned = { parameters: new Map(), rules: new Set() };
  return operations.map((operation) => endpoint(operation, mentioned)).join("\n\n");
}

function endpoint(described: Described, mentioned: Mentioned): string {
  const { name, method, path, summary, input, body, secret } = described;
  const lines: string[] = [];
  const again = new Map<string, string[]>();
  for (const [parameter, schema] of Object.entries(input.shape) as [string, z.ZodType][]) {
    const before = mentioned.parameters.get(schema);
    if (before === undefined)
      lines.push(`- \`${parameter}\`: ${parameterText(schema, schemaOf(schema, "input"), (rule) => briefly(rule, mentioned))}`);
    else again.set(before, [...(again.get(before) ?? []), `\`${parameter}\``]);
    mentioned.parameters.set(schema, before ?? `${method} ${path}`);
  }
  for (const [before, names] of again) lines.push(`- As at \`${before}\`: ${names.join(", ")}`);
  for (const [header, use] of Object.entries(headersOf(described))) lines.push(`- Header \`${header}\`: ${use}`);
  const fields = body?.schema instanceof z.ZodObject ? bodyOf(body.schema) : undefined;
  return [
    `<a id="${name}"></a>\n### ${method} ${path}`,
    secret === true ? `${summary} HTTPS or localhost only.` : summary,
    ...(fields === undefined ? [] : [`Body, as application/json:\n\n${fields}`]),
    ...(lines.length === 0
      ? []
      : [`${fields === undefined || Object.keys(input.shape).length === 0 ? "" : "Query:\n\n"}${lines.join("\n")}`]),
  ].join("\n\n");
}

/** The first time a rule is given in full, later without its explanation. */
function briefly(rule: string, { rules }: Mentioned): string {
  if (!rules.has(rule)) {
    rules.add(rule);
    return rule;
  }
  return rule.replace(/ \([^)]*\)/, "").split(/: | such as | of 64 /)[0] ?? rule;
}

function bodyOf(body: z.ZodObject): string {
  const { properties: words = {} } = schemaOf(body, "input") as { properties?: Readonly<Record<string, SchemaWords>> };
  return Object.entries(body.shape as Record<string, z.ZodType>)
    .map(([field, schema]) => {
      const { description, enum: values } = words[field] ?? {};
      const parts = [
        schema.safeParse(undefined).success ? "optional" : "",
        (description ?? "").replace(/\.$/, ""),
        values === undefined ? "" : values.join(" or "),
      ];
      return `- \`${field}\`${parts.some((part) => part !== "") ? `: ${parts.filter((part) => part !== "").join("; ")}` : ""}`;
    })
    .join("\n");
}

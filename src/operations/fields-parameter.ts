// The parameter `fields`: dotted paths into the record of a message; each must exist.
import { z } from "zod";
import { LIMITS } from "../core/protocol/limits.ts";
import { COMMA_LIST, splitList } from "../core/query/forms.ts";
import type { Path } from "../core/view/projection.ts";
import { type Include, INCLUDES } from "../core/view/record.ts";
import { messageBody } from "./bodies/messages.ts";

/** The parameter for records with this schema. */
export const fieldsOf = (record: z.ZodObject) =>
  pathList(record)
    .optional()
    .describe("Dotted paths of the record to return; the id is always included. Without include, the parts that they name are included.");

export const messageFields = fieldsOf(messageBody);

/** The parameters that choose how records are shown. */
export interface ShownAs {
  readonly include?: ReadonlySet<Include> | undefined;
  readonly fields?: readonly Path[] | undefined;
  readonly format?: "json" | "md" | undefined;
}

/** The parts of a record that may have many kilobytes. */
const LONG_PARTS: ReadonlySet<Include> = new Set<Include>(["body", "data", "raw"]);

/** Whether a page may have megabytes: it has many messages, or more than a preview of each. */
export const mayBeLarge = (shown: ShownAs & { readonly limit: number }): boolean =>
  shown.limit > LIMITS.list_default || !includedBy(shown, NOTHING).isDisjointFrom(LONG_PARTS);

const NOTHING: ReadonlySet<Include> = new Set();

/** The parts that records include: those in `include`, those that `fields` names, or the default of the view. Markdown has no fields. */
export function includedBy({ include, fields: paths, format }: ShownAs, usual: ReadonlySet<Include>): ReadonlySet<Include> {
  return include ?? (paths === undefined || format === "md" ? usual : partsNamed(paths));
}

function pathList(record: z.ZodObject) {
  return z
    .string()
    .regex(
      /^ *[a-z_]+(\.[\w-]+)* *(, *[a-z_]+(\.[\w-]+)* *){0,63}$/,
      "must be a comma list of dotted paths such as id,meta.title,server.author",
    )
    .meta({ format: COMMA_LIST })
    .transform((text): Path[] => splitList(text).map((path) => path.split(".")))
    .superRefine((paths, context) => {
      for (const path of paths) {
        const fault = faultOf(record, path);
        if (fault !== undefined) return context.addIssue(fault);
      }
    });
}

/** Inside free data, such as `content.data`, any path may exist. */
function faultOf(record: z.ZodObject, path: Path): string | undefined {
  let schema: z.ZodType = record;
  for (const [depth, name] of path.entries()) {
    while (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable) schema = schema.unwrap() as z.ZodType;
    const place = depth === 0 ? "the record" : `\`${path.slice(0, depth).join(".")}\``;
    if (schema instanceof z.ZodUnknown || schema instanceof z.ZodRecord) return undefined;
    if (!(schema instanceof z.ZodObject)) return `must be a comma list of dotted paths; ${place} has no fields of its own`;
    const shape = schema.shape as Readonly<Record<string, z.ZodType>>;
    const next = Object.hasOwn(shape, name) ? shape[name] : undefined;
    if (next === undefined)
      return `must be a comma list of dotted paths; ${place} has no \`${name.slice(0, 40)}\`, only ${Object.keys(shape).join(", ")}`;
    schema = next;
  }
  return undefined;
}

/** The parts of a record that the paths name, which need not be in `include` as well. */
function partsNamed(paths: readonly Path[]): ReadonlySet<Include> {
  const isNamed = (part: Include): boolean =>
    paths.some(([block, inner]) => (part === "raw" ? block === "raw" : block === "content" && (inner ?? "preview") === part));
  return new Set(INCLUDES.filter(isNamed));
}

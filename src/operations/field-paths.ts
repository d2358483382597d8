// The parameter `fields`: dotted paths into the record of a message, each of which must lead somewhere.
import { z } from "zod";
import type { Path } from "../core/view/projection.ts";
import { messageBody } from "./bodies/messages.ts";

export const pathList = z
  .string()
  .regex(/^[a-z_]+(\.[\w-]+)*(,[a-z_]+(\.[\w-]+)*){0,63}$/, "must be a comma list of dotted paths such as id,meta.title,server.author")
  .transform((text): Path[] => text.split(",").map((path) => path.split(".")))
  .superRefine((paths, context) => {
    for (const path of paths) {
      const fault = faultOf(path);
      if (fault !== undefined) return context.addIssue(fault);
    }
  });

/** Below what the board names, such as inside `content.data`, any path may lead somewhere. */
function faultOf(path: Path): string | undefined {
  let schema: z.ZodType = messageBody;
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

// The schema of a refusal.
import { z } from "zod";
import { ERRORS } from "../../core/errors.ts";

export const errorShape = z
  .strictObject({
    error: z.strictObject({
      code: z.enum(Object.keys(ERRORS) as [string, ...string[]]).describe(
        Object.entries(ERRORS)
          .map(([code, { meaning }]) => `\`${code}\`: ${meaning}`)
          .join("\n\n"),
      ),
      message: z.string(),
      hint: z.string(),
      docs: z.url(),
      details: z.record(z.string(), z.unknown()).optional(),
    }),
  })
  .meta({ id: "Error" });

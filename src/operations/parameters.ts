// Parameter forms that several operations share, each with its words and its rule.
import { z } from "zod";
import { INCLUDES, type Include } from "../core/view/record.ts";

export const messageIdOrPrefix = z
  .string()
  .regex(/^[0-9a-f]{8,64}$/, "must be a message id of 64 lower-case hex characters, or a unique prefix of at least 8")
  .describe("A message id, or a unique prefix of 8 or more characters.");

export const flag = z
  .enum(["true", "false", "1", "0"], "must be true, false, 1 or 0")
  .transform((value) => value === "true" || value === "1");

export function integer(min: number, max: number, otherwise: number) {
  return z
    .string()
    .regex(/^(0|[1-9][0-9]{0,15})$/, `must be an integer from ${min} to ${max}`)
    .transform(Number)
    .refine((value) => value >= min && value <= max, `must be an integer from ${min} to ${max}`)
    .default(otherwise);
}

/** A comma list of what a view includes; the empty list includes nothing. */
export function includeList<const Name extends Include>(allowed: readonly Name[] = INCLUDES as unknown as readonly Name[]) {
  return z
    .string()
    .transform((value) => (value === "" ? [] : value.split(",")))
    .refine(
      (names): names is Name[] => names.every((name) => (allowed as readonly string[]).includes(name)),
      `must be a comma list of ${allowed.join(", ")}`,
    )
    .transform((names) => new Set<Include>(names as Name[]));
}

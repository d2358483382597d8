// Parameter forms that several operations share, on top of the forms of the filters.
import { z } from "zod";
import { INCLUDES, type Include } from "../core/view/record.ts";

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

// Parameters that have an effect only together with another.
import { Refusal } from "../errors.ts";

/** Refuses a parameter that would be ignored: the caller expected an effect. */
export function requirePartners({ ref, rel, q, q_mode: mode }: { ref?: unknown; rel?: unknown; q?: unknown; q_mode?: unknown }): void {
  if (rel !== undefined && ref === undefined) throw lonely("rel", "ref", "the id that is referred to");
  if (mode !== undefined && q === undefined) throw lonely("q_mode", "q", "the words to look for");
}

const lonely = (parameter: string, partner: string, words: string): Refusal =>
  new Refusal("invalid_parameter", `\`${parameter}\` needs \`${partner}\`.`, {
    hint: `Give \`${partner}\`, ${words}, as well.`,
    details: { parameter },
  });

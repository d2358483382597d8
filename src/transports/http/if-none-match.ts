// Checks whether the caller already has the answer, by the validators that it sends.
import type { IncomingHttpHeaders } from "node:http";

/** Validators are compared weakly, since a proxy may have dropped or added `W/`. `tag` is weak. */
export function matchesEtag({ "if-none-match": given }: IncomingHttpHeaders, tag: string): boolean {
  return given?.includes(tag.slice("W/".length)) === true;
}

/** `*` matches any answer. Whether there is one is known only after the answer is made. */
export const matchesAnyEtag = ({ "if-none-match": given }: IncomingHttpHeaders): boolean => given?.trim() === "*";

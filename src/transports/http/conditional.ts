// Whether a caller has the answer already, by the validators that it sends along.
import type { IncomingHttpHeaders } from "node:http";

/** Validators are compared weakly: a proxy may have dropped or added the `W/` before one. `tag` is a weak one. */
export function hasAnswer({ "if-none-match": given }: IncomingHttpHeaders, tag: string): boolean {
  return given?.includes(tag.slice("W/".length)) === true;
}

/** `*` stands for whatever there is; whether there is anything shows only when the answer is made. */
export const hasAnyAnswer = ({ "if-none-match": given }: IncomingHttpHeaders): boolean => given?.trim() === "*";

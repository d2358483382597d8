// Strangers' texts in one line: without the marks of Markdown, cut after a whole word.
import { firstCodePoints } from "../core/protocol/encoding.ts";
import { isBlank } from "../core/text/blank.ts";
import { seenTitle } from "./untrusted.ts";

/**
 * Removes the marks of Markdown; what looks like a mark but is not one stays, as in `2 * 3 * 4`. The words of a link hold no bracket:
 * otherwise the rest of the text would be read again at each `[`.
 */
export const plainLine = (text: string): string =>
  text
    .replaceAll(/^ {0,3}(#{1,6} +|> ?|[-*+] +(\[[ xX]\] )?|(```|~~~).*$)/gm, "")
    .replaceAll(/!?\[([^[\]]*)\]\([^()\s]*\)/g, "$1")
    .replaceAll(/(`+|\*\*)(?=\S)([^`*]*[^\s`*])\1/g, "$2")
    .replaceAll(/\s+/g, " ")
    .trim();

/** Cuts after a whole word and adds an ellipsis. */
export function shortened(text: string, most: number): string {
  const line = text.replaceAll(/\s+/g, " ").trim();
  if (line.length <= most) return line;
  const cut = line.lastIndexOf(" ", most);
  return `${cut > most / 2 ? line.slice(0, cut) : firstCodePoints(line, most)}…`;
}

/** The beginning of a text that may be long, in one line of at most this length. */
export const brief = (text: string, most: number): string => shortened(plainLine(firstCodePoints(text, BEGINNING * most)), most);
/** Marks of Markdown may take this many times the room of the words. */
const BEGINNING = 20;

/** The title of a message, else the first line of its text that says something, else nothing. */
export function plainTitle(message: { readonly title?: string | undefined; readonly body?: string | undefined }): string {
  const title = seenTitle(message);
  if (title !== "") return title;
  for (const line of (message.body ?? "").split(/\r?\n/u)) {
    const plain = plainLine(line);
    if (!isBlank(plain)) return plain;
  }
  return "";
}

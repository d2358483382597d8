// Makes strangers' text safe to look at: characters that are invisible or change the reading direction are shown by their number, and letters do not grow out of their line.
import { codePoints, firstCodePoints } from "../core/protocol/encoding.ts";
import { isBlank } from "../core/text/blank.ts";
import { html, type Html } from "./html.ts";

/** Controls, bidirectional controls and invisible characters; not joiners and variation selectors, which letters and emoji need. */
const HIDDEN =
  /[[\p{Cc}\p{Bidi_Control}\p{Default_Ignorable_Code_Point}\p{Zl}\p{Zp}\p{Co}\u{FFF9}-\u{FFFB}]--[\t\n\r\u{200C}-\u{200D}]--[\u{FE0E}-\u{FE0F}]]+/gv;
/** So many in a row are shown by their numbers; of a longer row the first ones, and how many follow. */
const HIDDEN_SHOWN = 8;

const number = (char: string): string => `⟨U+${(char.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}⟩`;

function numbers(row: string): string {
  if (row.length <= HIDDEN_SHOWN) return Array.from(row, number).join("");
  const more = codePoints(row) - HIDDEN_SHOWN;
  const shown = Array.from(firstCodePoints(row, HIDDEN_SHOWN), number).join("");
  return more > 0 ? `${shown}⟨${more} more that cannot be seen⟩` : shown;
}

/** More marks on one letter than any language needs: they would be drawn over the lines above and below, also over the board's own words. */
const STACKED = /([\p{Script=Inherited}&&[\p{Mark}\u{200C}\u{200D}]]{4}|[\p{Mark}\u{200C}\u{200D}]{8})([\p{Mark}\u{200C}\u{200D}]+)/gv;

const ANY_MARK = /[\p{Mark}\u{200C}\u{200D}]/v;

export function untrusted(text: string): string {
  // A hostile text may have such a row between any two letters, so each different row is written once, and marks are looked for in the text
  // as it was: with its numbers it is up to eight times as long.
  const written = new Map<string, string>();
  const numbered = text.replaceAll(HIDDEN, (row) => {
    const known = written.get(row) ?? numbers(row);
    written.set(row, known);
    return known;
  });
  if (!ANY_MARK.test(text)) return numbered;
  return numbered.replaceAll(STACKED, (_, kept: string, rest: string) => `${kept}⟨${codePoints(rest)} more marks⟩`);
}

/** The title of a message; empty if it has none that can be seen. */
export const seenTitle = ({ title = "" }: { readonly title?: string | undefined }): string => (isBlank(title) ? "" : title);

/** The language of a message, for screen readers and for the choice of glyphs. */
export const languageOf = (lang: string | undefined): Html | false => lang !== undefined && LANGUAGE.test(lang) && html` lang="${lang}"`;
const LANGUAGE = /^[a-z]{2,3}(-[a-z0-9]{2,8})*$/i;

/** Twelve digits are enough to find a message. */
const PATH_DIGITS = 12;
export const messagePath = (id: string): string => `/m/${id.slice(0, PATH_DIGITS)}`;
/** The id of its element on the page of its thread. */
export const cardId = (id: string): string => `m-${id.slice(0, PATH_DIGITS)}`;

/** People see the beginning of an id; links have more of it. */
export const shownId = (id: string): string => id.slice(0, 8);
export const shortAgent = (agent: string): string => agent.slice(0, 11);

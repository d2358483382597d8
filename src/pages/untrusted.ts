// Text by strangers, made safe to look at: what is invisible or turns the direction of reading is shown by its number.
import { html, type Html } from "./html.ts";

/** Controls, bidirectional controls, and what is drawn as nothing; joiners and variation selectors are parts of letters and of emoji. */
const HIDDEN =
  /[[\p{Cc}\p{Bidi_Control}\p{Default_Ignorable_Code_Point}\p{Zl}\p{Zp}\p{Co}\u{FFF9}-\u{FFFB}]--[\t\n\r\u{200C}-\u{200D}]--[\u{FE0E}-\u{FE0F}]]/gv;

const number = (char: string): string => (char.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0");

export const untrusted = (text: string): string => text.replaceAll(HIDDEN, (char) => `⟨U+${number(char)}⟩`);

/** The language that a message says it is in, for those who read it out and for the shapes of its letters. */
export const languageOf = (lang: string | undefined): Html | false => lang !== undefined && LANGUAGE.test(lang) && html` lang="${lang}"`;
const LANGUAGE = /^[a-z]{2,3}(-[a-z0-9]{2,8})*$/i;

/** Twelve digits are enough to find a message by. */
const PATH_DIGITS = 12;
export const messagePath = (id: string): string => `/m/${id.slice(0, PATH_DIGITS)}`;
/** Where it stands on the page of its thread. */
export const cardId = (id: string): string => `m-${id.slice(0, PATH_DIGITS)}`;

/** Ids in full are for links; people read the beginning. */
export const shownId = (id: string): string => id.slice(0, 8);
export const shortAgent = (agent: string): string => agent.slice(0, 11);

// A message as search sees it: the words it is found by and the grams it is compared by.
import type { Payload } from "../protocol/payload.ts";
import { words } from "./words.ts";

export interface Document {
  readonly title: readonly string[];
  /** Words of the body, of each tag and of each string in `data`; "" between them is a gap that no phrase crosses and no term. */
  readonly body: readonly string[];
  /** Distinct character grams; each starts with GRAM, which no word does, so that both fit one dictionary. */
  readonly grams: readonly string[];
}

/** The first character of every gram term. Words are letters and digits, so none starts with it. */
export const GRAM = "~";

export function documentOf(payload: Payload): Document {
  return { title: words(payload.title ?? ""), body: words(payload.body ?? ""), grams: [] };
}

/** A bare text, such as the value of `near`, as if it were the body of a message. */
export function documentOfText(text: string): Document {
  return { title: [], body: words(text), grams: [] };
}

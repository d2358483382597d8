// A message as search sees it: the words it is found by and the grams it is compared by.
import type { Payload } from "../protocol/payload.ts";
import { grams } from "./grams.ts";
import { runs, words, wordsOf } from "./words.ts";

export interface Document {
  readonly title: readonly string[];
  /** Words of the body, of each tag and of each string in `data`; "" between them is a gap that no phrase crosses and no term. */
  readonly body: readonly string[];
  /** Distinct character grams; each starts with GRAM, which no word does, so that both fit one dictionary. */
  readonly grams: readonly string[];
  /** Title and body as they are written, by which its meaning is found. */
  readonly said: string;
}

export function documentOf(payload: Payload): Document {
  const title = runs(payload.title ?? "");
  const text = runs(payload.body ?? "");
  const body = wordsOf(text);
  const add = (piece: string): void => {
    body.push("");
    for (const word of words(piece)) body.push(word);
  };
  for (const tag of payload.tags ?? []) add(tag);
  if (payload.data !== undefined) eachString(payload.data, add);
  return { title: wordsOf(title), body, grams: grams(title, text), said: `${payload.title ?? ""} ${payload.body ?? ""}` };
}

/** A bare text, such as the value of `near`, as if it were the body of a message. */
export function documentOfText(text: string): Document {
  const found = runs(text);
  return { title: [], body: wordsOf(found), grams: grams([], found), said: text };
}

/** Depth first, in the order written. `data` is bounded in size and depth where the payload is checked. */
function eachString(value: unknown, visit: (text: string) => void): void {
  if (typeof value === "string") visit(value);
  else if (typeof value === "object" && value !== null) for (const item of Object.values(value)) eachString(item, visit);
}

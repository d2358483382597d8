// A message as search sees it: the words by which it is found and the grams by which it is compared.
import type { Payload } from "../protocol/payload.ts";
import { GramCache } from "./grams.ts";
import { foldedRuns, StemCache, words, wordsOf } from "./words.ts";

export interface Document {
  readonly title: readonly string[];
  /**
   * Words of the body, of each tag and of each string in `data`; "" between them is a gap that no phrase crosses and that is not a term.
   */
  readonly body: readonly string[];
  /** Distinct character grams; each starts with GRAM, which no word does, so that both fit into one dictionary. */
  readonly grams: readonly string[];
  /** Title and body as written, from which its meaning is computed. */
  readonly said: string;
}

/** Belongs to whoever reads many texts. */
export class WordCaches {
  readonly stems = new StemCache();
  readonly grams = new GramCache();
}

export function documentOf(payload: Payload, { stems, grams }: WordCaches = new WordCaches()): Document {
  const title = foldedRuns(payload.title ?? "");
  const text = foldedRuns(payload.body ?? "");
  const body = wordsOf(text, stems);
  const add = (piece: string): void => {
    body.push("");
    for (const word of words(piece, stems)) body.push(word);
  };
  for (const tag of payload.tags ?? []) add(tag);
  if (payload.data !== undefined) eachString(payload.data, add);
  return { title: wordsOf(title, stems), body, grams: grams.grams(title, text), said: `${payload.title ?? ""} ${payload.body ?? ""}` };
}

/** A plain text, such as the value of `near`, as if it were the body of a message. */
export function documentOfText(text: string, { stems, grams }: WordCaches = new WordCaches()): Document {
  const found = foldedRuns(text);
  return { title: [], body: wordsOf(found, stems), grams: grams.grams(found), said: text };
}

/** Depth first, in the order written. The payload check bounds `data` in size and depth. */
function eachString(value: unknown, visit: (text: string) => void): void {
  if (typeof value === "string") visit(value);
  else if (typeof value === "object" && value !== null) for (const item of Object.values(value)) eachString(item, visit);
}

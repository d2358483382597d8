// Lexical similarity: the rarest words and character grams of a text, weighted by how rare they are on the board.
import type { Document } from "./document.ts";
import { GRAM } from "./grams.ts";
import type { AskedMeaning } from "./meaning/fuse-scores.ts";

/**
 * `near` keeps messages with at least this score: most rewordings of a text, and few unrelated texts. A list of the most similar needs no
 * threshold.
 */
export const NEAR_THRESHOLD = 0.25;

/** The index's document frequencies (words and grams alike, grams with their mark). */
export interface TermStats {
  readonly documents: number;
  frequency(term: string): number;
}

/** A gram if it starts with GRAM, else a word of title or body; it counts once per document, however often it occurs. */
export interface NearTerm {
  readonly term: string;
  readonly weight: number;
}

/**
 * The chosen terms of a text, and how many distinct words and grams it has in all.
 * The weights sum to 1, and a document never scores more than the weights of the terms it has.
 */
export interface Near {
  readonly terms: readonly NearTerm[];
  readonly words: number;
  readonly grams: number;
  /** The meaning of the text, if it is known. */
  readonly meaning?: AskedMeaning;
}

/** The parameters of one half of the score: number of terms, share, and what counts as "the beginning" and as "long". */
interface Half {
  readonly chosen: number;
  readonly share: number;
  readonly lead: number;
  readonly pivot: number;
}
/** Words carry meaning; grams find compounds, inflections and typos. A word has about four grams. */
const WORDS: Half = { chosen: 24, share: 0.6, lead: 24, pivot: 5 };
const GRAMS: Half = { chosen: 40, share: 0.4, lead: 96, pivot: 20 };
/** This many terms from the beginning of a text are looked up in the index to choose from. */
const CONSIDERED = 1024;

export function prepareNear(document: Document, stats: TermStats): Near {
  const counts = textWords(document);
  const words = choose([...counts.keys()], WORDS, stats, (word) => 1 + 0.3 * Math.log(counts.get(word) ?? 1));
  const grams = choose(document.grams, GRAMS, stats, () => 1);
  const total = (words.length > 0 ? WORDS.share : 0) + (grams.length > 0 ? GRAMS.share : 0);
  const terms = [...words, ...grams].map(({ term, weight }) => ({ term, weight: weight / total }));
  return { terms, words: counts.size, grams: document.grams.length };
}

/** 0 to 1, 1 for the same text; from the chosen terms and the document alone, so that the live stream agrees with the index. */
export function nearScore(near: Near, document: Document): number {
  const has = new Set([...document.title, ...document.body, ...document.grams]);
  let words = 0;
  let grams = 0;
  for (const { term, weight } of near.terms) {
    if (!has.has(term)) continue;
    if (term.startsWith(GRAM)) grams += weight;
    else words += weight;
  }
  return scoreOf(near, { words, grams }, { words: distinctWords(document), grams: document.grams.length });
}

interface Counts {
  readonly words: number;
  readonly grams: number;
}

/** The score from the shared weights of a document and the number of its distinct words and grams: the index has no more. */
export function scoreOf(near: Counts, shared: Counts, document: Counts): number {
  const score =
    shared.words * brevity(near.words, document.words, WORDS.pivot) + shared.grams * brevity(near.grams, document.grams, GRAMS.pivot);
  // Six digits, so that sums in another order give the same score, and the same text scores exactly 1.
  return Math.round(score * 1e6) / 1e6;
}

/** The most that `scoreOf` may round up. */
export const ROUNDING = 1e-6;

const distinctWords = (document: Document): number => textWords(document).size;

/** The terms with the highest weight: rare on the board, near the beginning (where texts say what they are about), repeated. */
function choose(terms: readonly string[], half: Half, stats: TermStats, emphasis: (term: string) => number): NearTerm[] {
  const weighted = terms.slice(0, CONSIDERED).map((term, at) => {
    const frequency = stats.frequency(term);
    const rarity = Math.log(1 + (Math.max(0, stats.documents - frequency) + 0.5) / (frequency + 0.5));
    const lead = 1 + 1 / (1 + (at / half.lead) ** 2);
    // A term that no message has finds nothing, so it is chosen last: it only shows that the text is different.
    return { term, alone: frequency === 0 ? 1 : 0, weight: rarity * lead * emphasis(term) };
  });
  const chosen = weighted.sort((a, b) => a.alone - b.alone || b.weight - a.weight).slice(0, half.chosen);
  const sum = chosen.reduce((total, { weight }) => total + weight, 0);
  return chosen.map(({ term, weight }) => ({ term, weight: (weight / sum) * half.share }));
}

/** A document longer than the text has many terms by chance, so each counts less. A shorter document already lacks some. */
function brevity(text: number, document: number, pivot: number): number {
  return document <= text ? 1 : ((text + pivot) / (document + pivot)) ** 0.75;
}

/** Where the compared words end; tags and data count only if there is no other text. */
export function textEnd({ title, body }: Pick<Document, "title" | "body">): number {
  const gap = body.indexOf("");
  return gap < 0 || (gap === 0 && title.length === 0) ? body.length : gap;
}

/** The distinct words of title and body with their counts. */
function textWords({ title, body }: Document): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const word of [...title, ...body.slice(0, textEnd({ title, body }))]) {
    if (word !== "") counts.set(word, (counts.get(word) ?? 0) + 1);
  }
  return counts;
}

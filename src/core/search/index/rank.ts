// Full-text ranking, after BM25F: rarer words count more, the title counts more than the body, and repetition counts ever less.
import type { Query } from "../query.ts";
import { Best, type Hit } from "./best.ts";
import type { Part, Postings } from "./part.ts";
import { type Selection, select } from "./selection.ts";
import type { SeqSet } from "./seq-set.ts";

const TITLE_WEIGHT = 3;
const SATURATION = 1.2;
/** How much longer texts are held against their words. */
const TITLE_LENGTH = 0.3;
const BODY_LENGTH = 0.6;

/** What scores hang on besides the document itself; pages of one list share the stats of the first. */
export interface CorpusStats {
  readonly documents: number;
  /** Mean lengths in words. */
  readonly title: number;
  readonly body: number;
  /** In how many documents each clause stands. */
  readonly clauses: readonly number[];
}

export interface RankScope {
  readonly limit: number;
  readonly after?: Hit | undefined;
  readonly only?: SeqSet | undefined;
  readonly stats?: CorpusStats | undefined;
}

/** `parts` together hold each document of the board once; the answer depends on the documents alone, not on how they are spread. */
export function rank(parts: readonly Part[], query: Query, { limit, after, only, stats: pinned }: RankScope) {
  const selections = parts.map((part) => select(part, query));
  const stats = pinned ?? statsOf(selections);
  const best = new Best(limit, after);
  let total = 0;
  for (const selection of selections) {
    const { seqs } = selection.part;
    const scores = scoresOf(selection, stats);
    for (let i = 0; i < selection.docs.length; i++) {
      const seq = seqs[selection.docs[i]!]!;
      if (only !== undefined && !only.has(seq)) continue;
      total++;
      best.offer(seq, scores[i]!);
    }
  }
  return { hits: best.hits(), total, stats };
}

function statsOf(selections: readonly Selection[]): CorpusStats {
  let documents = 0;
  let title = 0;
  let body = 0;
  const clauses: number[] = selections[0]?.clauses.map(() => 0) ?? [];
  for (const { part, clauses: found } of selections) {
    documents += part.documents - part.deadCount;
    title += part.titleWords;
    body += part.bodyWords;
    for (const [c, postings] of found.entries()) clauses[c]! += liveCount(part, postings);
  }
  return { documents, title: title / Math.max(1, documents), body: body / Math.max(1, documents), clauses };
}

export function liveCount({ dead, deadCount }: Part, { docs }: Postings): number {
  if (deadCount === 0) return docs.length;
  let count = 0;
  for (let i = 0; i < docs.length; i++) count += 1 - dead[docs[i]!]!;
  return count;
}

/** 0 to below 1: the share of the query's weight that the document earns. */
function scoresOf({ part, clauses, docs }: Selection, stats: CorpusStats): Float64Array {
  const scores = new Float64Array(docs.length);
  const { titleLengths, bodyLengths } = part;
  const weights = clauses.map((_, c) => rarity(stats.clauses[c] ?? 0, stats.documents));
  const whole = weights.reduce((sum, weight) => sum + weight, 0);
  const perTitleWord = TITLE_LENGTH / Math.max(1, stats.title);
  const perBodyWord = BODY_LENGTH / Math.max(1, stats.body);
  for (const [c, postings] of clauses.entries()) {
    const weight = weights[c]! / whole;
    const { docs: having, titles, bodies } = postings;
    for (let i = 0, p = 0; i < docs.length; i++) {
      const doc = docs[i]!;
      while (p < having.length && having[p]! < doc) p++;
      if (p === having.length) break;
      if (having[p] !== doc) continue;
      let earned = bodies[p]! / (1 - BODY_LENGTH + perBodyWord * bodyLengths[doc]!);
      if (titles[p]! > 0) earned += (TITLE_WEIGHT * titles[p]!) / (1 - TITLE_LENGTH + perTitleWord * titleLengths[doc]!);
      scores[i]! += (weight * earned) / (SATURATION + earned);
    }
  }
  return scores;
}

const rarity = (having: number, documents: number): number => Math.log(1 + Math.max(0, documents - having + 0.5) / (having + 0.5));

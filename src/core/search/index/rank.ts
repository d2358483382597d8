// Full-text ranking: rarer words count more. Documents are read in blocks, the most promising first, until no other block can contain one of the best.
import type { Query } from "../query.ts";
import { Best, type Hit } from "./top-hits.ts";
import { ClauseBlocks } from "./clause-blocks.ts";
import { Bm25f, saturated } from "./bm25f.ts";
import { BLOCK, blocksOf } from "./block-maxima.ts";
import type { IndexPart, MeanLengths } from "./index-part.ts";
import type { SeqSet } from "./seq-set.ts";

/** The statistics that scores depend on besides the document itself; all pages of one list use those of the first. */
export interface CorpusStats extends MeanLengths {
  readonly documents: number;
  /** The number of documents with each clause. */
  readonly clauses: readonly number[];
}

export interface RankScope {
  readonly limit: number;
  readonly after?: Hit | undefined;
  readonly only?: SeqSet | undefined;
  readonly stats?: CorpusStats | undefined;
}

/** The query, prepared for one part. */
interface PartQuestion {
  readonly part: IndexPart;
  readonly clauses: readonly ClauseBlocks[];
  readonly not: readonly ClauseBlocks[];
}

/**
 * Each document of the board is in exactly one of `parts`; the result depends on the documents alone, not on how they are spread over
 * parts.
 */
export function rank(parts: readonly IndexPart[], query: Query, { limit, after, only, stats: pinned }: RankScope) {
  const questions = parts.map((part) => ({
    part,
    clauses: query.clauses.map((clause) => new ClauseBlocks(part, clause)),
    not: query.not.map((clause) => new ClauseBlocks(part, clause)),
  }));
  const stats = pinned ?? statsOf(questions, query);
  const weights = query.clauses.map((_, c) => rarity(stats.clauses[c] ?? 0, stats.documents));
  const whole = weights.reduce((sum, weight) => sum + weight, 0);
  const ranking = new Ranking(
    query.mode,
    stats,
    weights.map((weight) => weight / whole),
    new Best(limit, after),
    only,
  );
  // The hits of the largest part rule out most blocks of the others.
  for (const question of questions.sort((a, b) => b.part.documents - a.part.documents)) ranking.take(question);
  return { hits: ranking.best.hits(), stats };
}

function statsOf(questions: readonly PartQuestion[], query: Query): CorpusStats {
  let documents = 0;
  let title = 0;
  let body = 0;
  const clauses: number[] = query.clauses.map(() => 0);
  for (const { part, clauses: found } of questions) {
    documents += part.documents - part.deadCount;
    title += part.titleWords;
    body += part.bodyWords;
    for (const [c, { live }] of found.entries()) clauses[c]! += live;
  }
  return { documents, title: title / Math.max(1, documents), body: body / Math.max(1, documents), clauses };
}

const rarity = (having: number, documents: number): number => Math.log(1 + Math.max(0, documents - having + 0.5) / (having + 0.5));

const EXCLUDED = 0xff;

class Ranking {
  readonly best: Best;
  readonly #mode: Query["mode"];
  readonly #stats: CorpusStats;
  /** Weights of the clauses; their sum is 1. */
  readonly #weights: readonly number[];
  readonly #bm25f: Bm25f;
  readonly #only: SeqSet | undefined;
  /**
   * For the documents of a block: the score, 0 to below 1, which is the earned share of the query's weight; and the number of matching
   * clauses.
   */
  readonly #scores = new Float64Array(BLOCK);
  readonly #counts = new Uint8Array(BLOCK);

  constructor(mode: Query["mode"], stats: CorpusStats, weights: readonly number[], best: Best, only: SeqSet | undefined) {
    this.#mode = mode;
    this.#stats = stats;
    this.#weights = weights;
    this.#bm25f = new Bm25f(stats);
    this.best = best;
    this.#only = only;
  }

  take(question: PartQuestion): void {
    const { part, clauses } = question;
    if (this.#mode === "all" && clauses.some(({ empty }) => empty)) return;
    const bounds = this.#bounds(question);
    const promising: number[] = [];
    for (let block = 0; block < bounds.length; block++) {
      if (bounds[block]! >= Math.max(0, this.best.least) && this.#wanted(part, block)) promising.push(block);
    }
    promising.sort((a, b) => bounds[b]! - bounds[a]!);
    for (const block of promising) {
      if (bounds[block]! < this.best.least) return;
      this.#takeBlock(question, block);
    }
  }

  /** For each block, an upper bound of the scores of its documents; below 0 if none can match. */
  #bounds({ part, clauses, not }: PartQuestion): Float64Array {
    const sums = new Float64Array(blocksOf(part.documents)).fill(clauses.length === 0 ? 0 : -1);
    for (const clause of not) clause.bounds(0, this.#stats);
    for (const [c, clause] of clauses.entries()) {
      const bounds = clause.bounds(this.#weights[c]!, this.#stats);
      const optional = this.#mode === "any";
      for (let block = 0; block < sums.length; block++) {
        if (bounds[block] === 0) sums[block] = optional ? sums[block]! : -1;
        else if (c === 0 || sums[block]! >= 0) sums[block] = Math.max(0, sums[block]!) + bounds[block]!;
        else if (optional) sums[block] = bounds[block]!;
      }
    }
    return sums;
  }

  /** Whether any of the wanted messages is in the block. */
  #wanted({ seqs, documents }: IndexPart, block: number): boolean {
    const only = this.#only;
    if (only === undefined) return true;
    for (let doc = block * BLOCK; doc < Math.min(documents, (block + 1) * BLOCK); doc++) if (only.has(seqs[doc]!)) return true;
    return false;
  }

  #takeBlock({ part, clauses, not }: PartQuestion, block: number): void {
    const scores = this.#scores.fill(0);
    const counts = this.#counts.fill(0);
    const first = block * BLOCK;
    for (let c = 0; c < clauses.length; c++) {
      const clause = clauses[c]!;
      const weight = this.#weights[c]!;
      clause.read(block);
      const { docs, titles, bodies } = clause.postings;
      for (let i = clause.from; i < clause.to; i++) {
        const doc = docs[i]!;
        scores[doc - first]! += saturated(weight, this.#bm25f.of(part, doc, titles[i]!, bodies[i]!));
        counts[doc - first]!++;
      }
    }
    for (const clause of not) {
      clause.read(block);
      for (let i = clause.from; i < clause.to; i++) counts[clause.postings.docs[i]! - first] = EXCLUDED;
    }
    const least = this.#mode === "all" ? clauses.length : Math.min(1, clauses.length);
    for (let i = 0; i < Math.min(BLOCK, part.documents - first); i++) {
      if (counts[i]! < least || counts[i] === EXCLUDED || scores[i]! < this.best.least || part.dead[first + i] === 1) continue;
      const seq = part.seqs[first + i]!;
      if (this.#only === undefined || this.#only.has(seq)) this.best.offer(seq, scores[i]!);
    }
  }
}

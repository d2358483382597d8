// Full-text ranking, after BM25F: rarer words count more, the title counts more than the body, and repetition counts ever less.
import type { Query } from "../query.ts";
import { Best, type Hit } from "./best.ts";
import type { Part } from "./part.ts";
import { Room } from "./room.ts";
import { seek } from "./seek.ts";
import { PartQuery, type Selection } from "./selection.ts";
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

const room = new Room();

/** `parts` together hold each document of the board once; the answer depends on the documents alone, not on how they are spread. */
export function rank(parts: readonly Part[], query: Query, { limit, after, only, stats: pinned }: RankScope) {
  const questions = parts.map((part) => new PartQuery(part, query));
  const stats = pinned ?? statsOf(questions, query);
  const best = new Best(limit, after);
  for (const question of questions) {
    const { part } = question;
    const { clauses, docs: all } = question.select(room);
    const docs = only === undefined ? all : all.filter((doc) => only.has(part.seqs[doc]!));
    if (docs.length === 0) continue;
    offerAll(best, part, docs, scoresOf(part, { clauses, docs }, stats));
  }
  return { hits: best.hits(), stats };
}

function offerAll(best: Best, { seqs }: Part, docs: Uint32Array, scores: Float64Array): void {
  let { least } = best;
  for (let i = 0; i < docs.length; i++) {
    if (scores[i]! < least) continue;
    best.offer(seqs[docs[i]!]!, scores[i]!);
    ({ least } = best);
  }
}

function statsOf(questions: readonly PartQuery[], query: Query): CorpusStats {
  let documents = 0;
  let title = 0;
  let body = 0;
  const clauses: number[] = query.clauses.map(() => 0);
  for (const question of questions) {
    documents += question.part.documents - question.part.deadCount;
    title += question.part.titleWords;
    body += question.part.bodyWords;
    for (const [c, live] of question.liveCounts().entries()) clauses[c]! += live;
  }
  return { documents, title: title / Math.max(1, documents), body: body / Math.max(1, documents), clauses };
}

/** 0 to below 1: the share of the query's weight that the document earns. */
function scoresOf({ titleLengths, bodyLengths }: Part, { clauses, docs }: Selection, stats: CorpusStats): Float64Array {
  const scores = room.scores(0, docs.length);
  const weights = clauses.map((_, c) => rarity(stats.clauses[c] ?? 0, stats.documents));
  const whole = weights.reduce((sum, weight) => sum + weight, 0);
  const perTitleWord = TITLE_LENGTH / Math.max(1, stats.title);
  const perBodyWord = BODY_LENGTH / Math.max(1, stats.body);
  for (const [c, { docs: having, titles, bodies }] of clauses.entries()) {
    const weight = weights[c]! / whole;
    for (let i = 0, p = 0; i < docs.length; i++) {
      const doc = docs[i]!;
      if (having[p]! < doc) p = seek(having, doc, p);
      if (p === having.length) break;
      if (having[p] !== doc) continue;
      let earned = bodies[p]! / (1 - BODY_LENGTH + perBodyWord * bodyLengths[doc]!);
      if (titles[p]! > 0) earned += (TITLE_WEIGHT * titles[p]!) / (1 - TITLE_LENGTH + perTitleWord * titleLengths[doc]!);
      scores[i]! += (weight * earned) / (SATURATION + earned);
      p++;
    }
  }
  return scores;
}

const rarity = (having: number, documents: number): number => Math.log(1 + Math.max(0, documents - having + 0.5) / (having + 0.5));

// Listings that a text takes part in: the index finds and ranks, the store filters and fills in.
import type { Condition } from "../core/query/condition.ts";
import { type Order, ORDERS, type Position } from "../core/query/order.ts";
import { documentOfText } from "../core/search/document.ts";
import type { Hit } from "../core/search/index/best.ts";
import type { CorpusStats } from "../core/search/index/rank.ts";
import { parseQuery, type Query } from "../core/search/query.ts";
import { NEAR_THRESHOLD, type Near } from "../core/search/similarity.ts";
import type { SearchIndex } from "../ports/search.ts";
import type { Store } from "../ports/store.ts";
import { flagged } from "./flag-ahead.ts";
import type { NearSource } from "./near-source.ts";
import { type Item, type Question, sortOf, type TextSearch } from "./list.ts";
import { nextSlice } from "../ports/share.ts";

/** What the scores were made of, so that they stay the same on the next page, and with them what counts as similar. */
interface Pins {
  readonly stats?: CorpusStats;
  readonly near?: Near;
}
/** Where a page ended: by rank, or by the key of another sort. */
type TextPosition = Pins & ({ readonly after: Hit } | { readonly at: Position });

/** So few messages are looked up by their filters first; the rest is searched first. */
const FEW = 5000;
/** All that counts as similar to one text. */
const NEAR_LIMIT = 1000;
/** Below this, two texts share no more than common words. */
const ANY_LIKENESS = 0.05;
const CHUNK = 100;
const LARGEST_CHUNK = 2000;
/** So many messages are read between two turns of the event loop. */
const STEP = 500;

interface Like {
  readonly near: Near;
  readonly exclude: number | undefined;
  readonly threshold: number;
}

interface Ranking {
  (options: { limit: number; after: Hit | undefined; only: Uint32Array | undefined }): Promise<readonly Hit[]>;
  /** What pins the scores, known after the first call. */
  readonly pins: () => Pins;
}

export function textSearch(store: Store, index: SearchIndex, sourceOf: NearSource): TextSearch {
  return async (question, condition, { after, upTo }) => {
    const query = question.q === undefined ? undefined : parseQuery(question.q, question.q_mode ?? "all");
    const position = after as TextPosition | undefined;
    const like = await nearOf(question, upTo, position?.near);
    const ranking = rankingOf(query, like, upTo, position?.stats);
    const wanted = like?.exclude === undefined ? condition : { is: "and" as const, of: [...conditionsOf(condition), notSeq(like.exclude)] };
    if (sortOf(question) === "relevance")
      return ranked(question, wanted, ranking, position !== undefined && "after" in position ? position.after : undefined);
    return sorted(question, wanted, ranking, query, position !== undefined && "at" in position ? position.at : undefined, upTo);
  };

  function rankingOf(query: Query | undefined, like: Like | undefined, upTo: number, given: CorpusStats | undefined): Ranking {
    const near = like?.near;
    let stats = given;
    const rank = async (limit: number, after: Hit | undefined, only: Uint32Array | undefined) => {
      if (query === undefined) return [];
      const options = {
        upTo,
        limit,
        ...(after === undefined ? {} : { after }),
        ...(only === undefined ? {} : { only }),
        ...(stats === undefined ? {} : { stats }),
      };
      const answer = await index.rank(query, options);
      stats = answer.stats;
      return answer.hits;
    };
    const similar = async (limit: number, after: Hit | undefined, only: Uint32Array | undefined) => {
      if (like === undefined) return [];
      const options = {
        upTo,
        limit,
        threshold: like.threshold,
        ...(after === undefined ? {} : { after }),
        ...(only === undefined ? {} : { only }),
      };
      return (await index.similar(like.near, options)).hits;
    };
    const hits = async ({ limit, after, only }: { limit: number; after: Hit | undefined; only: Uint32Array | undefined }) => {
      if (near === undefined) return rank(limit, after, only);
      if (query === undefined) return similar(limit, after, only);
      // Both: what is similar enough, of that what matches, by the mean of the two scores.
      const alike = new Map((await similar(NEAR_LIMIT, undefined, only)).map((hit) => [hit.seq, hit.score]));
      const matching = await rank(NEAR_LIMIT, undefined, seqArray(alike.keys()));
      const both = matching
        .map(({ seq, score }) => ({ seq, score: (score + (alike.get(seq) ?? 0)) / 2 }))
        .sort((a, b) => b.score - a.score || b.seq - a.seq);
      return both
        .filter((hit) => after === undefined || hit.score < after.score || (hit.score === after.score && hit.seq < after.seq))
        .slice(0, limit);
    };
    return Object.assign(hits, { pins: () => ({ ...(stats === undefined ? {} : { stats }), ...(near === undefined ? {} : { near }) }) });
  }

  /** Walks the ranking from the best on, keeping what the filters keep. */
  async function ranked(question: Question, condition: Condition, ranking: Ranking, start: Hit | undefined) {
    const only = await fewOf(question, condition);
    const items: Item[] = [];
    let after = start;
    for (let chunk = Math.max(CHUNK, question.limit + 1); items.length <= question.limit; chunk = Math.min(chunk * 4, LARGEST_CHUNK)) {
      const hits = await ranking({ limit: chunk, after, only });
      const found = await byseq(condition, hits);
      for (const hit of hits) {
        const item = found.get(hit.seq);
        if (item !== undefined) items.push({ ...item, score: hit.score });
      }
      after = hits.at(-1);
      if (hits.length < chunk) break;
    }
    const page = await flagged(items.slice(0, question.limit));
    const positionOf = ({ position: { seq }, score = 0 }: Item): TextPosition => ({ after: { seq, score }, ...ranking.pins() });
    return { items: page, more: items.length > page.length, positionOf };
  }

  /** Matches in an order of their own; the score is only shown. */
  async function sorted(
    question: Question,
    condition: Condition,
    ranking: Ranking,
    query: Query | undefined,
    after: Position | undefined,
    upTo: number,
  ) {
    const sort = sortOf(question);
    const order = ORDERS[sort === "relevance" ? "new" : sort];
    const limit = question.limit + 1;
    const only = await fewOf(question, condition);
    // Similarity is bounded by itself; words may match very much.
    const matching =
      question.near === undefined && question.like === undefined && query !== undefined
        ? await index.matching(query, { upTo, ...(only === undefined ? {} : { only }) })
        : seqArray((await ranking({ limit: NEAR_LIMIT, after: undefined, only })).map((hit) => hit.seq));
    let found: readonly Item[];
    if (matching.length <= FEW) {
      found = await store.list({ condition, order, after, limit, removed: false, only: [...matching] });
    } else if (order.key === "seq") {
      found = await alongMatches(matching, condition, order, after, limit);
    } else {
      found = await alongOrder(matching, condition, order, after, limit);
    }
    const page = await flagged(found.slice(0, question.limit));
    const hits =
      page.length === 0
        ? []
        : await ranking({ limit: page.length, after: undefined, only: seqArray(page.map((item) => item.position.seq)) });
    const scores = new Map(hits.map((hit) => [hit.seq, hit.score]));
    const shown = page.map((item) => ({ ...item, score: scores.get(item.position.seq) ?? 0 }));
    const positionOf = ({ position }: Item): TextPosition => ({ at: position, ...ranking.pins() });
    return { items: shown, more: found.length > page.length, positionOf };
  }

  /** In the order of seq the matches themselves lead the way. */
  async function alongMatches(matching: Uint32Array, condition: Condition, order: Order, after: Position | undefined, limit: number) {
    const seqs = order.descending ? matching.toReversed() : matching;
    const past = (seq: number): boolean => after === undefined || (order.descending ? seq < after.seq : seq > after.seq);
    const found: Item[] = [];
    for (let at = seqs.findIndex(past); at >= 0 && at < seqs.length && found.length < limit; at += STEP) {
      const only = [...seqs.subarray(at, at + STEP)];
      found.push(...(await store.list({ condition, order, after: undefined, limit: limit - found.length, removed: false, only })));
      await nextSlice();
    }
    return found;
  }

  /** In another order the store leads, and what does not match is passed over. */
  async function alongOrder(matching: Uint32Array, condition: Condition, order: Order, after: Position | undefined, limit: number) {
    const found: Item[] = [];
    let from = after;
    while (found.length < limit) {
      const step = await store.list({ condition, order, after: from, limit: STEP, removed: false, only: undefined });
      found.push(...step.filter((item) => includes(matching, item.position.seq)));
      from = step.at(-1)?.position;
      if (step.length < STEP) break;
      await nextSlice();
    }
    return found.slice(0, limit);
  }

  /** The messages that the filters leave, where they are few and filters were given at all. */
  async function fewOf({ filters, ref, after_seq: afterSeq }: Question, condition: Condition): Promise<Uint32Array | undefined> {
    if (ref === undefined && afterSeq === undefined && Object.values(filters).every((value) => value === undefined)) return undefined;
    const seqs = await store.listSeqs({ condition, order: ORDERS.new, after: undefined, limit: FEW + 1, removed: false, only: undefined });
    return seqs.length <= FEW ? seqArray(seqs) : undefined;
  }

  async function byseq(condition: Condition, hits: readonly Hit[]): Promise<ReadonlyMap<number, Item>> {
    if (hits.length === 0) return new Map();
    const listed = await store.list({
      condition,
      order: ORDERS.new,
      after: undefined,
      limit: hits.length,
      removed: false,
      only: hits.map((hit) => hit.seq),
    });
    return new Map(listed.map((item) => [item.position.seq, item]));
  }

  /** What the question compares with: what `near` stands for, or a text as it is. */
  async function nearOf({ near, like }: Question, upTo: number, pinned: Near | undefined): Promise<Like | undefined> {
    const text = near ?? like;
    if (text === undefined) return undefined;
    const source = near === undefined ? undefined : await sourceOf(near);
    const prepared = pinned ?? (await index.near(source?.document ?? documentOfText(text), upTo));
    return { near: prepared, exclude: source?.seq, threshold: near === undefined ? ANY_LIKENESS : NEAR_THRESHOLD };
  }
}

const conditionsOf = (condition: Condition): readonly Condition[] => (condition.is === "and" ? condition.of : [condition]);
const notSeq = (seq: number): Condition => ({ is: "not", of: { is: "between", field: "seq", min: seq, max: seq } });
const seqArray = (seqs: Iterable<number>): Uint32Array => Uint32Array.from([...seqs].sort((a, b) => a - b));

function includes(sorted: Uint32Array, seq: number): boolean {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (sorted[middle]! < seq) low = middle + 1;
    else high = middle;
  }
  return sorted[low] === seq;
}

// Listings with a search text: the index finds and ranks, the store filters and reads the messages.
import type { Condition } from "../../core/query/condition.ts";
import { ORDERS, type Position } from "../../core/query/order.ts";
import type { Hit } from "../../core/search/index/top-hits.ts";
import { parseQuery, type Query } from "../../core/search/query.ts";
import type { SearchIndex } from "../../ports/search.ts";
import { nextSlice } from "../../ports/cpu-slices.ts";
import type { ListQuery, ListReads } from "../../ports/store.ts";
import { flagged } from "./warm-guard-flags.ts";
import { type Item, type Question, sortOf, type TextSearch } from "./list.ts";
import type { NearSource } from "./resolve-near.ts";
import { likeOf, NEAR_LIMIT, type Pins, type Ranking, rankingOf, seqArray } from "./text-ranking.ts";

/** The position where a page ended: by rank, or by the key of another sort. */
type TextPosition = Pins & ({ readonly after: Hit } | { readonly at: Position });

/** If the filters leave at most this many messages, they are looked up first; otherwise the search comes first. */
const FEW = 5000;
const CHUNK = 100;
const LARGEST_CHUNK = 2000;
/** Messages that are read between two turns of the event loop. */
const MESSAGES_PER_TURN = 500;

export function textSearch(store: ListReads, index: SearchIndex, sourceOf: NearSource): TextSearch {
  return async (question, condition, { after, upTo }) => {
    const query = question.q === undefined ? undefined : parseQuery(question.q, question.q_mode ?? "all");
    const position = after as TextPosition | undefined;
    const like = await likeOf(question, position?.near, { index, sourceOf, upTo });
    const ranking = rankingOf(index, { query, like, upTo, stats: position?.stats });
    const wanted = like?.exclude === undefined ? condition : { is: "and" as const, of: [...conditionsOf(condition), notSeq(like.exclude)] };
    if (sortOf(question) === "relevance")
      return ranked(question, wanted, ranking, position !== undefined && "after" in position ? position.after : undefined);
    return sorted(question, wanted, ranking, query, position !== undefined && "at" in position ? position.at : undefined, upTo);
  };

  /** Scans the ranking from the best on, and keeps what passes the filters. */
  async function ranked(question: Question, condition: Condition, ranking: Ranking, start: Hit | undefined) {
    const only = await fewOf(question, condition);
    const items: Item[] = [];
    let after = start;
    for (let chunk = Math.max(CHUNK, question.limit + 1); items.length <= question.limit; chunk = Math.min(chunk * 4, LARGEST_CHUNK)) {
      const hits = await ranking({ limit: chunk, after, only });
      const found = await bySeq(store, condition, hits);
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

  /** Matches in another order; the score is only shown. */
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
    const only = await fewOf(question, condition);
    // Similar messages are few; matches of words may be very many.
    const matching =
      question.near === undefined && question.like === undefined && query !== undefined
        ? await index.matching(query, { upTo, only })
        : seqArray((await ranking({ limit: NEAR_LIMIT, after: undefined, only })).map((hit) => hit.seq));
    const found = await along(store, matching, { condition, order, after, limit: question.limit + 1 });
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

  /** The messages that pass the filters, if they are few and there are filters at all. */
  async function fewOf({ filters, ref, after_seq: afterSeq }: Question, condition: Condition): Promise<Uint32Array | undefined> {
    if (ref === undefined && afterSeq === undefined && Object.values(filters).every((value) => value === undefined)) return undefined;
    const seqs = await store.listSeqs({ condition, order: ORDERS.new, after: undefined, limit: FEW + 1, removed: false, only: undefined });
    return seqs.length <= FEW ? seqArray(seqs) : undefined;
  }
}

type Listing = Pick<ListReads, "list">;
type Walk = Pick<ListQuery, "condition" | "order" | "after" | "limit">;

/** The matches that pass the filters, in the requested order. */
async function along(store: Listing, matching: Uint32Array, walk: Walk): Promise<readonly Item[]> {
  if (matching.length <= FEW) return store.list({ ...walk, removed: false, only: [...matching] });
  return walk.order.key === "seq" ? alongMatches(store, matching, walk) : alongOrder(store, matching, walk);
}

/** In the order of seq the matches themselves are scanned. */
async function alongMatches(store: Listing, matching: Uint32Array, { condition, order, after, limit }: Walk) {
  const seqs = order.descending ? matching.toReversed() : matching;
  const past = (seq: number): boolean => after === undefined || (order.descending ? seq < after.seq : seq > after.seq);
  const found: Item[] = [];
  for (let at = seqs.findIndex(past); at >= 0 && at < seqs.length && found.length < limit; at += MESSAGES_PER_TURN) {
    const only = [...seqs.subarray(at, at + MESSAGES_PER_TURN)];
    found.push(...(await store.list({ condition, order, after: undefined, limit: limit - found.length, removed: false, only })));
    await nextSlice();
  }
  return found;
}

/** In another order the store is scanned, and what does not match is skipped. */
async function alongOrder(store: Listing, matching: Uint32Array, { condition, order, after, limit }: Walk) {
  const found: Item[] = [];
  let from = after;
  while (found.length < limit) {
    const batch = await store.list({ condition, order, after: from, limit: MESSAGES_PER_TURN, removed: false, only: undefined });
    found.push(...batch.filter((item) => includes(matching, item.position.seq)));
    from = batch.at(-1)?.position;
    if (batch.length < MESSAGES_PER_TURN) break;
    await nextSlice();
  }
  return found.slice(0, limit);
}

async function bySeq(store: Listing, condition: Condition, hits: readonly Hit[]): Promise<ReadonlyMap<number, Item>> {
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

const conditionsOf = (condition: Condition): readonly Condition[] => (condition.is === "and" ? condition.of : [condition]);
const notSeq = (seq: number): Condition => ({ is: "not", of: { is: "between", field: "seq", min: seq, max: seq } });

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

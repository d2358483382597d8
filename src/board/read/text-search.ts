// Listings with a search text: the index finds and ranks, by words, by similarity or by both; the store filters and reads the messages.
import { and, type Condition, not, partsOf } from "../../core/query/condition.ts";
import { ORDERS, type Position } from "../../core/query/order.ts";
import { parseQuery, type Query } from "../../core/search/query.ts";
import { nextSlice } from "../../ports/cpu-slices.ts";
import type { ListQuery, ListReads } from "../../ports/store.ts";
import { flagged } from "./warm-guard-flags.ts";
import { type Item, type Question, sortOf, type TextSearch } from "./list.ts";
import { seek } from "../../core/search/index/gallop.ts";
import type { Hit } from "../../core/search/index/top-hits.ts";
import type { CorpusStats } from "../../core/search/index/rank.ts";
import { NEAR_THRESHOLD, type Near } from "../../core/search/similarity.ts";
import type { RankOptions, SearchIndex } from "../../ports/search.ts";
import type { NearSource } from "./resolve-near.ts";

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
    const wanted = like?.exclude === undefined ? condition : and(...partsOf(condition), notSeq(like.exclude));
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
        : seqArray((await ranking({ limit: NEAR_LIMIT, only })).map((hit) => hit.seq));
    const found = await along(store, matching, { condition, order, after, limit: question.limit + 1 });
    const page = await flagged(found.slice(0, question.limit));
    const hits = page.length === 0 ? [] : await ranking({ limit: page.length, only: seqArray(page.map((item) => item.position.seq)) });
    const scores = new Map(hits.map((hit) => [hit.seq, hit.score]));
    const shown = page.map((item) => ({ ...item, score: scores.get(item.position.seq) ?? 0 }));
    const positionOf = ({ position }: Item): TextPosition => ({ at: position, ...ranking.pins() });
    return { items: shown, more: found.length > page.length, positionOf };
  }

  /** The messages that pass the filters, if they are few and there are filters at all. */
  async function fewOf({ filters, ref, after_seq: afterSeq }: Question, condition: Condition): Promise<Uint32Array | undefined> {
    if (ref === undefined && afterSeq === undefined && Object.values(filters).every((value) => value === undefined)) return undefined;
    const seqs = await store.listSeqs({ condition, order: ORDERS.new, limit: FEW + 1 });
    return seqs.length <= FEW ? seqArray(seqs) : undefined;
  }
}

type Listing = Pick<ListReads, "list">;
type Walk = Pick<ListQuery, "condition" | "order" | "after" | "limit">;

/** The matches that pass the filters, in the requested order. */
async function along(store: Listing, matching: Uint32Array, walk: Walk): Promise<readonly Item[]> {
  if (matching.length <= FEW) return store.list({ ...walk, only: [...matching] });
  return walk.order.key === "seq" ? alongMatches(store, matching, walk) : alongOrder(store, matching, walk);
}

/** In the order of seq the matches themselves are scanned. */
async function alongMatches(store: Listing, matching: Uint32Array, { condition, order, after, limit }: Walk) {
  const seqs = order.descending ? matching.toReversed() : matching;
  const past = (seq: number): boolean => after === undefined || (order.descending ? seq < after.seq : seq > after.seq);
  const found: Item[] = [];
  for (let at = seqs.findIndex(past); at >= 0 && at < seqs.length && found.length < limit; at += MESSAGES_PER_TURN) {
    const only = [...seqs.subarray(at, at + MESSAGES_PER_TURN)];
    found.push(...(await store.list({ condition, order, limit: limit - found.length, only })));
    await nextSlice();
  }
  return found;
}

/** In another order the store is scanned, and what does not match is skipped. */
async function alongOrder(store: Listing, matching: Uint32Array, { condition, order, after, limit }: Walk) {
  const found: Item[] = [];
  let from = after;
  while (found.length < limit) {
    const batch = await store.list({ condition, order, after: from, limit: MESSAGES_PER_TURN });
    found.push(...batch.filter((item) => matching[seek(matching, item.position.seq, 0)] === item.position.seq));
    from = batch.at(-1)?.position;
    if (batch.length < MESSAGES_PER_TURN) break;
    await nextSlice();
  }
  return found.slice(0, limit);
}

async function bySeq(store: Listing, condition: Condition, hits: readonly Hit[]): Promise<ReadonlyMap<number, Item>> {
  if (hits.length === 0) return new Map();
  const listed = await store.list({ condition, order: ORDERS.new, limit: hits.length, only: hits.map((hit) => hit.seq) });
  return new Map(listed.map((item) => [item.position.seq, item]));
}

const notSeq = (seq: number): Condition => not({ is: "between", field: "seq", min: seq, max: seq });

/** What the scores depend on, kept so that scores, and what counts as similar, stay the same on the next page. */
interface Pins {
  readonly stats?: CorpusStats;
  readonly near?: Near;
}

/** The most messages that count as similar to one text. */
const NEAR_LIMIT = 1000;
/** Below this score, two texts share only common words and no meaning. */
const ANY_LIKENESS = 0.02;

interface Like {
  readonly near: Near;
  readonly exclude: number | undefined;
  readonly threshold: number;
}

type Wanted = Pick<RankOptions, "limit" | "after" | "only">;

interface Ranking {
  (wanted: Wanted): Promise<readonly Hit[]>;
  /** What fixes the scores, known after the first call. */
  readonly pins: () => Pins;
}

interface Ranked {
  readonly query: Query | undefined;
  readonly like: Like | undefined;
  readonly upTo: number;
  readonly stats: CorpusStats | undefined;
}

function rankingOf(index: SearchIndex, { query, like, upTo, stats: given }: Ranked): Ranking {
  const near = like?.near;
  let stats = given;
  const rank = async (wanted: Wanted) => {
    if (query === undefined) return [];
    const answer = await index.rank(query, { ...wanted, upTo, stats });
    stats = answer.stats;
    return answer.hits;
  };
  const similar = async (wanted: Wanted) =>
    like === undefined ? [] : (await index.similar(like.near, { ...wanted, upTo, threshold: like.threshold })).hits;
  const hits = async (wanted: Wanted) => {
    if (near === undefined) return rank(wanted);
    if (query === undefined) return similar(wanted);
    const { limit, after, only } = wanted;
    // Both: messages that are similar enough and match, by the mean of the two scores.
    const alike = new Map((await similar({ limit: NEAR_LIMIT, only })).map((hit) => [hit.seq, hit.score]));
    const matching = await rank({ limit: NEAR_LIMIT, only: seqArray(alike.keys()) });
    const both = matching
      .map(({ seq, score }) => ({ seq, score: (score + (alike.get(seq) ?? 0)) / 2 }))
      .sort((a, b) => b.score - a.score || b.seq - a.seq);
    return both
      .filter((hit) => after === undefined || hit.score < after.score || (hit.score === after.score && hit.seq < after.seq))
      .slice(0, limit);
  };
  return Object.assign(hits, { pins: () => ({ ...(stats === undefined ? {} : { stats }), ...(near === undefined ? {} : { near }) }) });
}

/** The text of the comparison: the message that `near` names, or a text itself. */
async function likeOf(
  { near, like }: Pick<Question, "near" | "like">,
  pinned: Near | undefined,
  { index, sourceOf, upTo }: { readonly index: SearchIndex; readonly sourceOf: NearSource; readonly upTo: number },
): Promise<Like | undefined> {
  const text = near ?? like;
  if (text === undefined) return undefined;
  const { document, seq } = near === undefined ? sourceOf.text(text) : await sourceOf.of(text);
  const prepared = pinned ?? (await index.near(document, upTo));
  return { near: prepared, exclude: seq, threshold: near === undefined ? ANY_LIKENESS : NEAR_THRESHOLD };
}

const seqArray = (seqs: Iterable<number>): Uint32Array => Uint32Array.from(seqs).sort();

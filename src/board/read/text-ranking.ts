// How messages rank by a text: by its words, by similarity, or by both.
import { documentOfText } from "../../core/search/document.ts";
import type { Hit } from "../../core/search/index/top-hits.ts";
import type { CorpusStats } from "../../core/search/index/rank.ts";
import type { Query } from "../../core/search/query.ts";
import { NEAR_THRESHOLD, type Near } from "../../core/search/similarity.ts";
import type { SearchIndex } from "../../ports/search.ts";
import type { Question } from "./list.ts";
import type { NearSource } from "./resolve-near.ts";

/** What the scores depend on, kept so that scores, and what counts as similar, stay the same on the next page. */
export interface Pins {
  readonly stats?: CorpusStats;
  readonly near?: Near;
}

/** The most messages that count as similar to one text. */
export const NEAR_LIMIT = 1000;
/** Below this score, two texts share only common words and no meaning. */
const ANY_LIKENESS = 0.02;

export interface Like {
  readonly near: Near;
  readonly exclude: number | undefined;
  readonly threshold: number;
}

export interface Ranking {
  (options: { limit: number; after: Hit | undefined; only: Uint32Array | undefined }): Promise<readonly Hit[]>;
  /** What fixes the scores, known after the first call. */
  readonly pins: () => Pins;
}

interface Ranked {
  readonly query: Query | undefined;
  readonly like: Like | undefined;
  readonly upTo: number;
  readonly stats: CorpusStats | undefined;
}

export function rankingOf(index: SearchIndex, { query, like, upTo, stats: given }: Ranked): Ranking {
  const near = like?.near;
  let stats = given;
  const rank = async (limit: number, after: Hit | undefined, only: Uint32Array | undefined) => {
    if (query === undefined) return [];
    const answer = await index.rank(query, { upTo, limit, after, only, stats });
    stats = answer.stats;
    return answer.hits;
  };
  const similar = async (limit: number, after: Hit | undefined, only: Uint32Array | undefined) => {
    if (like === undefined) return [];
    return (await index.similar(like.near, { upTo, limit, threshold: like.threshold, after, only })).hits;
  };
  const hits = async ({ limit, after, only }: { limit: number; after: Hit | undefined; only: Uint32Array | undefined }) => {
    if (near === undefined) return rank(limit, after, only);
    if (query === undefined) return similar(limit, after, only);
    // Both: messages that are similar enough and match, by the mean of the two scores.
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

/** The text of the comparison: the message that `near` names, or a text itself. */
export async function likeOf(
  { near, like }: Pick<Question, "near" | "like">,
  pinned: Near | undefined,
  { index, sourceOf, upTo }: { readonly index: SearchIndex; readonly sourceOf: NearSource; readonly upTo: number },
): Promise<Like | undefined> {
  const text = near ?? like;
  if (text === undefined) return undefined;
  const source = near === undefined ? undefined : await sourceOf(near);
  const prepared = pinned ?? (await index.near(source?.document ?? documentOfText(text), upTo));
  return { near: prepared, exclude: source?.seq, threshold: near === undefined ? ANY_LIKENESS : NEAR_THRESHOLD };
}

export const seqArray = (seqs: Iterable<number>): Uint32Array => Uint32Array.from([...seqs].sort((a, b) => a - b));

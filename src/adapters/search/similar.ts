// The messages nearest to a text: those that share the most weight by the index, then scored exactly from their own text.
import type { Payload } from "../../core/protocol/payload.ts";
import { documentOf } from "../../core/search/document.ts";
import { Best } from "../../core/search/index/best.ts";
import { sharing } from "../../core/search/index/near.ts";
import type { Part } from "../../core/search/index/part.ts";
import type { SeqSet } from "../../core/search/index/seq-set.ts";
import { type Near, nearScore } from "../../core/search/similarity.ts";
import type { Ranked, RankOptions, SearchSource } from "../../ports/search.ts";

/** How many are scored exactly; more when more are asked for. */
const CANDIDATES = 200;

export async function similar(
  parts: readonly Part[],
  source: SearchSource,
  near: Near,
  { limit, after, threshold }: RankOptions & { readonly threshold: number },
  only: SeqSet | undefined,
): Promise<Ranked> {
  const candidates = sharing(parts, near, threshold, Math.max(CANDIDATES, limit), only);
  const best = new Best(limit, after);
  let total = 0;
  for (const { seq, payload } of await source.payloads(candidates.map((hit) => hit.seq))) {
    const score = nearScore(near, documentOf(JSON.parse(payload) as Payload));
    if (score < threshold) continue;
    total++;
    best.offer(seq, score);
  }
  return { hits: best.hits(), total };
}

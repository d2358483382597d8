// Compares the search index with the store: it has every live message, and no message that has ended.
import type { IndexInventory } from "../../../adapters/search/index-inventory.ts";
import type { Entry } from "../../../core/log/chain.ts";
import type { Store } from "../../../ports/store.ts";
import { isEnding } from "./endings-decisions-aliases.ts";
import type { Findings } from "./findings.ts";

const WHERE = "search index";

/** `index` was read before the store, so messages that are not in it yet, or that ended since, are not findings. */
export async function compareIndex(
  store: Store,
  index: IndexInventory | undefined,
  messages: ReadonlyMap<string, number>,
  others: readonly Entry[],
  findings: Findings,
): Promise<void> {
  if (index === undefined) return;
  if (index.damage !== undefined) return findings.add(WHERE, `is damaged: ${index.damage}`);
  const { seq: upTo, hash, building } = index.progress;
  const [last] = await store.entries(upTo - 1, 1);
  // The board rebuilds an index that belongs to another log.
  if (upTo > 0 && last?.hash !== hash) return;
  const live = new Set(messages.values());
  for (const [id, seq] of messages)
    if (seq <= (building ?? upTo) && !index.seqs.has(seq)) findings.add(WHERE, `lacks message ${id}, which is live`);
  const ends = new Map(others.filter(isEnding).map(({ id, seq }) => [id, seq]));
  for (const seq of index.seqs) {
    if (live.has(seq)) continue;
    const [created] = await store.entries(seq - 1, 1);
    if ((ends.get(created?.id ?? "") ?? 0) <= upTo)
      findings.add(WHERE, `still has message ${created?.id ?? `of entry ${seq}`}, which is gone`);
  }
}

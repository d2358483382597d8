// How many messages a store keeps in memory after their first reading.
import { type Recent, recentTexts } from "../../core/recent.ts";
import type { Card } from "../../ports/store.ts";

/** About 3 KB each; but a payload can be half a megabyte, so their sum is bounded as well. */
export const CARDS_KEPT = 20_000;
const CHARS_KEPT = 32 * 1024 * 1024;

/** By seq. */
export const cardMemory = <Kept extends Pick<Card, "raw">>(): Recent<number, Kept> =>
  recentTexts(CARDS_KEPT, CHARS_KEPT, ({ raw }) => raw.payload.length);

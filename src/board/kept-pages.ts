// Pages that many readers ask for, kept until the log moves or one of their messages ends.
import { LIMITS } from "../core/protocol/limits.ts";
import type { Listed } from "../ports/store.ts";
import { type Freshness, Memo } from "./freshness.ts";

/** What tells one page from another. */
interface Asked {
  readonly limit: number;
  readonly cursor?: string | undefined;
  readonly text: string;
}

interface Content {
  readonly items: readonly Listed[];
}

export type PageOf<Kept> = Kept & { readonly latestSeq: number; readonly asOf: number };

/** At the most; half as many stay at the least. Room for what readers come back to, such as the tags and authors they follow. */
const PAGES_KEPT = 600;
const CHARS_KEPT = 4 * LIMITS.page_bytes;

export class KeptPages<Kept extends Content> {
  readonly #memo = new Memo<Kept>(PAGES_KEPT, CHARS_KEPT, charsOf);

  find(asked: Asked, at: Freshness): PageOf<Kept> | undefined {
    const kept = this.#memo.find(keyOf(asked), at);
    return kept === undefined ? undefined : pageAt(kept, at);
  }

  /** The page, which is kept unless it moves with the clock. */
  keep(asked: Asked, at: Freshness, content: Kept, moves: boolean): PageOf<Kept> {
    if (!moves) this.#memo.keep(keyOf(asked), at, content, endOf(content));
    return pageAt(content, at);
  }
}

export const pageAt = <Kept>(content: Kept, { seq, now }: Freshness): PageOf<Kept> => ({ ...content, latestSeq: seq, asOf: now });

/** No cursor and an empty one, which is refused, are two questions. */
const keyOf = ({ text, limit, cursor }: Asked): string => `${limit} ${JSON.stringify(cursor ?? null)} ${text}`;

/** Of all its payloads. */
const charsOf = ({ items }: Content): number => items.reduce((sum, item) => sum + ("card" in item ? item.card.raw.payload.length : 0), 0);

/** When the first of its messages ends. */
const endOf = ({ items }: Content): number =>
  items.reduce((least, item) => ("card" in item ? Math.min(least, item.card.standing.expiresAt) : least), Infinity);

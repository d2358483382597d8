// The one memory of answers: pages that many readers ask for, kept until the log moves or one of their messages ends.
import { LIMITS } from "../../core/protocol/limits.ts";
import { boundedTextCache } from "../../core/bounded-cache.ts";
import type { Listed } from "../../ports/store.ts";
import { Freshness } from "./freshness.ts";

/** What tells one page from another. */
interface Asked {
  readonly limit: number;
  readonly cursor?: string | undefined;
  readonly text: string;
}

interface Kept<Content> {
  readonly content: Content;
  readonly from: number;
  readonly until: number;
}

export type PageOf<Content> = Content & { readonly latestSeq: number; readonly asOf: number };

/** At the most; half as many stay at the least. Room for what readers come back to, such as the tags and authors they follow. */
const PAGES_KEPT = 600;
const CHARS_KEPT = 4 * LIMITS.page_bytes;

/** It knows one state of the board: when that moves, it forgets everything. */
export class PageCache<Content extends { readonly items: readonly Listed[] }> {
  readonly #pages = boundedTextCache<string, Kept<Content>>(PAGES_KEPT, CHARS_KEPT, ({ content }) => sumOf(content.items));
  #at = new Freshness(-1, null, 0);

  find(asked: Asked, at: Freshness): PageOf<Content> | undefined {
    if (at.isAs(this.#at)) {
      const kept = this.#pages.get(keyOf(asked));
      return kept !== undefined && at.holds(kept.from, kept.until) ? pageAt(kept.content, at) : undefined;
    }
    this.#pages.clear();
    this.#at = at;
    return undefined;
  }

  /**
   * The page, which is kept unless it moves with the clock. `at` was taken before it was read: if the log has moved since, the page is
   * only too new for it.
   */
  keep(asked: Asked, at: Freshness, content: Content, moves: boolean): PageOf<Content> {
    if (!moves && at.isAs(this.#at)) this.#pages.set(keyOf(asked), { content, from: at.now, until: endOf(content.items) });
    return pageAt(content, at);
  }
}

export const pageAt = <Content>(content: Content, { seq, now }: Freshness): PageOf<Content> => ({ ...content, latestSeq: seq, asOf: now });

/** No cursor and an empty one, which is refused, are two questions. */
const keyOf = ({ text, limit, cursor }: Asked): string => `${limit} ${JSON.stringify(cursor ?? null)} ${text}`;

/** The characters of all payloads. */
const sumOf = (items: readonly Listed[]): number =>
  items.reduce((sum, item) => sum + ("card" in item ? item.card.raw.payload.length : 0), 0);

/** When the first of the messages ends. */
const endOf = (items: readonly Listed[]): number =>
  items.reduce((least, item) => ("card" in item ? Math.min(least, item.card.standing.expiresAt) : least), Infinity);

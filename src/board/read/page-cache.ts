// The cache of pages, which are kept until the log has a new entry or one of their messages ends.
import { LIMITS } from "../../core/protocol/limits.ts";
import { boundedTextCache } from "../../core/bounded-cache.ts";
import type { Listed } from "../../ports/store.ts";
import { Freshness } from "./cache-freshness.ts";

/** The key of a page. */
interface Asked {
  readonly limit: number;
  readonly cursor?: string | undefined;
  readonly enoughBytes?: number | undefined;
  readonly fingerprint: string;
}

interface CachedPage<Content> {
  readonly content: Content;
  readonly from: number;
  readonly until: number;
}

export type PageOf<Content> = Content & { readonly latestSeq: number; readonly asOf: number };

/**
 * The most pages in the cache; when it is full, at least half of them stay. That is enough for what readers come back to, such as the tags
 * and authors they follow.
 */
const MAX_PAGES = 600;
const MAX_CHARS = 4 * LIMITS.page_bytes;
/** Payloads of a page that is cached: of a longer one little is shown, so that caching it would not be worth the memory. */
const MAX_PAGE_CHARS = LIMITS.page_bytes;

/** The cache belongs to one state of the board: when the board changes, the cache is emptied. */
export class PageCache<Content extends { readonly items: readonly Listed[] }> {
  readonly #pages = boundedTextCache<string, CachedPage<Content>>(MAX_PAGES, MAX_CHARS, ({ content }) => sumOf(content.items));
  #at = new Freshness({ seq: -1, hash: "" }, null, 0);

  /** The page, from the cache or made now; `moves` says that it depends on the clock, and then it is not cached. */
  async of(asked: Asked, at: Freshness, moves: boolean, make: () => Promise<Content>): Promise<PageOf<Content>> {
    return this.find(asked, at) ?? this.keep(asked, at, await make(), moves);
  }

  find(asked: Asked, at: Freshness): PageOf<Content> | undefined {
    if (at.isAs(this.#at)) {
      const cached = this.#pages.get(keyOf(asked));
      return cached !== undefined && at.holds(cached.from, cached.until) ? pageAt(cached.content, at) : undefined;
    }
    this.#pages.clear();
    this.#at = at;
    return undefined;
  }

  /**
   * Returns the page, and caches it unless it depends on the clock. `at` was taken before the page was read: if the log has changed since,
   * the page is only newer than it claims.
   */
  keep(asked: Asked, at: Freshness, content: Content, moves: boolean): PageOf<Content> {
    if (!moves && at.isAs(this.#at) && sumOf(content.items) <= MAX_PAGE_CHARS)
      this.#pages.set(keyOf(asked), { content, from: at.now, until: endOf(content.items) });
    return pageAt(content, at);
  }
}

const pageAt = <Content>(content: Content, { seq, now }: Freshness): PageOf<Content> => ({ ...content, latestSeq: seq, asOf: now });

/** No cursor and an empty cursor, which is refused, are two different queries. */
const keyOf = ({ fingerprint, limit, cursor, enoughBytes = 0 }: Asked): string =>
  `${limit} ${enoughBytes} ${JSON.stringify(cursor ?? null)} ${fingerprint}`;

/** The length of all payloads. */
const sumOf = (items: readonly Listed[]): number =>
  items.reduce((sum, item) => sum + ("stored" in item ? item.stored.raw.payload.length : 0), 0);

/** When the first of the messages ends. */
const endOf = (items: readonly Listed[]): number =>
  items.reduce((least, item) => ("stored" in item ? Math.min(least, item.stored.state.expiresAt) : least), Infinity);

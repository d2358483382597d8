// Pages that many readers ask for, kept until the log moves or one of their messages ends.
import { LIMITS } from "../core/protocol/limits.ts";
import type { FilterName, FilterValues } from "../core/query/filters.ts";
import { recentTexts } from "../core/recent.ts";
import type { Listed } from "../ports/store.ts";

/** Where the board stood when somebody asked: its log, the next thing due, and the time. */
export interface Moment {
  readonly seq: number;
  readonly due: number | null;
  readonly now: number;
}

/** What tells one page from another. */
interface Question {
  readonly filters: FilterValues;
  readonly include_removed?: boolean | undefined;
  readonly limit: number;
  readonly cursor?: string | undefined;
  readonly text: string;
}

/** What is kept of a page. */
interface Content {
  readonly items: readonly Listed[];
  readonly nextCursor: string | null;
  readonly cursorAfter: (item: Listed) => string;
}

interface KeptPage extends Content {
  readonly from: number;
  readonly until: number;
  /** Of all its payloads. */
  readonly chars: number;
}

/** Filters whose meaning moves with the clock alone. */
const MOVING: readonly FilterName[] = ["since", "until", "expiring_within", "min_author_age"];
/** At the most; half as many stay at the least. Room for what readers come back to, such as the tags and authors they follow. */
const PAGES_KEPT = 600;
const CHARS_KEPT = 4 * LIMITS.page_bytes;

export class KeptPages {
  readonly #pages = recentTexts<string, KeptPage>(PAGES_KEPT, CHARS_KEPT, ({ chars }) => chars);
  #seq = -1;
  #due: number | null = null;

  find(question: Question, { seq, due, now }: Moment): Content | undefined {
    if (seq !== this.#seq || due !== this.#due) {
      this.#pages.clear();
      this.#seq = seq;
      this.#due = due;
      return undefined;
    }
    // Where nothing may be written, what is due changes pages without an entry.
    if (due !== null && due <= now) return undefined;
    const page = this.#pages.get(keyOf(question));
    return page !== undefined && page.from <= now && now < page.until ? page : undefined;
  }

  /** `moment` was taken before the page was read: if the log has moved since, the page is only too new for it. */
  keep(question: Question, { seq, due, now }: Moment, content: Content): void {
    const moves = question.include_removed === true || MOVING.some((name) => question.filters[name] !== undefined);
    if (moves || seq !== this.#seq || due !== this.#due) return;
    // What is due already, on a board that may not write, ends without an entry.
    const { items } = content;
    const until = items.reduce((least, item) => ("card" in item ? Math.min(least, item.card.standing.expiresAt) : least), Infinity);
    const chars = items.reduce((sum, item) => sum + ("card" in item ? item.card.raw.payload.length : 0), 0);
    this.#pages.set(keyOf(question), { ...content, from: now, until, chars });
  }
}

/** No cursor and an empty one, which is refused, are two questions. */
const keyOf = ({ text, limit, cursor }: Question): string => `${limit} ${JSON.stringify(cursor ?? null)} ${text}`;

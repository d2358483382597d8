// Pages that many readers ask for, kept until the log moves or one of their messages ends.
import { LIMITS } from "../core/protocol/limits.ts";
import type { FilterName } from "../core/query/filters.ts";
import { charsOf } from "./fitting.ts";
import type { Page, Question } from "./list.ts";

/** Where the board stood when somebody asked: its log, the next thing due, and the time. */
export interface Moment {
  readonly seq: number;
  readonly due: number | null;
  readonly now: number;
}

type Content = Pick<Page, "items" | "nextCursor">;

/** Filters whose meaning moves with the clock alone. */
const MOVING: readonly FilterName[] = ["since", "until", "expiring_within", "min_author_age"];
const PAGES_KEPT = 300;
const CHARS_KEPT = 16 * LIMITS.page_chars;

export class KeptPages {
  readonly #pages = new Map<string, Content & { readonly from: number; readonly until: number }>();
  #seq = -1;
  #due: number | null = null;
  /** Of all payloads on the pages kept. */
  #chars = 0;

  find(question: Question, { seq, due, now }: Moment): Content | undefined {
    if (seq !== this.#seq || due !== this.#due) {
      this.#clear();
      this.#seq = seq;
      this.#due = due;
      return undefined;
    }
    const page = this.#pages.get(keyOf(question));
    return page !== undefined && page.from <= now && now < page.until ? { items: page.items, nextCursor: page.nextCursor } : undefined;
  }

  /** `moment` was taken before the page was read: if the log has moved since, the page is only too new for it. */
  keep(question: Question, { seq, due, now }: Moment, { items, nextCursor }: Content): void {
    const moves = question.include_removed === true || MOVING.some((name) => question.filters[name] !== undefined);
    if (moves || seq !== this.#seq || due !== this.#due) return;
    // What is due already, on a board that may not write, ends without an entry.
    const until = items.reduce((least, item) => ("card" in item ? Math.min(least, item.card.standing.expiresAt) : least), Infinity);
    if (this.#pages.size >= PAGES_KEPT || this.#chars > CHARS_KEPT) this.#clear();
    for (const item of items) this.#chars += charsOf(item);
    this.#pages.set(keyOf(question), { items, nextCursor, from: now, until });
  }

  #clear(): void {
    this.#pages.clear();
    this.#chars = 0;
  }
}

/** No cursor and an empty one, which is refused, are two questions. */
const keyOf = ({ text, limit, cursor }: Question): string => `${limit} ${JSON.stringify(cursor ?? null)} ${text}`;

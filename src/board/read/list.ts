// The read path of a listing: from a query to a plan, from the plan to messages and a cursor to the next page.
import { z } from "zod";
import { Refusal } from "../../core/errors.ts";
import { and, atLeast, atMost, type Condition, flagIs, not, oneOf } from "../../core/query/condition.ts";
import { MESSAGE_ID, utf8Length } from "../../core/protocol/encoding.ts";
import type { CursorCodec } from "../../core/query/cursor.ts";
import { type FilterValues, meaningOf, movesWithClock, refers } from "../../core/query/filters.ts";
import { ORDERS, type Sort } from "../../core/query/order.ts";
import { requirePartners } from "../../core/query/dependent-parameters.ts";
import type { Rel } from "../../core/protocol/vocabulary.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Listed, ListQuery, ListReads } from "../../ports/store.ts";
import { flagged, flaggedNow } from "./warm-guard-flags.ts";
import { type Freshness, freshnessOf, type BoardMoment } from "./cache-freshness.ts";
import { PageCache, type PageOf } from "./page-cache.ts";
import type { Names } from "./resolve-agents-and-messages.ts";

/** The query of a listing, parsed. */
export interface Question {
  readonly filters: FilterValues;
  readonly ref?: string | undefined;
  readonly rel?: readonly Rel[] | undefined;
  readonly q?: string | undefined;
  readonly q_mode?: "all" | "any" | undefined;
  readonly near?: string | undefined;
  /** A text to compare with, never an id; unlike with `near`, there is no threshold. */
  readonly like?: string | undefined;
  /** Excludes these kinds; for views that show conversations without acts. */
  readonly not_kinds?: readonly string[] | undefined;
  readonly include_superseded?: boolean | undefined;
  readonly include_removed?: boolean | undefined;
  readonly after_seq?: number | undefined;
  readonly changed_after?: number | undefined;
  readonly sort?: Sort | undefined;
  readonly limit: number;
  readonly cursor?: string | undefined;
  /** A page ends when its payloads have this many bytes together, so that a page of large messages reads about as much as it may send. */
  readonly enoughBytes?: number | undefined;
  /** Everything that must stay the same while paging, as text. */
  readonly fingerprint: string;
}

export type Item = Listed & { readonly score?: number };

export interface PageContent {
  readonly items: readonly Item[];
  readonly nextCursor: string | null;
  /** The cursor after each item: an answer may not have space for all of them. */
  readonly cursorAfter: (item: Item) => string;
}
export type Page = PageOf<PageContent>;

export interface ListParts {
  readonly store: ListReads;
  readonly clock: Clock;
  readonly names: Names;
  readonly cursors: CursorCodec;
  readonly search: TextSearch;
}

/** Listings with a search text; see text-search.ts. */
export type TextSearch = (
  question: Question,
  condition: Condition,
  page: { after: unknown; now: number; upTo: number },
) => Promise<{ items: readonly Item[]; more: boolean; positionOf: (item: Item) => unknown }>;

export type List = (question: Question) => Promise<Page>;
/** The current page, if that needs no waiting. It refuses what `list` refuses. */
export type ListNow = (question: Question, at: BoardMoment) => Page | undefined;

export interface Lister {
  readonly list: List;
  readonly listNow: ListNow;
}

const positionForm = z.strictObject({ key: z.number(), seq: z.number() });

export function lister({ store, clock, names, cursors, search }: ListParts): Lister {
  const pages = new PageCache<PageContent>();

  function listNow(question: Question, { fresh, reads }: BoardMoment): Page | undefined {
    if (isText(question) || question.changed_after !== undefined) return undefined;
    const cached = pages.find(question, fresh);
    if (cached !== undefined) return cached;
    const { filters, ref } = question;
    if (!names.areIds(filters) || (ref !== undefined && !MESSAGE_ID.test(ref))) return undefined;
    const found = reads.list(queryOf(question, conditionOn(question, filters, ref, fresh)));
    const items = found === undefined ? undefined : flaggedNow(shownOf(question, found));
    return found === undefined || items === undefined
      ? undefined
      : pages.keep(question, fresh, contentOf(question, found, items), moves(question));
  }

  async function list(question: Question): Promise<Page> {
    const now = clock.now();
    // No replica in two cases: a caller that follows the log must not be answered by a replica that is behind what the caller has seen, and
    // the search index is always current.
    const follows = question.after_seq !== undefined || question.changed_after !== undefined;
    const reads = isText(question) || follows ? store : await store.listingReads();
    const fresh = await freshnessOf(reads, now);
    return pages.of(question, fresh, isText(question) || moves(question), async () => {
      const condition = await conditionOf(question, names, fresh);
      if (isText(question)) return found(question, condition, fresh);
      const only = question.include_removed === true ? undefined : await changedOnly(question.changed_after, store);
      const rows = await reads.list({ ...queryOf(question, condition), only });
      return contentOf(question, rows, await flagged(shownOf(question, rows)));
    });
  }

  const moves = ({ filters, include_removed }: Question): boolean => movesWithClock({ ...filters, include_removed });

  async function found(question: Question, condition: Condition, { now, seq: upTo }: Freshness): Promise<PageContent> {
    const after = cursors.decode(question.fingerprint, question.cursor, z.unknown());
    const { items, more, positionOf } = await search(question, condition, { after, now, upTo });
    return leadingOn(question, items, more, positionOf);
  }

  /** One more than asked for tells whether there is a next page. */
  function queryOf(question: Question, condition: Condition): ListQuery {
    const sort = sortOf(question);
    if (sort === "relevance")
      throw new Refusal("invalid_parameter", "`sort=relevance` needs `q` or `near`.", {
        hint: "Give `q` or `near` as well, or another sort.",
        details: { parameter: "sort" },
      });
    const after = cursors.decode(question.fingerprint, question.cursor, positionForm);
    const { limit, include_removed: removed, enoughBytes } = question;
    return { condition, order: ORDERS[sort], after, limit: limit + 1, removed, enoughBytes };
  }

  const contentOf = (question: Question, rows: readonly Listed[], items: readonly Listed[]): PageContent =>
    leadingOn(question, items, rows.length > items.length, ({ position }) => position);

  function leadingOn({ fingerprint }: Question, items: readonly Item[], more: boolean, positionOf: (item: Item) => unknown): PageContent {
    const cursorAfter = (item: Item): string => cursors.encode(fingerprint, positionOf(item));
    const last = items.at(-1);
    return { items, cursorAfter, nextCursor: more && last !== undefined ? cursorAfter(last) : null };
  }

  return { list, listNow };
}

export function sortOf({ sort, q, near, like }: Question): Sort {
  return sort ?? (q !== undefined || near !== undefined || like !== undefined ? "relevance" : "new");
}

/** The messages of the page; the row after them shows that there are more. A store ends a page early with one row more than is enough. */
function shownOf({ limit, enoughBytes }: Question, rows: readonly Listed[]): readonly Listed[] {
  if (enoughBytes === undefined) return rows.slice(0, limit);
  const payloads = rows.slice(0, -1).flatMap((row) => ("stored" in row ? [row.stored.raw.payload] : []));
  // No character has more than three bytes for each unit of its length; counting them takes longer than adding lengths.
  const most = 3 * payloads.reduce((sum, { length }) => sum + length, 0);
  const isFull = most >= enoughBytes && payloads.reduce((sum, payload) => sum + utf8Length(payload), 0) >= enoughBytes;
  return rows.slice(0, isFull ? Math.min(limit, rows.length - 1) : limit);
}

const isText = ({ q, near, like }: Question): boolean => q !== undefined || near !== undefined || like !== undefined;

export async function conditionOf(question: Question, names: Names, at: Pick<Freshness, "seq" | "now">): Promise<Condition> {
  const { filters, ref } = question;
  return conditionOn(question, await names.resolve(filters), ref === undefined ? undefined : await names.message(ref), at);
}

/** The condition of the listing: live, not superseded unless asked for, and all filters; every name is resolved to an id. */
function conditionOn(
  question: Question,
  filters: FilterValues,
  ref: string | undefined,
  { now, seq: latestSeq }: Pick<Freshness, "seq" | "now">,
): Condition {
  requirePartners(question);
  const { rel, include_superseded: superseded, after_seq: afterSeq, changed_after: changedAfter } = question;
  return and(
    atLeast("expiresAt", now + 1),
    ...(superseded === true ? [] : [flagIs("superseded", false)]),
    ...meaningOf(filters, now),
    ...(question.not_kinds === undefined ? [] : [not(oneOf("kind", question.not_kinds))]),
    ...(ref === undefined ? [] : [refers(ref, rel)]),
    ...(afterSeq === undefined ? [] : [atLeast("seq", afterSeq + 1), atMost("seq", latestSeq)]),
    ...(changedAfter === undefined ? [] : [atLeast("changed", changedAfter + 1), atMost("changed", latestSeq)]),
  );
}

/** If more messages than this have changed, they are not looked up one by one. */
const CHANGED_READ = 2000;

/** The few messages that changed after an entry, to be tested against the query; undefined if no entry is given, or if they are many. */
export async function changedOnly(
  after: number | undefined,
  store: Pick<ListReads, "changedSince">,
): Promise<readonly number[] | undefined> {
  if (after === undefined) return undefined;
  const seqs = await store.changedSince(after, CHANGED_READ + 1);
  return seqs.length > CHANGED_READ ? undefined : seqs;
}

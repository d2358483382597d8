// Open work: first what the caller can do, then the rest.
import { z } from "zod";
import { and, atLeast, type Condition, flagIs, hasAny, not, oneOf, or } from "../core/query/condition.ts";
import { judge } from "../core/message/status.ts";
import type { CursorCodec } from "../core/query/cursor.ts";
import { ORDERS } from "../core/query/order.ts";
import { KIND_NAMES, isWorkable } from "../core/protocol/vocabulary.ts";
import type { Clock } from "../ports/clock.ts";
import type { Listed, Store } from "../ports/store.ts";
import { flagged } from "./flag-ahead.ts";
import { KeptPages } from "./kept-pages.ts";
import type { Item, Page } from "./list.ts";

export interface WorkQuestion {
  /** Only what needs any of these. */
  readonly needs: readonly string[];
  /** What the caller can do: what needs any of it comes first. */
  readonly offers: readonly string[];
  readonly tags: readonly string[];
  /** Who asks: what is addressed to others is left out, since only they may claim it. */
  readonly agent: string | undefined;
  readonly limit: number;
  readonly cursor: string | undefined;
  readonly text: string;
}

/** Of work that came back: the answers that were rejected. */
export type RejectedAnswers = ReadonlyMap<string, readonly string[]>;

export type FindWork = (question: WorkQuestion) => Promise<Page>;

/** So many of them are named. */
const REJECTED_SHOWN = 16;
/** So many answers of one piece of work are looked at. */
const ANSWERS_READ = 200;

/** The rejected answers to each piece of work on a page that has any. */
export async function rejectedOn({ items, asOf }: Page, store: Pick<Store, "answersTo">): Promise<RejectedAnswers> {
  const back = items.flatMap((item) => ("card" in item && item.card.standing.rejected > 0 ? [item.card.standing] : []));
  const found = back.map(async ({ id, author }): Promise<[string, readonly string[]]> => {
    const answers = await store.answersTo(id, author, ANSWERS_READ, asOf);
    const rejected = answers.filter((answer) => judge(answer, answer.asker ?? undefined) === "rejected");
    return [id, rejected.slice(0, REJECTED_SHOWN).map((answer) => answer.id)];
  });
  return new Map(await Promise.all(found));
}

export const WORKABLE = KIND_NAMES.filter(isWorkable);
/** What work must be to be there for the taking. */
export const openWork = (now: number): readonly Condition[] => [
  oneOf("kind", WORKABLE),
  oneOf("status", ["open"]),
  flagIs("superseded", false),
  atLeast("expiresAt", now + 1),
];
const positionForm = z.strictObject({ meeting: z.boolean(), key: z.number(), seq: z.number() });

export function workFinder(store: Store, clock: Clock, cursors: CursorCodec, settle: () => Promise<void>): FindWork {
  const pages = new KeptPages();
  return async ({ needs, offers, tags, agent, limit, cursor, text }) => {
    await settle();
    const now = clock.now();
    const { seq: latestSeq } = await store.head();
    const moment = { seq: latestSeq, due: await store.nextDue(), now };
    const question = { filters: {}, limit, cursor, text };
    const kept = pages.find(question, moment);
    if (kept !== undefined) return { ...kept, latestSeq, asOf: now };
    const open = [
      ...openWork(now),
      ...(needs.length === 0 ? [] : [hasAny("needs", needs)]),
      ...(tags.length === 0 ? [] : [hasAny("tags", tags)]),
      ...(agent === undefined ? [] : [or(flagIs("addressed", false), oneOf("to", [agent]))]),
    ];
    const start = cursor === undefined ? undefined : cursors.decode(text, cursor, positionForm);
    const walk = (
      conditions: readonly Condition[],
      after: { key: number; seq: number } | undefined,
      most: number,
    ): Promise<readonly Listed[]> =>
      store.list({ condition: and(...conditions), order: ORDERS.new, after, limit: most, removed: false, only: undefined });

    const meets = hasAny("needs", offers);
    const meeting = offers.length > 0 && start?.meeting !== false ? await walk([...open, meets], start, limit + 1) : [];
    const rest =
      meeting.length > limit
        ? []
        : await walk(
            offers.length === 0 ? open : [...open, not(meets)],
            start?.meeting === false ? start : undefined,
            limit + 1 - meeting.length,
          );
    const found = [...meeting, ...rest];
    const items = await flagged(found.slice(0, limit));
    const met = new Set<Item>(meeting);
    const cursorAfter = (item: Item): string => cursors.encode(text, { meeting: met.has(item), ...item.position });
    const last = items.at(-1);
    const content = { items, cursorAfter, nextCursor: found.length > items.length && last !== undefined ? cursorAfter(last) : null };
    pages.keep(question, moment, content);
    return { ...content, latestSeq, asOf: now };
  };
}

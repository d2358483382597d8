// Open work: first what matches the caller's offers, then the rest, oldest first by default.
import { z } from "zod";
import { Refusal } from "../../core/errors.ts";
import { atLeast, atMost, type Condition, hasAny, not } from "../../core/query/condition.ts";
import { judgeAnswer } from "../../core/message/status.ts";
import { firstCodePoints } from "../../core/protocol/encoding.ts";
import { distinctLabels, foldLabel } from "../../core/protocol/tags-needs-offers.ts";
import { type CursorCodec, cutPage } from "../../core/query/cursor.ts";
import { type FilterValues, meaningOf } from "../../core/query/filters.ts";
import { ORDERS } from "../../core/query/order.ts";
import { outlineOf } from "../../core/view/outline.ts";
import type { Clock } from "../../ports/clock.ts";
import { sliced } from "../../ports/cpu-slices.ts";
import type { StoredMessage, ListReads, MessageReads } from "../../ports/store.ts";
import { flagged } from "./warm-guard-flags.ts";
import { type Freshness, freshnessOf } from "./cache-freshness.ts";
import { PageCache } from "./page-cache.ts";
import { changedOnly, type Item, type Page, type PageContent } from "./list.ts";
import { type Offered, offeredTo, startFor, type Walk } from "./offered-work.ts";
import { ShownWork } from "./recently-shown-work.ts";

/** `fit`: work with the fewest missing skills first. */
export const WORK_SORTS = ["old", "new", "fit"] as const;
export type WorkSort = (typeof WORK_SORTS)[number];

export interface WorkQuestion {
  /** Only work that needs any of these. */
  readonly needs: readonly string[];
  /** The caller's skills, folded: work that needs any of them comes first. */
  readonly offers: readonly string[];
  readonly tags: readonly string[];
  readonly filters: Pick<FilterValues, "max_risk" | "max_copies">;
  /** The caller. Work that it may not claim is left out, and the list begins at the caller's own position. */
  readonly agent: string | undefined;
  readonly sort: WorkSort;
  /** Only work that arrived or changed after this entry. */
  readonly changedAfter: number | undefined;
  /** True if the caller waits so long that work which was just shown to another caller can be left out. */
  readonly patient: boolean;
  readonly limit: number;
  readonly cursor: string | undefined;
  readonly fingerprint: string;
}

/** For reopened work: the rejected answers, and the objection to the last of them. */
export interface Rejections {
  readonly rejected: readonly string[];
  readonly refutations: readonly {
    readonly id: string;
    readonly answer: string;
    readonly author: string;
    readonly preview: string;
    readonly untrusted: true;
  }[];
}
export type RejectedAnswers = ReadonlyMap<string, Rejections>;

/** `againAt`: when more work may be available without a new entry, because another agent's turn with it ends. */
export type WorkPage = Page & { readonly againAt?: number | undefined };
type WorkContent = PageContent & { readonly againAt?: number | undefined };

export type FindWork = (question: WorkQuestion) => Promise<WorkPage>;

/** The number of rejected answers that are named. */
const REJECTED_SHOWN = 16;
/** The number of newest rejected answers whose reason is given. */
const REASONS_SHOWN = 3;
const REASON_CHARS = 280;
/** This many answers of one piece of work are checked. */
const ANSWERS_READ = 200;

/** The rejected answers to each piece of work on a page that has any. */
export async function rejectedOn(
  { items, asOf }: Page,
  store: Pick<MessageReads, "answersTo" | "refutationsOf" | "findAll">,
): Promise<RejectedAnswers> {
  const back = items.flatMap((item) => ("stored" in item && item.stored.state.rejected > 0 ? [item.stored.state] : []));
  const found = back.map(async ({ id, author }): Promise<[string, readonly string[]]> => {
    const answers = await store.answersTo(id, author, ANSWERS_READ, asOf);
    const rejected = answers.filter((answer) => judgeAnswer(answer, answer.asker ?? undefined) === "rejected");
    return [id, rejected.slice(-REJECTED_SHOWN).map((answer) => answer.id)];
  });
  const rejected = await Promise.all(found);
  const reasons = await reasonsAgainst(
    rejected.flatMap(([, answers]) => answers.slice(-REASONS_SHOWN)),
    store,
    asOf,
  );
  return new Map(
    rejected.map(([id, answers]) => [id, { rejected: answers, refutations: answers.flatMap((answer) => reasons.get(answer) ?? []) }]),
  );
}

/** The last objection to each of these answers. */
async function reasonsAgainst(
  answers: readonly string[],
  store: Pick<MessageReads, "refutationsOf" | "findAll">,
  now: number,
): Promise<ReadonlyMap<string, Rejections["refutations"][number]>> {
  const refuted = await store.refutationsOf(answers, now);
  const messages = await store.findAll([...new Set(refuted.map(({ id }) => id))], now);
  const reasons = new Map<string, Rejections["refutations"][number]>();
  await sliced(refuted, ({ id, answer }) => {
    const found = messages.get(id);
    if (found === undefined || !("stored" in found)) return;
    const { title = "", body = title } = outlineOf(found.stored).payload;
    const preview = firstCodePoints(body, REASON_CHARS);
    reasons.set(answer, { id, answer, author: found.stored.state.author, preview, untrusted: true });
  });
  return reasons;
}

const known = new WeakMap<StoredMessage["raw"], readonly string[]>();

/** What a piece of work needs, as its author wrote it. */
export function needsOf(stored: StoredMessage): readonly string[] {
  const needs = known.get(stored.raw) ?? distinctLabels(outlineOf(stored).payload.needs ?? []);
  known.set(stored.raw, needs);
  return needs;
}

/** This many of the first pieces of work are ordered for the caller; the rest follow in their normal order. */
const OWN_ORDER = 64;
/** More than are likely to have been reopened among them since the first page. */
const OWN_ORDER_LATER = 4 * OWN_ORDER;

/** The position where a page ended. `own`: inside the caller's own order, between two seqs, starting at `start`. */
const placeForm = z.strictObject({
  meeting: z.boolean(),
  own: z.strictObject({ from: z.number(), to: z.number(), start: z.number(), lacks: z.number() }).optional(),
  key: z.number(),
  seq: z.number(),
});
type Place = z.infer<typeof placeForm>;
interface Placed {
  readonly item: Offered;
  readonly place: Place;
}

/** What an agent offers in its messages, folded. */
export type OffersOf = (agent: string) => Promise<readonly string[]>;
export const offersReader =
  ({ lists, clock }: { readonly lists: Pick<ListReads, "agent">; readonly clock: Clock }): OffersOf =>
  async (agent) =>
    ((await lists.agent(agent, clock.now()))?.offers ?? []).map(foldLabel);

export function workFinder(store: ListReads, clock: Clock, cursors: CursorCodec): FindWork {
  const pages = new PageCache<WorkContent>();
  const shown = new ShownWork();
  return async (asked) => {
    if (asked.sort === "fit" && asked.offers.length === 0 && asked.agent === undefined)
      throw new Refusal("invalid_parameter", "`sort=fit` needs `offers` or `as`.", {
        hint: "Give `offers`, what you can do, or `as`, an agent whose offers are on the board.",
        details: { parameter: "sort" },
      });
    const now = clock.now();
    const fresh = await freshnessOf(store, now);
    // The time for which an agent may not claim a piece of work ends without an entry, so a page for an agent is not cached.
    return pages.of(asked, fresh, asked.agent !== undefined, () => readInTurn(asked, fresh));
  };

  /**
   * A caller that asks for one piece of work takes it, and others are shown that piece last. If another caller was shown the same piece
   * meanwhile, it is read again.
   */
  async function readInTurn(asked: WorkQuestion, fresh: Freshness): Promise<WorkContent> {
    for (let reads = 1; ; reads++) {
      const content = await read(asked, fresh);
      const [first] = content.items;
      if (!isTaking(asked) || first === undefined || !("stored" in first)) return content;
      if (shown.take(first.stored.state, asked.agent, fresh.now) || reads >= MOST_READS) return content;
    }
  }

  async function read(asked: WorkQuestion, { now, seq: latestSeq }: Freshness): Promise<WorkContent> {
    const { needs, offers, tags, filters, agent, changedAfter, limit, cursor, fingerprint } = asked;
    const narrowed = [
      ...meaningOf(filters, now),
      ...(needs.length === 0 ? [] : [hasAny("needs", needs)]),
      ...(tags.length === 0 ? [] : [hasAny("tags", tags)]),
      ...(changedAfter === undefined ? [] : [atLeast("changed", changedAfter + 1), atMost("changed", latestSeq)]),
    ];
    const start = cursors.decode(fingerprint, cursor, placeForm);
    let againAt: number | undefined;
    const reservedUntil = ({ stored }: Offered): number | undefined =>
      isTaking(asked) ? shown.reservedUntil(stored.state, asked.agent, now) : undefined;
    const isReserved = (one: Offered): boolean => {
      const until = asked.patient ? reservedUntil(one) : undefined;
      if (until !== undefined) againAt = Math.min(until, againAt ?? until);
      return until !== undefined;
    };
    const walk = offeredTo(agent, now, store, await changedOnly(changedAfter, store), isReserved);
    const isFree = (one: Offered): boolean => reservedUntil(one) === undefined;
    const meets = hasAny("needs", offers);
    const part = (meeting: boolean, conditions: readonly Condition[], max: number): Promise<readonly Placed[]> =>
      partOf(walk, asked, { meeting, conditions, from: start?.meeting === meeting ? start : undefined, max, isFree });

    const meeting = offers.length > 0 && start?.meeting !== false ? await part(true, [...narrowed, meets], limit + 1) : [];
    const left = limit + 1 - meeting.length;
    const rest = left <= 0 ? [] : await part(false, offers.length === 0 ? narrowed : [...narrowed, not(meets)], left);
    const { page, next } = cutPage([...meeting, ...rest], limit, ({ place }) => cursors.encode(fingerprint, place));
    const places = new Map<Item, Place>(page.map(({ item, place }) => [item, place]));
    const cursorAfter = (item: Item): string => cursors.encode(fingerprint, places.get(item));
    return { items: await flagged(page.map(({ item }) => item)), againAt, cursorAfter, nextCursor: next };
  }
}

/** A caller that names itself and asks for one piece of work. */
const isTaking = (asked: WorkQuestion): asked is WorkQuestion & { readonly agent: string } =>
  asked.agent !== undefined && asked.limit === 1 && asked.cursor === undefined;
/** Reads again if another caller was shown the same piece meanwhile; after this many reads it is shown to both. */
const MOST_READS = 8;

interface Part {
  readonly meeting: boolean;
  readonly conditions: readonly Condition[];
  readonly from: Place | undefined;
  readonly max: number;
  /** No other caller was shown it lately. */
  readonly isFree: (one: Offered) => boolean;
}

/** Matching work, or the rest. The first pieces are in the caller's own order, if it has one. */
async function partOf(
  walk: (walk: Walk) => Promise<readonly Offered[]>,
  asked: WorkQuestion,
  { meeting, conditions, from, max, isFree }: Part,
): Promise<readonly Placed[]> {
  const order = asked.sort === "new" ? ORDERS.new : ORDERS.old;
  const inTurn = async (after: Place | Offered["position"] | undefined, limit: number): Promise<Placed[]> => {
    const position = after === undefined ? undefined : { key: after.key, seq: after.seq };
    const found = await walk({ conditions, order, after: position, limit });
    return found.map((item) => ({ item, place: { meeting, ...item.position } }));
  };
  const hasOwnOrder = asked.agent !== undefined || asked.sort === "fit";
  if (!hasOwnOrder || (from !== undefined && from.own === undefined)) return inTurn(from, max);

  const within = from?.own === undefined ? [] : [atLeast("seq", from.own.from), atMost("seq", from.own.to)];
  // Work within the range may have been reopened since the first page.
  const most = from === undefined ? OWN_ORDER : OWN_ORDER_LATER;
  const first = await walk({ conditions: [...conditions, ...within], order, limit: most });
  // Its needs are in the text of each, and a text may be long; after this they are known.
  if (asked.sort === "fit") await sliced(first, ({ stored }) => void needsOf(stored));
  const placed = inOwnOrder(first, asked, { meeting, from, isFree });
  const hasMore = first.length === most;
  const last = from?.own === undefined || hasMore ? first.at(-1)?.position : endOf(from.own, order.descending);
  const isAll = from === undefined && first.length < OWN_ORDER;
  return isAll || placed.length >= max ? placed : [...placed, ...(await inTurn(last, max - placed.length))];
}

const endOf = ({ from, to }: NonNullable<Place["own"]>, descending: boolean) => ({
  key: descending ? from : to,
  seq: descending ? from : to,
});

/** Sorts work by missing skills if that is requested, and from the caller's own position on. Leaves out what earlier pages have shown. */
function inOwnOrder(
  first: readonly Offered[],
  { sort, offers, agent }: WorkQuestion,
  { meeting, from, isFree }: Pick<Part, "meeting" | "from" | "isFree">,
): Placed[] {
  const seqs = first.map(({ position }) => position.seq);
  const own = from?.own;
  const bounds = { from: own?.from ?? Math.min(...seqs), to: own?.to ?? Math.max(...seqs) };
  const start = own?.start ?? (agent === undefined ? seqs[0] : startFor(agent, first, isFree)?.position.seq) ?? 0;
  const isPassed = (seq: number): boolean => (sort === "new" ? seq > start : seq < start);
  const lacks = (stored: StoredMessage): number =>
    sort === "fit" ? needsOf(stored).filter((need) => !offers.includes(foldLabel(need))).length : 0;
  const placeOf = ({ stored, position }: Offered): Place => ({ meeting, own: { ...bounds, start, lacks: lacks(stored) }, ...position });
  const compare = (a: Place, b: Place): number =>
    (a.own?.lacks ?? 0) - (b.own?.lacks ?? 0) ||
    Number(isPassed(a.seq)) - Number(isPassed(b.seq)) ||
    (sort === "new" ? b.seq - a.seq : a.seq - b.seq);
  return first
    .map((item) => ({ item, place: placeOf(item) }))
    .filter(({ place }) => own === undefined || from === undefined || compare(place, from) > 0)
    .sort((a, b) => compare(a.place, b.place));
}

// A whole thread in reading order, a page at a time; what arrives while somebody pages waits for their next reading.
import { z } from "zod";
import type { CursorCodec } from "../core/query/cursor.ts";
import { LIMITS } from "../core/protocol/limits.ts";
import { type Rel, RELS } from "../core/protocol/vocabulary.ts";
import type { Clock } from "../ports/clock.ts";
import type { Card, Store } from "../ports/store.ts";
import { CARD_STEP, cardsAt } from "./cards.ts";
import type { FindMessage } from "./find.ts";
import { flagAhead } from "./flag-ahead.ts";
import { type ThreadOrder, ThreadOrders } from "./thread-order.ts";
import { nextTurn } from "./turn.ts";

const PARTICIPANTS = 500;
const OPEN = 500;

export interface ThreadItem {
  readonly card: Card;
  readonly depth: number;
  /** What its first thread-joining ref points to; at depth 0 that message is gone or was never here. */
  readonly parent: string | null;
  readonly parentRel: Rel | null;
}

export interface Edge {
  readonly from: string;
  readonly to: string;
  readonly rel: Rel;
}

export interface ThreadPage {
  readonly root: string;
  readonly focus: string;
  readonly items: readonly ThreadItem[];
  /** Every ref of the messages on this page, wherever it points. */
  readonly edges: readonly Edge[];
  /** Of the whole thread, as is the open work. */
  readonly participants: readonly { readonly agent: string; readonly messages: number }[];
  readonly open: readonly string[];
  readonly nextCursor: string | null;
  /** The newest message that these pages know of. */
  readonly latestSeq: number;
  readonly asOf: number;
}

export interface ThreadParts {
  readonly store: Store;
  readonly clock: Clock;
  readonly find: FindMessage;
  readonly cursors: CursorCodec;
  readonly settle: () => Promise<void>;
}

export type ShowThread = (idOrPrefix: string, cursor: string | undefined) => Promise<ThreadPage>;

/** Which order was read, how much of it, and the last message shown. */
const positionForm = z.strictObject({ messages: z.number(), lastSeq: z.number(), asOf: z.number(), place: z.number(), seq: z.number() });

export function threadReader({ store, clock, find, cursors, settle }: ThreadParts): ShowThread {
  const orders = new ThreadOrders(store);
  return async (idOrPrefix, cursor) => {
    await settle();
    const { id: focus, root } = (await find(idOrPrefix)).standing;
    const now = clock.now();
    const question = `thread ${root}`;
    const from = cursor === undefined ? undefined : cursors.decode(question, cursor, positionForm);
    const order = from === undefined ? await orders.current(root, now) : await orders.asItWas(root, from, now);
    const start = from === undefined ? 0 : placeAfter(order, from);
    const { shown, end } = await readPage(store, order, start, now);
    const refs = Map.groupBy(await store.refs(shown.map(({ card }) => card.standing.seq)), ({ seq }) => seq);

    const items = shown.map(({ card, depth }): ThreadItem => {
      const parent = refs.get(card.standing.seq)?.find(({ rel }) => RELS[rel].thread);
      return { card, depth, parent: parent?.target ?? null, parentRel: parent?.rel ?? null };
    });
    const edges = items.flatMap(({ card: { standing } }) =>
      (refs.get(standing.seq) ?? []).map(({ rel, target }) => ({ from: standing.id, to: target, rel })),
    );
    const last = order.order[end - 1];
    const nextCursor =
      end < order.order.length && last !== undefined
        ? cursors.encode(question, { ...order.extent, asOf: order.asOf, place: end, seq: last })
        : null;
    const open = await store.openWork(root, OPEN, now);
    return { root, focus, items, edges, participants: participantsOf(order), open, nextCursor, latestSeq: order.extent.lastSeq, asOf: now };
  };
}

async function readPage(store: Store, { order, depths }: ThreadOrder, start: number, now: number) {
  const shown: { card: Card; depth: number }[] = [];
  const most = Math.min(order.length, start + LIMITS.thread_page);
  let end = start;
  for (let chars = 0; end < most && chars <= LIMITS.page_chars;) {
    const step = [...order.subarray(end, Math.min(most, end + CARD_STEP))];
    const cards = await cardsAt(store, step, now);
    for (const seq of step) {
      const card = cards.get(seq);
      chars += card?.raw.payload.length ?? 0;
      // The first one is shown however long it is: a page without any would lead its reader to itself.
      if (chars > LIMITS.page_chars && shown.length > 0) break;
      // Where there is none, it left since the thread was put in order.
      if (card !== undefined) shown.push({ card, depth: depths[end] ?? 0 });
      end++;
    }
    await nextTurn();
  }
  await flagAhead(shown.map(({ card }) => card));
  return { shown, end };
}

/** Who wrote most of it first. */
function participantsOf({ authors }: ThreadOrder): ThreadPage["participants"] {
  const all = [...authors].map(([agent, messages]) => ({ agent, messages }));
  return all.sort((a, b) => b.messages - a.messages).slice(0, PARTICIPANTS);
}

/** The same order goes on where it stopped. One read anew goes on after the last message shown, or, where that left, a little before. */
function placeAfter(order: ThreadOrder, from: z.infer<typeof positionForm>): number {
  if (order.asOf === from.asOf) return from.place;
  const found = order.order.indexOf(from.seq);
  return found === -1 ? Math.max(0, from.place - (from.messages - order.order.length)) : found + 1;
}

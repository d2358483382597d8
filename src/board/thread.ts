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
import { nextSlice, slice } from "../ports/share.ts";

const PARTICIPANTS = 500;
const OPEN = 500;
/** Payloads may be padded: so much is read for one answer, however little of it is sent. */
const READ_CHARS = 4 * LIMITS.page_bytes;
/** Two ids, a rel and what stands around them. */
const EDGE_BYTES = 170;

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
  /** How many messages the thread has, and whether all of them are here. */
  readonly total: number;
  readonly complete: boolean;
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

export interface ThreadQuestion {
  readonly cursor?: string | undefined;
  readonly limit: number;
  /** How much of an answer a message takes. */
  readonly bytesOf: (item: ThreadItem, now: number) => number;
}

export type ShowThread = (idOrPrefix: string, question: ThreadQuestion) => Promise<ThreadPage>;

/** Which order was read, how much of it, and the last message shown. */
const positionForm = z.strictObject({ messages: z.number(), lastSeq: z.number(), asOf: z.number(), place: z.number(), seq: z.number() });

export function threadReader({ store, clock, find, cursors, settle }: ThreadParts): ShowThread {
  const orders = new ThreadOrders(store);
  return async (idOrPrefix, { cursor, limit, bytesOf }) => {
    await settle();
    const { id: focus, root } = (await find(idOrPrefix)).standing;
    const now = clock.now();
    const question = `thread ${root}`;
    const from = cursor === undefined ? undefined : cursors.decode(question, cursor, positionForm);
    const order = from === undefined ? await orders.current(root, now) : await orders.asItWas(root, from, now);
    const start = from === undefined ? 0 : placeAfter(order, from);
    const { items, edges, end } = await readPage(order, start, Math.min(order.order.length, start + limit), now, bytesOf);
    const last = order.order[end - 1];
    const nextCursor =
      end < order.order.length && last !== undefined
        ? cursors.encode(question, { ...order.extent, asOf: order.asOf, place: end, seq: last })
        : null;
    const open = await store.openWork(root, OPEN, now);
    const total = order.order.length;
    const complete = start === 0 && end === total;
    const { lastSeq: latestSeq } = order.extent;
    return { root, focus, items, edges, participants: participantsOf(order), open, nextCursor, total, complete, latestSeq, asOf: now };
  };

  /** As many from `start` on as one answer has room for, the first one however long it is: a page without any would lead its reader to itself. */
  async function readPage({ order, depths }: ThreadOrder, start: number, most: number, now: number, bytesOf: ThreadQuestion["bytesOf"]) {
    const items: ThreadItem[] = [];
    const edges: Edge[] = [];
    let bytes = 0;
    let read = 0;
    let end = start;
    for (let full = false; !full;) {
      const step = [...order.subarray(end, Math.min(most, end + CARD_STEP))];
      const cards = await cardsAt(store, step, now);
      await flagAhead(cards.values());
      const refs = Map.groupBy(await store.refs([...cards.keys()]), ({ seq }) => seq);
      full = slice(() => {
        for (const seq of step) {
          const card = cards.get(seq);
          // Where there is none, it left since the thread was put in order.
          if (card !== undefined) {
            read += card.raw.payload.length;
            const own = refs.get(seq) ?? [];
            const parent = own.find(({ rel }) => RELS[rel].thread);
            const item = { card, depth: depths[end] ?? 0, parent: parent?.target ?? null, parentRel: parent?.rel ?? null };
            bytes += bytesOf(item, now) + own.length * EDGE_BYTES;
            if (bytes > LIMITS.page_bytes && items.length > 0) return true;
            items.push(item);
            for (const { rel, target } of own) edges.push({ from: card.standing.id, to: target, rel });
          }
          end++;
        }
        return end >= most || read >= READ_CHARS;
      });
      await nextSlice();
    }
    return { items, edges, end };
  }
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

// A thread in reading order, whole or around one message, a page at a time; what arrives while somebody pages waits for their next reading.
import { z } from "zod";
import { type DepthFirst, subtreeOf } from "../../core/message/thread.ts";
import type { CursorCodec } from "../../core/query/cursor.ts";
import { LIMITS } from "../../core/protocol/limits.ts";
import { type Rel, RELS } from "../../core/protocol/vocabulary.ts";
import type { Clock } from "../../ports/clock.ts";
import type { StoredMessage, ListReads, MessageReads } from "../../ports/store.ts";
import { CARD_STEP, cardsAt } from "./stored-messages.ts";
import type { FindMessage } from "./find.ts";
import { flagAhead } from "./warm-flags.ts";
import { type ThreadOrder, ThreadOrders } from "./thread-order.ts";
import { nextSlice, slice } from "../../ports/share.ts";

const PARTICIPANTS = 500;
const OPEN = 500;
/** Payloads may be padded: so much is read for one answer, however little of it is sent. */
const READ_CHARS = 4 * LIMITS.page_bytes;
/** Two ids, a rel and what stands around them. */
const EDGE_BYTES = 170;

export interface ThreadItem {
  readonly card: StoredMessage;
  readonly depth: number;
  /** What its first thread-joining ref points to; at depth 0 that message is gone or was never here. */
  readonly parent: string | null;
  readonly parentRel: Rel | null;
  /** Acts on it that are named here instead of being listed. */
  readonly folded?: Folded;
}

export interface Folded {
  count: number;
  /** The first of them. */
  readonly messages: { readonly id: string; readonly kind: string; readonly rel: Rel; readonly author: string }[];
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
  /** How many of them are neither here nor on the pages before. */
  readonly omitted: number;
  /** The newest message that these pages know of. */
  readonly latestSeq: number;
  readonly asOf: number;
}

export interface ThreadParts {
  readonly messages: MessageReads;
  readonly lists: ListReads;
  readonly clock: Clock;
  readonly find: FindMessage;
  readonly cursors: CursorCodec;
}

export interface ThreadQuestion {
  readonly cursor?: string | undefined;
  readonly limit: number;
  /** The whole thread unless given; a subtree is the message, what it hangs on and what hangs on it. */
  readonly scope?: "thread" | "subtree" | undefined;
  /** Whether claims, signals and votes are named at the message that they are about. */
  readonly fold?: boolean | undefined;
  /** How much of an answer a message takes. */
  readonly sizeOf: (item: ThreadItem, now: number) => number;
  /** How much there is room for, in the same unit; what an answer has room for in bytes unless given. */
  readonly room?: number | undefined;
}

export type ShowThread = (idOrPrefix: string, question: ThreadQuestion) => Promise<ThreadPage>;

/** Which order was read, how much of it, and the last message shown. */
const positionForm = z.strictObject({ messages: z.number(), lastSeq: z.number(), asOf: z.number(), place: z.number(), seq: z.number() });

/** So many of the acts on a message are named; the others are counted. */
const FOLDED_NAMED = 16;
/** What is said of an act: its id, kind, rel and author, and what stands around them. */
const FOLDED_SIZE = 160;
const FOLDS: ReadonlySet<string> = new Set(["claim", "signal", "verification"]);

export function threadReader({ messages, lists, clock, find, cursors }: ThreadParts): ShowThread {
  const orders = new ThreadOrders(messages);
  return async (idOrPrefix, asked) => {
    const { id: focus, root, seq } = (await find(idOrPrefix)).standing;
    const { cursor, limit, scope = "thread", fold = false } = asked;
    const now = clock.now();
    const question = [`thread ${root}`, ...(scope === "subtree" ? [focus] : []), ...(fold ? ["folded"] : [])].join(" ");
    const from = cursor === undefined ? undefined : cursors.decode(question, cursor, positionForm);
    const whole = from === undefined ? await orders.current(root, now) : await orders.asItWas(root, from, now);
    const view = scope === "subtree" ? subtreeOf(whole, seq) : whole;
    const start = from === undefined ? await firstOf({ messages, lists }, view, seq, asked, now) : placeAfter(whole, view, from);
    const { items, edges, end } = await readPage(view, start, Math.min(view.order.length, start + limit), now, asked);
    const last = view.order[end - 1];
    const nextCursor =
      end < view.order.length && last !== undefined
        ? cursors.encode(question, { ...whole.extent, asOf: whole.asOf, place: end, seq: last })
        : null;
    const open = await lists.openWork(root, OPEN, now);
    const total = whole.order.length;
    const omitted = total - end + (from === undefined ? start : 0);
    const complete = from === undefined && omitted === 0;
    const { lastSeq: latestSeq } = whole.extent;
    const participants = participantsOf(whole);
    return { root, focus, items, edges, participants, open, nextCursor, total, complete, omitted, latestSeq, asOf: now };
  };

  /** As many from `start` on as one answer has room for, the first one however long it is: a page without any would lead its reader to itself. */
  async function readPage({ order, depths }: DepthFirst, start: number, most: number, now: number, asked: ThreadQuestion) {
    const { sizeOf, room = LIMITS.page_bytes, fold } = asked;
    const items: ThreadItem[] = [];
    const listed = new Map<string, { folded?: Folded }>();
    const edges: Edge[] = [];
    let [size, read, end] = [0, 0, start];
    const isLeaf = (place: number): boolean => (depths[place + 1] ?? 0) <= depths[place]!;
    for (let full = false; !full;) {
      const step = [...order.subarray(end, Math.min(most, end + CARD_STEP))];
      const cards = await cardsAt(lists, step, now);
      await flagAhead(cards.values());
      const refs = Map.groupBy(await messages.refs([...cards.keys()]), ({ seq }) => seq);
      full = slice(() => {
        for (const seq of step) {
          const card = cards.get(seq);
          // Where there is none, it left since the thread was put in order.
          if (card !== undefined) {
            read += card.raw.payload.length;
            const own = refs.get(seq) ?? [];
            const parent = own.find(({ rel }) => RELS[rel].thread);
            const target = fold === true && FOLDS.has(card.standing.kind) && isLeaf(end) ? listed.get(parent?.target ?? "") : undefined;
            if (target !== undefined && parent !== undefined) size += foldInto(target, card, parent.rel);
            else {
              const item: ThreadItem = { card, depth: depths[end] ?? 0, parent: parent?.target ?? null, parentRel: parent?.rel ?? null };
              size += sizeOf(item, now) + own.length * EDGE_BYTES;
              if (size > room && items.length > 0) return true;
              items.push(item);
              listed.set(card.standing.id, item);
              for (const { rel, target: to } of own) edges.push({ from: card.standing.id, to, rel });
            }
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

/** Where there is little room, what was asked for comes first, then what it hangs on, the nearest first. */
async function firstOf(
  { messages, lists }: Pick<ThreadParts, "messages" | "lists">,
  { order }: DepthFirst,
  seq: number,
  { scope, room, sizeOf }: ThreadQuestion,
  now: number,
) {
  if (scope !== "subtree" || room === undefined) return 0;
  let left = room;
  for (let place = order.indexOf(seq); place >= 0; place--) {
    const at = order[place]!;
    const card = (await cardsAt(lists, [at], now)).get(at);
    const edges = (await messages.refs([at])).length * EDGE_BYTES;
    if (card !== undefined) left -= edges + slice(() => sizeOf({ card, depth: place, parent: null, parentRel: null }, now));
    if (left < 0 && at !== seq) return place + 1;
  }
  return 0;
}

/** How much more of the answer that takes. */
function foldInto(target: { folded?: Folded }, { standing }: StoredMessage, rel: Rel): number {
  const folded = (target.folded ??= { count: 0, messages: [] });
  folded.count++;
  if (folded.messages.length >= FOLDED_NAMED) return 0;
  folded.messages.push({ id: standing.id, kind: standing.kind, rel, author: standing.author });
  return FOLDED_SIZE;
}

/** Who wrote most of it first. */
function participantsOf({ authors }: ThreadOrder): ThreadPage["participants"] {
  const all = [...authors].map(([agent, messages]) => ({ agent, messages }));
  return all.sort((a, b) => b.messages - a.messages).slice(0, PARTICIPANTS);
}

/** The same order goes on where it stopped. One read anew goes on after the last message shown, or, where that left, a little before. */
function placeAfter(whole: ThreadOrder, view: DepthFirst, from: z.infer<typeof positionForm>): number {
  if (whole.asOf === from.asOf) return from.place;
  const found = view.order.indexOf(from.seq);
  return found === -1 ? Math.max(0, from.place - (from.messages - whole.order.length)) : found + 1;
}

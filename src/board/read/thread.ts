// A thread in reading order, whole or around one message, one page at a time. Messages that arrive while a caller pages are shown when it
// reads from the start again.
import { z } from "zod";
import { type DepthFirst, subtreeOf } from "../../core/message/thread-reading-order.ts";
import { LIMITS } from "../../core/protocol/limits.ts";
import { type Rel, RELS } from "../../core/protocol/vocabulary.ts";
import type { StoredMessage } from "../../ports/store.ts";
import { MESSAGES_PER_READ, storedAt } from "./messages-by-seq.ts";
import type { ReaderParts } from "./reader-parts.ts";
import { warmFlags } from "./warm-guard-flags.ts";
import { type Participant, type ThreadOrder, ThreadOrders } from "./thread-order-cache.ts";
import { nextSlice, slice } from "../../ports/cpu-slices.ts";

const OPEN = 500;
/** Payloads may be padded: at most this much is read for one answer, however little of it is sent. */
const READ_CHARS = 4 * LIMITS.page_bytes;
const WHOLE_ANSWER: Size = { bytes: LIMITS.page_bytes };
/** Estimated JSON size of one edge. */
const EDGE_BYTES = 170;

export interface ThreadItem {
  readonly stored: StoredMessage;
  readonly depth: number;
  /** The target of its first thread-joining ref; at depth 0 that message has ended or was never here. */
  readonly parent: string | null;
  readonly parentRel: Rel | null;
  /** Acts on it that are folded into it instead of being listed. */
  readonly folded?: Folded;
}

export interface Folded {
  count: number;
  /** The first of the folded acts. */
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
  /** The participants and the open work of the whole thread. */
  readonly participants: readonly Participant[];
  readonly open: readonly string[];
  readonly nextCursor: string | null;
  /** The number of messages in the thread, and whether all of them are here. */
  readonly total: number;
  readonly complete: boolean;
  /** The number of messages that are neither here nor on the pages before. */
  readonly omitted: number;
  /** The newest message that these pages include. */
  readonly latestSeq: number;
  readonly asOf: number;
}

export interface ThreadQuestion {
  readonly cursor?: string | undefined;
  readonly limit: number;
  /** The whole thread unless given; a subtree is the message with its ancestors and descendants. */
  readonly scope?: "thread" | "subtree" | undefined;
  /** Whether claims, signals and votes are folded into their target. */
  readonly fold?: boolean | undefined;
  /** The size of a message in the answer. */
  readonly sizeOf: (item: ThreadItem, now: number) => Size;
  /** How many bytes and characters one answer may have; the bytes of any answer unless given. */
  readonly budget?: Size;
}

export interface Size {
  readonly bytes: number;
  /** Counted only if the caller limits them. */
  readonly chars?: number | undefined;
}

export type ShowThread = (idOrPrefix: string, question: ThreadQuestion) => Promise<ThreadPage>;

/** The order that was read, its size, and the last message shown. */
const positionForm = z.strictObject({ messages: z.number(), lastSeq: z.number(), asOf: z.number(), place: z.number(), seq: z.number() });

/** This many acts on a message are named; the others are counted. */
const FOLDED_NAMED = 16;
/** The size of a folded act: its id, kind, rel and author, and the JSON around them. */
const FOLDED_SIZE = 160;
const FOLDS: ReadonlySet<string> = new Set(["claim", "signal", "verification"]);

export function threadReader({
  messages,
  lists,
  clock,
  find,
  cursors,
}: Pick<ReaderParts, "messages" | "lists" | "clock" | "find" | "cursors">): ShowThread {
  const orders = new ThreadOrders(messages);
  return async (idOrPrefix, asked) => {
    const { id: focus, root, seq } = (await find(idOrPrefix)).state;
    const { cursor, limit, scope = "thread", fold = false } = asked;
    const now = clock.now();
    const fingerprint = [`thread ${root}`, ...(scope === "subtree" ? [focus] : []), ...(fold ? ["folded"] : [])].join(" ");
    const from = cursors.decode(fingerprint, cursor, positionForm);
    const whole = from === undefined ? await orders.current(root, now) : await orders.asItWas(root, from, now);
    const view = scope === "subtree" ? subtreeOf(whole, seq) : whole;
    const start = from === undefined ? await firstOf({ messages, lists }, view, seq, asked, now) : placeAfter(whole, view, from);
    const { items, edges, end } = await readPage(view, start, Math.min(view.order.length, start + limit), now, asked);
    const last = view.order[end - 1];
    const nextCursor =
      end < view.order.length && last !== undefined
        ? cursors.encode(fingerprint, { ...whole.extent, asOf: whole.asOf, place: end, seq: last })
        : null;
    const open = await lists.openWork(root, OPEN, now);
    const total = whole.order.length;
    const omitted = total - end + (from === undefined ? start : 0);
    const complete = from === undefined && omitted === 0;
    const { lastSeq: latestSeq } = whole.extent;
    const { participants } = whole;
    return { root, focus, items, edges, participants, open, nextCursor, total, complete, omitted, latestSeq, asOf: now };
  };

  /**
   * As many messages from `start` on as fit into one answer, but at least one: the cursor of an empty page would lead to the same page
   * again.
   */
  async function readPage({ order, depths }: DepthFirst, start: number, most: number, now: number, asked: ThreadQuestion) {
    const { sizeOf, budget = WHOLE_ANSWER, fold } = asked;
    const items: ThreadItem[] = [];
    const listed = new Map<string, { folded?: Folded }>();
    const edges: Edge[] = [];
    let [read, end] = [0, start];
    const left = { bytes: budget.bytes, chars: budget.chars ?? Infinity };
    const take = ({ bytes, chars = 0 }: Size): void => void ((left.bytes -= bytes), (left.chars -= chars));
    const isLeaf = (place: number): boolean => (depths[place + 1] ?? 0) <= depths[place]!;
    for (let full = false; !full;) {
      const batch = [...order.subarray(end, Math.min(most, end + MESSAGES_PER_READ))];
      const storedMessages = await storedAt(lists, batch, now);
      await warmFlags(storedMessages.values());
      const refs = Map.groupBy(await messages.refs([...storedMessages.keys()]), ({ seq }) => seq);
      full = slice(() => {
        for (const seq of batch) {
          const stored = storedMessages.get(seq);
          // A message that is not found has ended since the thread was ordered.
          if (stored !== undefined) {
            read += stored.raw.payload.length;
            const own = refs.get(seq) ?? [];
            const parent = own.find(({ rel }) => RELS[rel].thread);
            const target = fold === true && FOLDS.has(stored.state.kind) && isLeaf(end) ? listed.get(parent?.target ?? "") : undefined;
            if (target !== undefined && parent !== undefined) take(alike(foldInto(target, stored, parent.rel)));
            else {
              const item: ThreadItem = { stored, depth: depths[end] ?? 0, parent: parent?.target ?? null, parentRel: parent?.rel ?? null };
              take(sizeOf(item, now));
              take(alike(own.length * EDGE_BYTES));
              if (Math.min(left.bytes, left.chars) < 0 && items.length > 0) return true;
              items.push(item);
              listed.set(stored.state.id, item);
              for (const { rel, target: to } of own) edges.push({ from: stored.state.id, to, rel });
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

/** If there is little space, the requested message comes first, then its ancestors, nearest first. */
async function firstOf(
  { messages, lists }: Pick<ReaderParts, "messages" | "lists">,
  { order }: DepthFirst,
  seq: number,
  { scope, budget, sizeOf }: ThreadQuestion,
  now: number,
) {
  if (scope !== "subtree" || budget?.chars === undefined) return 0;
  let left = budget.chars;
  for (let place = order.indexOf(seq); place >= 0; place--) {
    const at = order[place]!;
    const stored = (await storedAt(lists, [at], now)).get(at);
    const edges = (await messages.refs([at])).length * EDGE_BYTES;
    if (stored !== undefined)
      left -= edges + (slice(() => sizeOf({ stored, depth: place, parent: null, parentRel: null }, now)).chars ?? 0);
    if (left < 0 && at !== seq) return place + 1;
  }
  return 0;
}

/** The size of a text by the board, in which each character is one byte. */
const alike = (chars: number): Size => ({ bytes: chars, chars });

/** The additional size in the answer. */
function foldInto(target: { folded?: Folded }, { state }: StoredMessage, rel: Rel): number {
  const folded = (target.folded ??= { count: 0, messages: [] });
  folded.count++;
  if (folded.messages.length >= FOLDED_NAMED) return 0;
  folded.messages.push({ id: state.id, kind: state.kind, rel, author: state.author });
  return FOLDED_SIZE;
}

/**
 * The same order continues where it stopped. A new order continues after the last message shown, or, if that has ended, a little before.
 */
function placeAfter(whole: ThreadOrder, view: DepthFirst, from: z.infer<typeof positionForm>): number {
  if (whole.asOf === from.asOf) return from.place;
  const found = view.order.indexOf(from.seq);
  return found === -1 ? Math.max(0, from.place - (from.messages - whole.order.length)) : found + 1;
}

// Threads in reading order, kept so that one change of a thread costs one reading of it, however many pages are asked for.
import { type DepthFirst, depthFirst } from "../core/message/thread.ts";
import type { Branch, ThreadExtent, ThreadReads } from "../ports/threads.ts";
import { nextTurn } from "./turn.ts";

const STEP = 1000;
/** Twelve bytes a message. */
const MESSAGES_KEPT = 1_000_000;
const THREADS_KEPT = 1000;
const PARTICIPANTS = 500;

export interface ThreadOrder extends DepthFirst {
  readonly extent: ThreadExtent;
  readonly asOf: number;
  /** When the first of its messages ends. */
  readonly until: number;
  /** Who wrote most of it first. */
  readonly participants: readonly { readonly agent: string; readonly messages: number }[];
}

interface Kept {
  readonly order: Promise<ThreadOrder>;
  /** None while it is being read. */
  messages: number;
}

export class ThreadOrders {
  readonly #store: ThreadReads;
  /** By thread and extent, the least recently used first. */
  readonly #kept = new Map<string, Kept>();

  constructor(store: ThreadReads) {
    this.#store = store;
  }

  async current(root: string, now: number): Promise<ThreadOrder> {
    const extent = await this.#store.threadExtent(root);
    const order = await this.asItWas(root, extent, now);
    if (now < order.until) return order;
    // Something has ended that the sweep has not reached yet.
    this.#kept.delete(keyOf(root, extent));
    return this.asItWas(root, extent, now);
  }

  /** The thread as it was when it reached so far; less what left since, where that order is no longer kept. */
  asItWas(root: string, extent: ThreadExtent, now: number): Promise<ThreadOrder> {
    const key = keyOf(root, extent);
    const kept = this.#kept.get(key) ?? this.#keep(key, root, extent, now);
    this.#kept.delete(key);
    this.#kept.set(key, kept);
    return kept.order;
  }

  /** Those who ask while a thread is being read wait for the same reading. */
  #keep(key: string, root: string, extent: ThreadExtent, now: number): Kept {
    const kept: Kept = { order: this.#read(root, extent, now), messages: 0 };
    void this.#weigh(key, kept);
    return kept;
  }

  async #weigh(key: string, kept: Kept): Promise<void> {
    try {
      kept.messages = (await kept.order).seqs.length;
      this.#forget();
    } catch {
      // Those who asked hear of the failure; the next one tries again.
      this.#kept.delete(key);
    }
  }

  async #read(root: string, extent: ThreadExtent, now: number): Promise<ThreadOrder> {
    const branches: Branch[] = [];
    for (;;) {
      const step = await this.#store.branches(root, { after: branches.at(-1)?.seq ?? 0, upTo: extent.lastSeq, limit: STEP, now });
      branches.push(...step);
      if (step.length < STEP) return orderOf(branches, extent, now);
      await nextTurn();
    }
  }

  #forget(): void {
    let messages = this.#kept.values().reduce((sum, kept) => sum + kept.messages, 0);
    for (const [key, kept] of this.#kept) {
      if (messages <= MESSAGES_KEPT && this.#kept.size <= THREADS_KEPT) return;
      if (this.#kept.delete(key)) messages -= kept.messages;
    }
  }
}

const keyOf = (root: string, { messages, lastSeq }: ThreadExtent): string => `${root} ${messages} ${lastSeq}`;

function orderOf(branches: readonly Branch[], extent: ThreadExtent, asOf: number): ThreadOrder {
  const counts = new Map<string, number>();
  let until = Infinity;
  for (const { author, expiresAt } of branches) {
    counts.set(author, (counts.get(author) ?? 0) + 1);
    until = Math.min(until, expiresAt);
  }
  const participants = [...counts].map(([agent, messages]) => ({ agent, messages })).sort((a, b) => b.messages - a.messages);
  return { ...depthFirst(branches), extent, asOf, until, participants: participants.slice(0, PARTICIPANTS) };
}

// Threads in reading order, cached so that a change of a thread costs one read of the new messages, however many pages are requested.
import { type DepthFirst, depthFirst, growTwigs, type Twigs } from "../../core/message/thread-reading-order.ts";
import type { Branch, ThreadExtent, ThreadReads } from "../../ports/message-threads.ts";
import { forOthersToo, inSlices, nextSlice } from "../../ports/cpu-slices.ts";

const BRANCHES_PER_READ = 500;
/** At 24 bytes each. */
const MAX_MESSAGES = 1_000_000;
const MAX_ORDERS = 1000;
/** The most that are named. */
const PARTICIPANTS = 500;

export interface ThreadOrder extends DepthFirst {
  readonly extent: ThreadExtent;
  readonly asOf: number;
  readonly twigs: Twigs;
  /** Number of messages by agent. */
  readonly authors: ReadonlyMap<string, number>;
  /** The agents with the most messages, these first. */
  readonly participants: readonly Participant[];
  /** When the first of its messages ends. */
  readonly until: number;
}

export interface Participant {
  readonly agent: string;
  readonly messages: number;
}

type ThreadSource = Pick<ThreadReads, "threadExtent" | "branches">;

export class ThreadOrders {
  readonly #store: ThreadSource;
  /** By thread and size, the least recently used first. */
  readonly #orders = new Map<string, Promise<ThreadOrder>>();
  /** The last order made of each thread: the next one waits for it and extends it. */
  readonly #newest = new Map<string, Promise<ThreadOrder>>();
  /** Number of messages of each finished order. */
  readonly #weights = new Map<string, number>();

  constructor(store: ThreadSource) {
    this.#store = store;
  }

  async current(root: string, now: number): Promise<ThreadOrder> {
    const extent = await this.#store.threadExtent(root);
    const key = keyOf(root, extent);
    const cached = await this.#orders.get(key);
    // After `until`, a message of the thread has ended, and may not be swept yet.
    if (cached !== undefined && now >= cached.until) this.#drop(key, root);
    const order = this.#order(root, extent, now);
    this.#newest.set(root, order);
    return order;
  }

  /** The thread as it was at this size; without messages that left since, if that order is no longer cached. */
  asItWas(root: string, extent: ThreadExtent, now: number): Promise<ThreadOrder> {
    return this.#order(root, extent, now);
  }

  #order(root: string, extent: ThreadExtent, now: number): Promise<ThreadOrder> {
    const key = keyOf(root, extent);
    let order = this.#orders.get(key);
    if (order === undefined) {
      order = forOthersToo(() => this.#make(root, extent, now, this.#newest.get(root)));
      void this.#weigh(key, root, order);
    }
    this.#orders.delete(key);
    this.#orders.set(key, order);
    return order;
  }

  async #make(root: string, extent: ThreadExtent, now: number, before: Promise<ThreadOrder> | undefined): Promise<ThreadOrder> {
    const base = await before?.catch(() => undefined);
    if (base !== undefined && base.extent.lastSeq <= extent.lastSeq && now < base.until) {
      const fresh = await this.#read(root, base.extent.lastSeq, extent.lastSeq, now);
      // If the numbers match, no message has left the thread. A message that arrives after some that refer to it changes their order.
      const grown = base.order.length + fresh.length === extent.messages && !fresh.some(({ isAwaited }) => isAwaited);
      if (grown) return inSlices(orderOf(fresh, extent, now, base));
    }
    const all = await this.#read(root, 0, extent.lastSeq, now);
    return inSlices(orderOf(all, extent, now));
  }

  async #read(root: string, after: number, upTo: number, now: number): Promise<Branch[]> {
    const branches: Branch[] = [];
    for (;;) {
      const batch = await this.#store.branches(root, { after: branches.at(-1)?.seq ?? after, upTo, limit: BRANCHES_PER_READ, now });
      branches.push(...batch);
      if (batch.length < BRANCHES_PER_READ) return branches;
      await nextSlice();
    }
  }

  async #weigh(key: string, root: string, order: Promise<ThreadOrder>): Promise<void> {
    try {
      this.#weights.set(key, (await order).order.length);
    } catch {
      // The present callers get the error; the next one tries again.
      this.#drop(key, root);
    }
    let messages = this.#weights.values().reduce((sum, weight) => sum + weight, 0);
    for (const oldest of this.#orders.keys()) {
      if (messages <= MAX_MESSAGES && this.#orders.size <= MAX_ORDERS) return;
      messages -= this.#weights.get(oldest) ?? 0;
      this.#drop(oldest, rootOf(oldest));
    }
  }

  #drop(key: string, root: string): void {
    if (this.#newest.get(root) === this.#orders.get(key)) this.#newest.delete(root);
    this.#orders.delete(key);
    this.#weights.delete(key);
  }
}

const keyOf = (root: string, { messages, lastSeq }: ThreadExtent): string => `${root} ${messages} ${lastSeq}`;
const rootOf = (key: string): string => key.slice(0, key.indexOf(" "));

/** The order of `base`, extended by the messages `fresh`. */
function* orderOf(fresh: readonly Branch[], extent: ThreadExtent, asOf: number, base?: ThreadOrder): Generator<void, ThreadOrder> {
  const authors = new Map<string, number>();
  for (const [author, messages] of base?.authors ?? []) {
    yield;
    authors.set(author, messages);
  }
  let until = base?.until ?? Infinity;
  for (const { author, expiresAt } of fresh) {
    yield;
    authors.set(author, (authors.get(author) ?? 0) + 1);
    until = Math.min(until, expiresAt);
  }
  const twigs = yield* growTwigs(base?.twigs, fresh);
  const participants = yield* mostActive(authors);
  return { ...(yield* depthFirst(twigs)), extent, asOf, twigs, authors, participants, until };
}

/** Sorts a few at a time. */
function* mostActive(authors: ReadonlyMap<string, number>): Generator<void, readonly Participant[]> {
  const most: Participant[] = [];
  const cut = (): void => void most.sort((a, b) => b.messages - a.messages).splice(PARTICIPANTS);
  for (const [agent, messages] of authors) {
    yield;
    if (most.push({ agent, messages }) >= 2 * PARTICIPANTS) cut();
  }
  cut();
  return most;
}

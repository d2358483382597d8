// Long computations in slices, charged to the caller of the request. Between two slices other requests run.
import { AsyncLocalStorage } from "node:async_hooks";
import { setTimeout as pause } from "node:timers/promises";

/** The processor time that one request may use. */
export interface Share {
  /** The name under which the work takes turns: that of the caller or its network. They take turns, however much each has requested. */
  readonly lane: string;
  /** Charges processor time; throws if the caller has none left. */
  spend(ms: number): void;
  /** Charges processor time of work that must not stop; the caller's other requests are refused if it has none left. */
  owe?(ms: number): void;
  /** Throws if the caller owes more than it has. */
  require?(): void;
  /** Something was written for the request: from now on it is charged as before, and not refused. */
  written?(): void;
  /** For work that can no longer be refused: how many milliseconds to pause so that the caller stays within its rate. */
  rest?(): number;
}

const shares = new AsyncLocalStorage<Share>();

/** Everything that this function starts is charged to this share. */
export const atTheCostOf = <Result>(share: Share, work: () => Result): Result => shares.run(share, work);

/** For work whose result everybody shares: no caller is charged, and none can be refused half way. */
export const atNobodysCost = <Result>(work: () => Result): Result => shares.exit(work);

/**
 * For work whose result other callers may wait for too: the caller that begins it is charged, and its next requests may be refused for that.
 * This work is not refused half way and does not pause, because the others have done nothing.
 */
export function forOthersToo<Result>(work: () => Result): Result {
  const share = shares.getStore();
  if (share === undefined) return work();
  const owe = (ms: number): void => share.owe?.(ms);
  return shares.run({ lane: share.lane, owe, spend: owe }, work);
}

/** Returns a function that runs later work at the cost of the current share. */
export const atCostOfNow = (): (<Result>(work: () => Result) => Result) => AsyncLocalStorage.snapshot();

/** Returns a function that charges the current share for later work that is done for several callers at once. */
export function costOfNow(): (ms: number) => void {
  const share = shares.getStore();
  return (ms) => share?.owe?.(ms);
}

/** Binds a sequence to the current share, no matter who reads it later. */
export function atSameCost<Item>(items: AsyncIterable<Item>): AsyncIterable<Item> {
  const inside = AsyncLocalStorage.snapshot();
  return {
    [Symbol.asyncIterator]() {
      const iterator = inside(() => items[Symbol.asyncIterator]());
      return {
        next: () => inside(() => iterator.next()),
        return: async (value?: unknown) => (await inside(() => iterator.return?.(value))) ?? { done: true, value },
      };
    },
  };
}

const cpuMs = (): number => {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
};

/** Work shorter than this is charged by the clock: reading the thread's processor time takes longer than most slices. */
const SHORT_MS = 1;
/** How old a reading of the processor time may be when a slice begins; the slice may be charged that much more. */
const READ_EVERY_MS = 2;
/** The last reading of the processor time, and when it was taken. */
let read = { at: -Infinity, cpu: 0 };

/**
 * Returns a function that tells how much processor time was used since: at most as much as time has passed, so that nobody pays for other
 * processes on a busy machine.
 */
function cpuSinceNow(): () => number {
  const began = performance.now();
  if (began - read.at > READ_EVERY_MS) read = { at: began, cpu: cpuMs() };
  const before = read.cpu;
  return () => {
    const now = performance.now();
    if (now - began < SHORT_MS) return now - began;
    read = { at: now, cpu: cpuMs() };
    return Math.min(now - began, read.cpu - before);
  };
}

/** Runs one slice, which is charged even if it fails. */
export function slice<Result>(work: () => Result): Result {
  const share = shares.getStore();
  if (share === undefined) return work();
  const used = cpuSinceNow();
  try {
    return work();
  } finally {
    share.spend(used());
  }
}

/** Like `slice`, for promises that wait for nothing outside, so that no other request runs in between. */
export async function sliceOfPromises<Result>(work: () => Promise<Result>): Promise<Result> {
  const used = cpuSinceNow();
  try {
    return await work();
  } finally {
    cost(used());
  }
}

/** Charges time that was used elsewhere: in another thread, or by the database. */
export function cost(ms: number): void {
  shares.getStore()?.spend(ms);
}

/** How many characters another thread compresses in a millisecond, approximately: at the fastest levels, and at the usual ones. */
const COMPRESSED_PER_MS = { fast: 100_000, usual: 30_000 };

/** Charges the compression of a text; call it before, because it throws if the caller has no time left. */
export const costOfCompressing = (chars: number, level: keyof typeof COMPRESSED_PER_MS): void => cost(chars / COMPRESSED_PER_MS[level]);

/** The lane of the current share; empty if the work is for no request. */
export const laneNow = (): string => shares.getStore()?.lane ?? "";

/** Call before work that cannot be stopped half way: throws if the caller owes more than it has. */
export function requireShare(): void {
  shares.getStore()?.require?.();
}

/** Call after something was written for a request, which must not be refused any more. */
export function wroteForCaller(): void {
  shares.getStore()?.written?.();
}

/** How long a slice may take before other requests get a turn. */
const SLICE_MS = 4;

/** Runs the steps of a long computation in slices by time, however long each step takes. */
export async function inSlices<Result>(steps: Iterator<unknown, Result>): Promise<Result> {
  const untilTired = (): IteratorResult<unknown, Result> => {
    const began = performance.now();
    for (;;) {
      const step = steps.next();
      if (step.done === true || performance.now() - began >= SLICE_MS) return step;
    }
  };
  for (;;) {
    const step = slice(untilTired);
    if (step.done === true) return step.value;
    await nextSlice();
  }
}

/** Processes items in slices. */
export const sliced = <Item>(items: Iterable<Item>, work: (item: Item) => void): Promise<void> => inSlices(each(items, work));

/** What becomes of items, each processed in slices: for items that may be long, such as messages that have to be parsed. */
export async function mapInSlices<Item, Result>(items: Iterable<Item>, work: (item: Item) => Result): Promise<Result[]> {
  const results: Result[] = [];
  await sliced(items, (item) => void results.push(work(item)));
  return results;
}

function* each<Item>(items: Iterable<Item>, work: (item: Item) => void): Generator<void, void> {
  for (const item of items) {
    work(item);
    yield;
  }
}

/** For steps that are promises: returns a function to call between two of them, which waits for the next slice if this one was long. */
export function betweenSlices(): () => Promise<void> {
  let began = performance.now();
  return async () => {
    if (performance.now() - began < SLICE_MS) return;
    await nextSlice();
    began = performance.now();
  };
}

/** Waiting slices by lane; lanes in the order of their turns. */
const waiting = new Map<string, (() => void)[]>();

/** Between two slices: each turn of the event loop runs one waiting slice. */
export async function nextSlice(): Promise<void> {
  const share = shares.getStore();
  const lane = share?.lane ?? "";
  const ms = share?.rest?.() ?? 0;
  if (ms > 0) await pause(ms);
  await new Promise<void>((resolve) => {
    if (waiting.size === 0) setImmediate(giveTurn);
    const own = waiting.get(lane);
    if (own === undefined) waiting.set(lane, [resolve]);
    else own.push(resolve);
  });
}

function giveTurn(): void {
  const [first] = waiting;
  if (first === undefined) return;
  const [lane, own] = first;
  const go = own.shift();
  waiting.delete(lane);
  if (own.length > 0) waiting.set(lane, own);
  if (waiting.size > 0) setImmediate(giveTurn);
  go?.();
}

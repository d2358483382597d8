// Long work in slices: at the cost of whoever asked for it, and one slice at a time, so that everybody else has a turn in between.
import { AsyncLocalStorage } from "node:async_hooks";
import { setTimeout as pause } from "node:timers/promises";

/** What one request may take of the processor. */
export interface Share {
  /** Callers have their turns one after the other, however much each has asked for. */
  readonly caller: string;
  /** So much processor time was used; throws where the caller has no more. */
  spend(ms: number): void;
  /** Throws where the caller owes more than it has. */
  require?(): void;
  /** Work that cannot be refused any more goes on at the caller's pace: so many milliseconds after what it has used. */
  rest?(): number;
}

const shares = new AsyncLocalStorage<Share>();

/** Everything that follows from this work is done for whoever has the share. */
export const atTheCostOf = <Result>(share: Share, work: () => Result): Result => shares.run(share, work);

/** Has later work done at the cost of whoever has the share now. */
export const atCostOfNow = (): (<Result>(work: () => Result) => Result) => AsyncLocalStorage.snapshot();

/** Has a sequence made at the cost of whoever has the share now, whoever reads it later. */
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

/** One slice in one go, paid for even if it fails. By processor time: on a machine that is busy with other things nobody pays for these. */
export function slice<Result>(work: () => Result): Result {
  const share = shares.getStore();
  if (share === undefined) return work();
  const began = cpuMs();
  try {
    return work();
  } finally {
    share.spend(cpuMs() - began);
  }
}

/** What was used elsewhere: in another thread, or by the database. */
export function cost(ms: number): void {
  shares.getStore()?.spend(ms);
}

/** For whom this is done; nobody in particular where nobody asked. */
export const callerNow = (): string => shares.getStore()?.caller ?? "";

/** Before work that cannot be stopped half way: throws where whoever asked for it owes more than it has. */
export function requireShare(): void {
  shares.getStore()?.require?.();
}

/** Between two slices of long work everybody else has a turn; so long may each take. */
const SLICE_MS = 8;

/** Takes the steps of long work in slices by time, however long each of them takes. */
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

/** Works through items in slices. */
export const sliced = <Item>(items: Iterable<Item>, work: (item: Item) => void): Promise<void> => inSlices(each(items, work));

function* each<Item>(items: Iterable<Item>, work: (item: Item) => void): Generator<void, void> {
  for (const item of items) {
    work(item);
    yield;
  }
}

/** Who waits for a turn, by caller; callers in the order of their turns. */
const waiting = new Map<string, (() => void)[]>();

/** Between two slices: one waiting slice is done in each turn of the event loop. */
export async function nextSlice(): Promise<void> {
  const share = shares.getStore();
  const caller = share?.caller ?? "";
  const ms = share?.rest?.() ?? 0;
  if (ms > 0) await pause(ms);
  await new Promise<void>((resolve) => {
    if (waiting.size === 0) setImmediate(giveTurn);
    const own = waiting.get(caller);
    if (own === undefined) waiting.set(caller, [resolve]);
    else own.push(resolve);
  });
}

function giveTurn(): void {
  const [first] = waiting;
  if (first === undefined) return;
  const [caller, own] = first;
  const go = own.shift();
  waiting.delete(caller);
  if (own.length > 0) waiting.set(caller, own);
  if (waiting.size > 0) setImmediate(giveTurn);
  go?.();
}

// Long work in slices: at the cost of whoever asked for it, and one slice at a time, so that everybody else has a turn in between.
import { AsyncLocalStorage } from "node:async_hooks";

/** What one request may take of the processor. */
export interface Share {
  /** Callers have their turns one after the other, however much each has asked for. */
  readonly caller: string;
  /** So much processor time was used; throws where the caller has no more. */
  spend(ms: number): void;
}

const shares = new AsyncLocalStorage<Share>();

/** Everything that follows from this work is done for whoever has the share. */
export const atTheCostOf = <Result>(share: Share, work: () => Result): Result => shares.run(share, work);

const cpuMs = (): number => {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
};

/** One slice in one go. By processor time: on a machine that is busy with other things nobody pays for these. */
export function slice<Result>(work: () => Result): Result {
  const share = shares.getStore();
  if (share === undefined) return work();
  const began = cpuMs();
  const result = work();
  share.spend(cpuMs() - began);
  return result;
}

/** Who waits for a turn, by caller; callers in the order of their turns. */
const waiting = new Map<string, (() => void)[]>();

/** Between two slices: one waiting slice is done in each turn of the event loop. */
export function nextSlice(): Promise<void> {
  const caller = shares.getStore()?.caller ?? "";
  return new Promise((resolve) => {
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

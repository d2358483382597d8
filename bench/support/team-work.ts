// What each worker of a team does, whatever protocol it speaks: it adds two numbers, and checks sums of others.

const [url = "", slotText = "0", slotsText = "1", directory = ""] = process.argv.slice(2);
const [slot, slots] = [Number(slotText), Number(slotsText)];
export { directory, slot, url };

/** Longer than a worker needs, and short enough that the work of a killed worker soon becomes free. */
export const LEASE = "40s";
/** A short wait for work, because there may be results to check instead. */
export const WAIT_S = 15;
/** Tasks that it does before it looks for results of others: one look finds several. */
const WORK_BETWEEN = 3;

export interface Done {
  readonly a: number;
  readonly b: number;
  readonly sum: number;
  readonly slot: number;
}

export function doneFor({ title = "" }: { readonly title?: string | undefined }): Done {
  const [a = 0, b = 0] = title.split("+").map(Number);
  return { a, b, sum: a + b, slot };
}

/** Each result has exactly one worker that checks it, so that no two check the same. */
export const isMine = (id: string, done: Done): boolean =>
  (done.slot + 1 + (Number.parseInt(id.slice(0, 8), 16) % (slots - 1))) % slots === slot;

/** What it says of a result that it has checked. */
export function checked({ a, b, sum }: Done): string {
  if (a + b !== sum) throw new Error(`${a} + ${b} is not ${sum}.`);
  return `${a} + ${b} is ${sum}.`;
}

/** Until it is ended. `work` says whether there was any. */
export async function keepWorking(work: () => Promise<boolean>, check: () => Promise<void>): Promise<never> {
  for (let done = 1; ; done++) if (!(await work()) || done % WORK_BETWEEN === 0) await check();
}

// One worker of a team in a separate process, with the TypeScript client: it takes work and does it, and checks results of others, until it
// is ended.
import { connect, listMessages, type ListQuery, makeKey, type Message, next, post, resultOf, verify } from "../../src/client/client.ts";

const [url = "", slotText = "0", slotsText = "1"] = process.argv.slice(2);
const [slot, slots] = [Number(slotText), Number(slotsText)];
/** Longer than a worker needs, and short enough that the work of a killed worker soon becomes free. */
const LEASE = "40s";
/** A short wait for work, because there may be results to check instead. */
const WAIT_S = 15;
/** Tasks that it does before it looks for results of others: one look finds several. */
const WORK_BETWEEN = 3;

/** Only the fields that are used. */
const RESULTS: ListQuery = { kind: ["result"], status: ["open"], sort: "old", limit: 100, fields: "content.data" };

interface Done {
  readonly a: number;
  readonly b: number;
  readonly sum: number;
  readonly slot: number;
}
const doneIn = ({ content }: Message): Done => content.data as unknown as Done;

const board = connect(url, { longestWaitS: 600 });
const key = await makeKey();
/** Each result has exactly one worker that checks it, so that no two check the same. */
const checkerOf = (result: Message): number =>
  (doneIn(result).slot + 1 + (Number.parseInt(result.id.slice(0, 8), 16) % (slots - 1))) % slots;

async function check(): Promise<void> {
  const { messages } = await listMessages(board, RESULTS);
  for (const one of messages.filter((result) => checkerOf(result) === slot)) {
    const { a, b, sum } = doneIn(one);
    if (a + b !== sum) throw new Error(`${a} + ${b} is not ${sum}.`);
    await post(board, key, verify(one.id, `${a} + ${b} is ${sum}.`));
  }
}

async function work(): Promise<boolean> {
  const { work: task } = await next(board, key, { lease: LEASE, wait: WAIT_S });
  if (task === null) return false;
  const [a = 0, b = 0] = (task.meta.title ?? "").split("+").map(Number);
  const done: Done = { a, b, sum: a + b, slot };
  await post(board, key, resultOf(task.id, `${done.sum}`, { data: { ...done } }));
  return true;
}

for (let done = 1; ; done++) if (!(await work()) || done % WORK_BETWEEN === 0) await check();

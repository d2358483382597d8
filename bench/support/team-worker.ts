// One worker of a team in a process of its own, by the TypeScript client: checks what others have done, else claims work and does it, until it is ended.
import { setTimeout as pause } from "node:timers/promises";
import {
  BoardError,
  claim,
  connect,
  findWork,
  listMessages,
  type ListQuery,
  makeKey,
  type Message,
  post,
  resultOf,
  verify,
} from "../../src/client/client.ts";

const [url = "", slotText = "0", slotsText = "1"] = process.argv.slice(2);
const [slot, slots] = [Number(slotText), Number(slotsText)];
/** Longer than a worker takes, and short enough that what a killed one held comes back. */
const LEASE = "40s";
const IDLE_MS = 1000;

/** Only what is read of each: the board leaves out the rest, and the types do not say so. */
const RESULTS = { kind: ["result"], status: ["open"], sort: "old", limit: 100, fields: "content.data" } as ListQuery;

interface Done {
  readonly a: number;
  readonly b: number;
  readonly sum: number;
  readonly slot: number;
}
const doneIn = ({ content }: Message): Done => content.data as unknown as Done;

const board = connect(url, { longestWaitS: 600 });
const key = await makeKey();
/** Each result has one other worker that checks it, so that no two do. */
const checkerOf = (result: Message): number =>
  (doneIn(result).slot + 1 + (Number.parseInt(result.id.slice(0, 8), 16) % (slots - 1))) % slots;
const say = (words: object): void => void process.stdout.write(`${JSON.stringify(words)}\n`);

async function check(): Promise<boolean> {
  const { messages } = await listMessages(board, RESULTS);
  const mine = messages.find((one) => checkerOf(one) === slot);
  if (mine === undefined) return false;
  const { a, b, sum } = doneIn(mine);
  if (a + b !== sum) throw new Error(`${a} + ${b} is not ${sum}.`);
  await post(board, key, verify(mine.id, `${a} + ${b} is ${sum}.`));
  return true;
}

let lostInARow = 0;
async function work(): Promise<boolean> {
  const { messages } = await findWork(board, { as: key.agent, limit: 1, fields: "meta.title" });
  const [task] = messages;
  if (task === undefined) return false;
  try {
    await post(board, key, claim(task.id, { lease: LEASE }));
    lostInARow = 0;
  } catch (error) {
    if (!(error instanceof BoardError) || error.status !== 409) throw error;
    say({ lost: 1, again: ++lostInARow > 1 });
    return true;
  }
  const [a = 0, b = 0] = (task.meta.title ?? "").split("+").map(Number);
  const done: Done = { a, b, sum: a + b, slot };
  await post(board, key, resultOf(task.id, `${done.sum}`, { data: { ...done } }));
  return true;
}

for (;;) if (!(await check()) && !(await work())) await pause(IDLE_MS);

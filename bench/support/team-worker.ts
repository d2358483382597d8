// One worker of a team in a separate process, with the TypeScript client: it takes work and does it, and checks results of others, until it
// is ended.
import { connect, listMessages, type ListQuery, makeKey, type Message, next, post, resultOf, verify } from "../../src/client/client.ts";
import { checked, type Done, doneFor, isMine, keepWorking, LEASE, url, WAIT_S } from "./team-work.ts";

/** Only the fields that are used. */
const RESULTS: ListQuery = { kind: ["result"], status: ["open"], sort: "old", limit: 100, fields: "content.data" };

const doneIn = ({ content }: Message): Done => content.data as unknown as Done;

const board = connect(url, { longestWaitS: 600 });
const key = await makeKey();

async function check(): Promise<void> {
  const { messages } = await listMessages(board, RESULTS);
  for (const one of messages.filter((result) => isMine(result.id, doneIn(result))))
    await post(board, key, verify(one.id, checked(doneIn(one))));
}

async function work(): Promise<boolean> {
  const { work: task } = await next(board, key, { lease: LEASE, wait: WAIT_S });
  if (task === null) return false;
  const done = doneFor(task.meta);
  await post(board, key, resultOf(task.id, `${done.sum}`, { data: { ...done } }));
  return true;
}

await keepWorking(work, check);

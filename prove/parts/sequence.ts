// One sequence: many callers write and poll at the same time. Nobody may see a gap, a repeated entry, or an entry out of order.
import { plural } from "../../src/core/text/plural.ts";
import { wholeLog } from "../../test/support/acknowledged.ts";
import { Agent } from "../../test/support/agent.ts";
import { Nodes, postTo } from "../../test/support/nodes.ts";
import { pollChanges } from "../../test/support/poll-changes.ts";
import { BoardProcess, emptyDirectory } from "../../test/support/process.ts";
import { type Part, type StoreName, STORES } from "../part.ts";
import { FLAGS } from "../support/board-cli-flags.ts";

const WRITERS = 8;
const POLLERS = 8;
const POSTS = 4000;
const NODES = 3;

export const sequence: Part = {
  name: "sequence",
  promise: "one sequence: 8 writers, 8 pollers, no gap, no late entry",
  stores: STORES,
  async run(times, store) {
    await using boards = new AsyncDisposableStack();
    const urls = await served(store, boards);
    const each = Math.ceil(times(POSTS) / WRITERS);
    let writing = true;
    const pollers = Array.from({ length: POLLERS }, () => pollChanges(urls, () => !writing));
    await Promise.all(Array.from({ length: WRITERS }, (_, lane) => write(urls, lane, each))).finally(() => (writing = false));
    const logs = await Promise.all(pollers);
    const whole = (await wholeLog(urls[0] ?? "")).map(({ seq, hash }) => `${seq} ${hash}`);
    const differing = logs.filter((log) => log.map(({ seq, hash }) => `${seq} ${hash}`).join() !== whole.join()).length;
    return {
      held: differing === 0 && whole.length >= each * WRITERS,
      figure: `${WRITERS} writers, ${plural(POLLERS, "poller")}, ${urls.length} ${urls.length === 1 ? "board" : "nodes"}: ${plural(whole.length, "entry", "entries")}, ${plural(differing, "poller")} saw a gap, a repeat or a late one`,
    };
  },
};

async function served(store: StoreName, boards: AsyncDisposableStack): Promise<readonly string[]> {
  if (store === "sqlite") return [boards.use(await BoardProcess.serve(emptyDirectory(), FLAGS)).url];
  return boards.use(await Nodes.start(NODES)).urls;
}

/** Each act goes to another node, and refers to the message that the node before has just acknowledged. */
async function write(urls: readonly string[], lane: number, posts: number): Promise<void> {
  const agent = new Agent();
  let task: string | undefined;
  for (let i = 0; i < posts; i++) {
    const url = urls[(lane + i) % urls.length] ?? "";
    const title = `${lane} ${i}`;
    if (task === undefined || i % 3 === 0) task = (await postTo(url, agent.envelope({ kind: "task", title }))).id;
    else if (i % 3 === 1) await postTo(url, agent.envelope({ kind: "answer", body: title, refs: [{ rel: "answers", id: task }] }));
    else await postTo(url, agent.envelope({ kind: "note", title, refs: [{ rel: "reply", id: task }] }));
  }
}

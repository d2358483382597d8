// Removed means gone: within a second from every surface of a running board, and from then on from the disk.
import { plural } from "../../src/core/text/plural.ts";
import { Agent } from "../../test/support/agent.ts";
import { Canary, type Whereabouts } from "../../test/support/canary.ts";
import { eventually } from "../../test/support/eventually.ts";
import { filesWith } from "../../test/support/files-with.ts";
import { postTo } from "../../test/support/nodes.ts";
import { configAt, reasons } from "../../test/support/operator.ts";
import { BoardProcess, emptyDirectory } from "../../test/support/process.ts";
import { operatorSession } from "../../src/cli/operate/operator-session.ts";
import { eraseTraces } from "../../src/cli/operate/erase-removed-content.ts";
import { placeOf } from "../../src/storage/open.ts";
import { type Part, STORES } from "../part.ts";
import { FLAGS } from "../support/board-cli-flags.ts";
import { rowsWith } from "../support/find-word-in-postgres.ts";

const ROUNDS = 10;
const BYSTANDERS = 20;
const GONE_AFTER_MS = 1000;

export const removed: Part = {
  name: "removed",
  promise: "removed means gone: every surface within 1 s, the canary nowhere on disk",
  stores: STORES,
  async run(times, store) {
    const rounds = times(ROUNDS);
    const [late, hidden] = [new Set<string>(), new Set<string>()];
    let [asked, slowest, left] = [0, 0, 0];
    for (let round = 0; round < rounds; round++) {
      // A new board, because messages of other rounds would push this one off the first page of some lists.
      const data = emptyDirectory();
      await using board = await BoardProcess.serve(data, FLAGS);
      const canary = new Canary(`zqxremoved${round}`);
      const { at, ids } = await posted(board.url, canary);
      for (const [surface, answer] of await canary.everywhere(board.url, at)) if (!canary.content.test(answer)) hidden.add(surface);
      const before = await traces(data, canary.word);
      const operator = operatorSession(configAt(data), await placeOf(configAt(data)).openBeside(), { yes: true });
      for (const target of ids) await operator.order({ do: "remove", target, reasons: reasons(), keepAttachments: false });
      await new Promise((resolve) => setTimeout(resolve, GONE_AFTER_MS));
      const after = await canary.everywhere(board.url, at);
      asked += after.size;
      for (const [surface, answer] of after) if (canary.content.test(answer)) late.add(surface);
      const since = performance.now();
      await eraseTraces(operator);
      await operator.store.close();
      const clean = eventually("nothing on disk", async () => ((await traces(data, canary.word)) === 0 ? true : undefined));
      if (before === 0 || !(await clean.catch(() => false))) left++;
      slowest = Math.max(slowest, performance.now() - since);
    }
    for (const surface of [...late, ...hidden]) console.log(surface);
    const where = store === "sqlite" ? "in no file" : "in no row of the database and no file of the node";
    return {
      held: late.size + hidden.size + left === 0,
      figure:
        `${plural(rounds, "message")}: of ${plural(asked, "question")} 1 s after, ${plural(late.size, "surface")} still showed one; ${hidden.size} had not shown it before; ` +
        `${rounds - left} of ${rounds} ${where} after at most ${Math.round(slowest)} ms of erasing`,
    };
  },
};

async function posted(url: string, canary: Canary): Promise<{ at: Whereabouts; ids: readonly string[] }> {
  const [author, addressee] = [new Agent(), new Agent()];
  const post = (...given: Parameters<Agent["envelope"]>) => postTo(url, author.envelope(...given));
  const root = await post({ kind: "question", title: `What is ${canary.word.length}?` });
  // Enough other messages that database pages fill and split.
  for (let i = 0; i < BYSTANDERS; i++)
    await post({ kind: "x-bystander", title: `${canary.word.length} ${i}`, body: "x".repeat(2000), ttl: 60 });
  const message = await post(canary.fields(root.id, addressee.id), canary.blobs);
  const others = await Promise.all(canary.companions.map((fields) => post(fields)));
  return {
    at: { message: message.id, root: root.id, author: author.id, addressee: addressee.id, afterSeq: message.seq - 2 },
    ids: [message.id, ...others.map(({ id }) => id)],
  };
}

const traces = async (data: string, word: string): Promise<number> => filesWith(data, word).length + (await rowsWith(data, word)).length;

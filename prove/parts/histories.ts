// Never two histories: a second process cannot run beside the first, an old database cannot sign, and everything signed is on one chain.
import { copyFileSync, mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { plural } from "../../src/core/text/plural.ts";
import { wholeLog } from "../../test/support/acknowledged.ts";
import { Agent } from "../../test/support/agent.ts";
import { keepCopy, putBack } from "../../test/support/copies.ts";
import { databaseFor } from "../../test/support/postgres/database.ts";
import { BoardProcess, emptyDirectory } from "../../test/support/process.ts";
import { type Part, type StoreName, STORES } from "../part.ts";
import { FLAGS } from "../support/board-cli-flags.ts";
import { Posters } from "../support/posters.ts";
import { heard, Witness } from "../support/signed-head-watcher.ts";

const TRIES = 5;
const LANES = 4;
const POSTS_BETWEEN = 50;

export const histories: Part = {
  name: "histories",
  promise: "never two histories: every signed head is on one chain; a second process or an old database cannot sign",
  stores: STORES,
  async run(times, store) {
    const data = emptyDirectory();
    using witness = new Witness();
    const tries = times(TRIES);
    let [rivals, signed] = [0, 0];
    await written(data, witness);
    for (let i = 0; i < tries; i++) {
      await keepCopy(data, "old");
      await written(data, witness, async () => {
        for (const args of await secondBoards(data, store)) {
          rivals++;
          if (await starts(args)) signed++;
        }
      });
      await keepCopy(data, "good");
      await putBack(data, "old");
      if (await signs(data)) signed++;
      await putBack(data, "good");
    }
    await using board = await BoardProcess.serve(data, FLAGS);
    await witness.ask(board.url);
    const verdict = witness.judge(await wholeLog(board.url));
    return {
      held: signed === 0 && verdict.held && heard.off === 0,
      figure:
        `${plural(rivals, "second process", "second processes")} and ${plural(tries, "old database")}, ${signed} could write or sign; ${verdict.figure}; ` +
        `in this whole run so far ${plural(heard.served, "signed head")} of ${plural(heard.logs, "log")}, ${heard.off} off their chain`,
    };
  },
};

/** Runs a board with posts and requests for its head, then ends it. */
async function written(data: string, witness: Witness, meanwhile: () => Promise<void> = async () => {}): Promise<void> {
  await using board = await BoardProcess.serve(data, FLAGS);
  const watching = Array.from({ length: LANES }, () => witness.watch(() => board.url));
  await using posters = new Posters(LANES, () => board.url);
  await posters.reach(POSTS_BETWEEN);
  await meanwhile();
  await posters.reach(POSTS_BETWEEN);
  await posters.stop();
  await witness.ask(board.url);
  witness.stop();
  await Promise.all(watching);
  await board.kill("SIGTERM");
}

/** All ways to start a second board on the same database. */
async function secondBoards(data: string, store: StoreName): Promise<readonly (readonly string[])[]> {
  const serve = ["serve", "--port", "0", "--smtp-port", "0", ...FLAGS];
  const other = emptyDirectory();
  if (store === "postgres") {
    const database = ["--database-url", await databaseFor(data)];
    // Another directory with the same key is another node, which is allowed. With another key it is not.
    return [data, other].map((dir) => [...serve, ...database, "--data", dir]);
  }
  const link = join(other, "link");
  symlinkSync(data, link);
  const linked = join(other, "linked");
  mkdirSync(linked);
  symlinkSync(join(data, "board.db"), join(linked, "board.db"));
  copyFileSync(join(data, "board.key"), join(linked, "board.key"));
  return [data, link, linked].map((dir) => [...serve, "--data", dir]);
}

/** Whether the board runs, or ends for a reason other than being the second one. */
async function starts(args: readonly string[]): Promise<boolean> {
  await using board = BoardProcess.spawn({ args });
  try {
    await board.ready();
    return true;
  } catch (error) {
    return !/Another board is running|is ag_\w+ \(public key/.test((error as Error).message);
  }
}

/** Whether a board with an older database accepts a post or signs its head. */
async function signs(data: string): Promise<boolean> {
  await using board = await BoardProcess.serve(data, FLAGS);
  const init = {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(new Agent().envelope({ kind: "note", body: "x" })),
  };
  const asked = await Promise.all([fetch(`${board.url}/api/messages`, init), fetch(`${board.url}/api/checkpoint`)]);
  const codes = await Promise.all(asked.map(async (response) => ((await response.json()) as { error?: { code: string } }).error?.code));
  await board.kill("SIGTERM");
  return codes.some((code) => code !== "log_rollback");
}

// Backups under load: each can be restored to a working board, and its log is a prefix of the log of the running board.
import { join } from "node:path";
import { plural } from "../../src/core/text/plural.ts";
import { makeBackup } from "../../src/cli/operate/backup.ts";
import { restoreBackup, restoreToDatabase } from "../../src/cli/operate/restore-backup.ts";
import { lostBy, wholeLog } from "../../test/support/acknowledged.ts";
import type { Change } from "../../test/support/chain.ts";
import { configAt } from "../../test/support/operator.ts";
import { databaseFor } from "../../test/support/postgres/database.ts";
import { BoardProcess, emptyDirectory } from "../../test/support/process.ts";
import { type Part, type StoreName, STORES } from "../part.ts";
import { FLAGS } from "../support/board-cli-flags.ts";
import { Posters } from "../support/posters.ts";
import { offChain, Witness } from "../support/signed-head-watcher.ts";

const BACKUPS = 10;
const CONNECTIONS = 8;
const POSTS_BETWEEN = 200;

export const backup: Part = {
  name: "backup",
  promise: "a backup made under load restores, and its chain is a prefix",
  stores: STORES,
  async run(times, store) {
    const data = emptyDirectory();
    await using board = await BoardProcess.serve(data, FLAGS);
    using witness = new Witness();
    const watching = witness.watch(() => board.url);
    await using posters = new Posters(CONNECTIONS, () => board.url, "some words ".repeat(100));
    const made: { dir: string; acknowledged: number; signed: Witness["seen"] }[] = [];
    for (let i = times(BACKUPS); i > 0; i--) {
      await posters.reach(POSTS_BETWEEN);
      const [dir, acknowledged, signed] = [join(emptyDirectory(), "backup"), posters.acknowledged.length, witness.seen];
      await makeBackup(configAt(data), dir, true);
      made.push({ dir, acknowledged, signed });
    }
    await posters.reach(1);
    await posters.stop();
    const whole = await wholeLog(board.url);
    let [prefixes, lost, off, entries] = [0, 0, 0, 0];
    for (const { dir, acknowledged, signed } of made) {
      await using again = await restored(dir, store);
      const log = await wholeLog(again.url);
      if (isPrefix(log, whole)) prefixes++;
      entries += log.length;
      lost += (await lostBy(again.url, posters.acknowledged.slice(0, acknowledged), log)).length;
      // The backup contains everything that was signed before it, and what it signs now is in the log of the running board.
      const later = new Witness();
      await later.ask(again.url);
      off += offChain(signed, log) + (later.judge(whole).held ? 0 : 1);
    }
    const verdict = witness.judge(whole);
    await watching;
    return {
      held: prefixes === made.length && lost === 0 && off === 0 && verdict.held && posters.refused.answers.length === 0,
      figure:
        `${plural(made.length, "backup")} while ${plural(posters.acknowledged.length, "post")} were acknowledged: ${prefixes} restored as a prefix of the chain ` +
        `(${plural(entries, "entry", "entries")} read back), ${plural(lost, "post")} lost that were acknowledged before, ${plural(off, "head")} signed before it or by it that are off the chain; ${verdict.figure}`,
    };
  },
};

async function restored(dir: string, store: StoreName): Promise<BoardProcess> {
  const data = join(emptyDirectory(), "elsewhere");
  if (store === "sqlite") await restoreBackup(configAt(data), dir);
  else await restoreToDatabase(configAt(dir), await databaseFor(data), dir);
  return BoardProcess.serve(data, [...FLAGS, ...(store === "sqlite" ? [] : ["--key-file", join(dir, "board.key")])]);
}

function isPrefix(log: readonly Change[], whole: readonly Change[]): boolean {
  return log.length > 0 && log.every(({ seq, hash }, i) => whole[i]?.seq === seq && whole[i].hash === hash);
}

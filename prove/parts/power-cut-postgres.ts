// The same for PostgreSQL: its disk is an image, and only synced writes are sure to be in it.
import { spawnSync } from "node:child_process";
import { copyFileSync, rmSync } from "node:fs";
import { join, relative } from "node:path";
import { plural } from "../../src/core/text/plural.ts";
import { readConfig } from "../../src/config.ts";
import type { Checkpoint } from "../../src/core/log/chain-checkpoint.ts";
import type { Envelope } from "../../src/core/protocol/envelope.ts";
import { start } from "../../src/start.ts";
import { lostBy, wholeLog } from "../../test/support/acknowledged.ts";
import { postgresServer, serverOn } from "../../test/support/postgres/server.ts";
import { BoardProcess, emptyDirectory } from "../../test/support/process.ts";
import type { Finding } from "../part.ts";
import { FLAGS, SILENT } from "../support/board-cli-flags.ts";
import { imageDisk, mountImage } from "../support/mount-test-disks.ts";
import { Posters } from "../support/posters.ts";
import { stopped } from "../support/pause-process.ts";
import { wrongTreeHeads } from "../../test/support/tree-heads.ts";
import { heard, offChain, Witness } from "../support/signed-head-watcher.ts";

const CONNECTIONS = 4;
const POSTS_BETWEEN = 10;
const DISK_MB = 384;
/** Cuts that are checked at the same time. */
const AT_ONCE = 4;
const SMALL = { max_wal_size: "64MB", min_wal_size: "32MB", shared_buffers: "16MB" };

export async function postgresPowerCut(cuts: number): Promise<Finding> {
  using disk = imageDisk(DISK_MB);
  const server = await postgresServer({ durable: true, parent: disk.path, settings: SMALL });
  // Here initdb does not sync what it writes.
  spawnSync("sync", ["-f", disk.path]);
  const data = emptyDirectory();
  const database = ["--database-url", server.databaseUrl("postgres")];
  const args = ["serve", "--port", "0", "--smtp-port", "0", "--data", data, ...database, ...FLAGS];
  let [lost, off] = [0, 0];
  try {
    await using board = BoardProcess.spawn({ args });
    await board.ready();
    using witness = new Witness();
    const watching = witness.watch(() => board.url);
    await using posters = new Posters(CONNECTIONS, () => board.url);
    for (let left = cuts; left > 0; left -= AT_ONCE) {
      const taken: Cut[] = [];
      while (taken.length < Math.min(AT_ONCE, left)) {
        await posters.reach(1 + Math.random() * POSTS_BETWEEN);
        const [acknowledged, heads, trees] = [[...posters.acknowledged], witness.seen, witness.trees];
        taken.push({ image: await imageOf(disk.image, server.pid), acknowledged, heads, trees });
      }
      // Nothing is posted meanwhile, so that the log stays short for the later cuts.
      using _still = await stopped(server.pid);
      const look = (cut: Cut): Promise<void> =>
        onCut(cut.image, relative(disk.path, server.dir), join(data, "board.key"), async (url) => {
          const log = await wholeLog(url);
          const missing = await lostBy(url, cut.acknowledged, log);
          lost += missing.length;
          off += offChain(cut.heads, log) + wrongTreeHeads(cut.trees, log);
        });
      await Promise.all(taken.map(look));
    }
    await posters.stop();
    witness.stop();
    await watching;
    heard.served += witness.seen.length;
    heard.off += off;
    heard.logs++;
    return {
      held: lost === 0 && off === 0 && witness.seen.length > 0,
      figure:
        `${plural(cuts, "cut point")} while ${plural(posters.acknowledged.length, "post")} were acknowledged: ${lost} lost, ` +
        `${plural(witness.seen.length, "signed head")} served, ${off} off the chain that was left`,
    };
  } finally {
    await server.remove();
  }
}

/** What was promised by the time of the cut, and the disk at that time. */
interface Cut {
  readonly image: string;
  readonly acknowledged: readonly Envelope[];
  readonly heads: readonly Checkpoint[];
  /** Signed tree heads. */
  readonly trees: readonly string[];
}

async function imageOf(disk: string, pid: number): Promise<string> {
  const image = join(emptyDirectory(), "cut.img");
  // While all processes are stopped, nothing is synced, and the image shows a single moment.
  using _still = await stopped(pid);
  spawnSync("cp", ["--sparse=always", disk, image]);
  return image;
}

/** Starts a board on such a disk, to check what is left. */
async function onCut(image: string, place: string, keyFile: string, look: (url: string) => Promise<void>): Promise<void> {
  using disk = mountImage(image);
  const dir = join(disk.path, place);
  // It names a process that is alive on this machine; after a real cut that process would not exist.
  rmSync(join(dir, "postmaster.pid"), { force: true });
  // What the server writes now is not needed.
  const server = await serverOn(dir, { ...SMALL, fsync: "off" });
  try {
    const data = emptyDirectory();
    copyFileSync(keyFile, join(data, "board.key"));
    const flags = ["--port", "0", "--smtp-port", "0", "--data", data, "--database-url", server.databaseUrl("postgres"), ...SILENT];
    const board = await start(readConfig(flags, {}));
    try {
      await look(board.address);
    } finally {
      await board.close();
    }
  } finally {
    await server.stop();
  }
  rmSync(image);
}

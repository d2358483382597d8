// The same for PostgreSQL: its disk is an image of which only what was synced is sure to have left the memory of the system.
import { spawnSync } from "node:child_process";
import { copyFileSync, rmSync } from "node:fs";
import { join, relative } from "node:path";
import { readConfig } from "../../src/config.ts";
import { start } from "../../src/start.ts";
import { lostBy, wholeLog } from "../../test/support/acknowledged.ts";
import { postgresServer, serverOn } from "../../test/support/postgres/server.ts";
import { BoardProcess, emptyDirectory } from "../../test/support/process.ts";
import { count, type Finding } from "../part.ts";
import { FLAGS, SILENT } from "../support/flags.ts";
import { imageDisk, mountImage } from "../support/machine.ts";
import { Posters } from "../support/posters.ts";
import { stopped } from "../support/stopped.ts";
import { heard, offChain, Witness } from "../support/witness.ts";

const CONNECTIONS = 4;
const POSTS_BETWEEN = 10;
const DISK_MB = 384;
const SMALL = { max_wal_size: "64MB", min_wal_size: "32MB", shared_buffers: "16MB" };

export async function postgresPowerCut(cuts: number): Promise<Finding> {
  using disk = imageDisk(DISK_MB);
  const server = await postgresServer({ durable: true, parent: disk.path, settings: SMALL });
  // What initdb wrote is not synced by it here.
  spawnSync("sync", ["-f", disk.path]);
  const data = emptyDirectory();
  const database = ["--database-url", `${server.url}/postgres`];
  const args = ["serve", "--port", "0", "--smtp-port", "0", "--data", data, ...database, ...FLAGS];
  let [lost, off] = [0, 0];
  try {
    await using board = BoardProcess.spawn({ args });
    await board.ready();
    const witness = new Witness();
    const watching = witness.watch(() => board.url);
    const posters = new Posters(CONNECTIONS, () => board.url);
    for (let i = 0; i < cuts; i++) {
      await posters.reach(1 + Math.random() * POSTS_BETWEEN);
      const [acknowledged, seen] = [[...posters.acknowledged], witness.seen];
      const image = join(emptyDirectory(), "cut.img");
      // While nobody runs, nobody syncs, and the image is that of one moment.
      using _still = await stopped(server.pid);
      spawnSync("cp", ["--sparse=always", disk.image, image]);
      await onCut(image, relative(disk.path, server.dir), join(data, "board.key"), async (url) => {
        const log = await wholeLog(url);
        lost += (await lostBy(url, acknowledged, log)).length;
        off += offChain(seen, log);
      });
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
        `${cuts} cut points while ${count(posters.acknowledged.length)} posts were acknowledged: ${lost} lost, ` +
        `${count(witness.seen.length)} signed heads served, ${off} off the chain that was left`,
    };
  } finally {
    await server.remove();
  }
}

/** Lets a board look at what is left on such a disk. */
async function onCut(image: string, place: string, keyFile: string, look: (url: string) => Promise<void>): Promise<void> {
  using disk = mountImage(image);
  const dir = join(disk.path, place);
  // It names a process that is alive here, as it would not be after a cut.
  rmSync(join(dir, "postmaster.pid"), { force: true });
  const server = await serverOn(dir, SMALL);
  try {
    const data = emptyDirectory();
    copyFileSync(keyFile, join(data, "board.key"));
    const flags = ["--port", "0", "--smtp-port", "0", "--data", data, "--database-url", `${server.url}/postgres`, ...SILENT];
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

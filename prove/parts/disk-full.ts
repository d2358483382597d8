// A full disk: reads continue, writes are refused with a clear error, and both work again when there is space, without a restart.
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { BoardProcess } from "../../test/support/process.ts";
import { type Finding, type Part, STORES } from "../part.ts";
import { FLAGS } from "../support/board-cli-flags.ts";
import { FullDisk } from "../support/fill-disk-with-posts.ts";
import { smallDisk } from "../support/mount-test-disks.ts";
import { postgresDiskFull } from "./disk-full-postgres.ts";

const DISK_MB = 64;
const BALLAST_MB = 40;

export const diskFull: Part = {
  name: "disk-full",
  promise: "full disk: reads answer, writes say `storage_full`, and it recovers within 5 s of space returning",
  stores: STORES,
  run: (_times, store) => (store === "sqlite" ? sqliteDiskFull() : postgresDiskFull()),
};

async function sqliteDiskFull(): Promise<Finding> {
  using disk = smallDisk(DISK_MB);
  const ballast = join(disk.path, "ballast");
  writeFileSync(ballast, Buffer.alloc(BALLAST_MB * 2 ** 20));
  await using board = await BoardProcess.serve(join(disk.path, "data"), FLAGS);
  const full = new FullDisk(board.url);
  await full.fill();
  rmSync(ballast);
  const { held, figure } = await full.judge();
  const inWords = full.refusals.answers.every((one) => one === "503 storage_full") && full.reads.answers.every((one) => one === "200");
  return { held: held && inWords, figure };
}

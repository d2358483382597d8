// The same for PostgreSQL's disk. Either its tables cannot grow, or its write-ahead log cannot grow and PostgreSQL itself ends.
import { spawnSync } from "node:child_process";
import { chmodSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Nodes } from "../../test/support/nodes.ts";
import { postgresServer, type PostgresServer } from "../../test/support/postgres/server.ts";
import { emptyDirectory } from "../../test/support/process.ts";
import type { Finding } from "../part.ts";
import { FullDisk } from "../support/fill-disk-with-posts.ts";
import { smallDisk } from "../support/mount-test-disks.ts";
import { revive, runs } from "../support/restart-crashed-postgres.ts";

/** Megabytes. Empty tables take 40, and the log takes at least 16. */
const DISK_MB = { tables: 80, log: 64 };
const BALLAST_MB = 16;
/** With this limit, the log is not cleared before the disk is full. */
const SETTINGS = { shared_buffers: "16MB", min_wal_size: "32MB", max_wal_size: "1GB" };

export async function postgresDiskFull(): Promise<Finding> {
  const tables = await filled("tables");
  const log = await filled("log");
  return { held: tables.held && log.held, figure: `no room for its tables: ${tables.figure}; no room for its log: ${log.figure}` };
}

/** Tables and log are on separate disks, and one of them is small. */
async function filled(small: "tables" | "log"): Promise<Finding> {
  using disk = smallDisk(DISK_MB[small]);
  const other = emptyDirectory();
  chmodSync(other, 0o755);
  const server = await postgresServer({ durable: true, parent: small === "tables" ? disk.path : other, settings: SETTINGS });
  try {
    await moveLog(server, small === "log" ? disk.path : other);
    await using nodes = await Nodes.start(1, ["--rate-limits", "off"], server.databaseUrl("postgres"));
    const ballast = join(disk.path, "ballast");
    writeFileSync(ballast, Buffer.alloc(BALLAST_MB * 2 ** 20));
    const full = new FullDisk(nodes.urls[0] ?? "");
    await full.fill();
    rmSync(ballast);
    const ended = !runs(server);
    await revive(server);
    const { held, figure } = await full.judge();
    // Without its log, PostgreSQL answers nobody.
    const [words, statuses] = small === "tables" ? [/^503 storage_full$/, /^200$/] : [/^503 storage_(full|unavailable)$/, /^(200|503)$/];
    const inWords = full.refusals.answers.every((one) => words.test(one)) && full.reads.answers.every((one) => statuses.test(one));
    return { held: held && inWords, figure: `${figure}${ended ? ", PostgreSQL having ended itself and been started again" : ""}` };
  } finally {
    await revive(server);
    await server.remove();
  }
}

async function moveLog(server: PostgresServer, to: string): Promise<void> {
  const [from, log] = [join(server.dir, "pg_wal"), join(to, "pg_wal")];
  await server.stop();
  // `mv` keeps the owner and the mode, which the server requires.
  spawnSync("mv", [from, log]);
  symlinkSync(log, from);
  await server.start();
}

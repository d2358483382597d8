// A power cut, emulated: what a traced board wrote is replayed up to a moment, only what was synced by then being sure to survive.
import { DatabaseSync } from "node:sqlite";
import { plural } from "../../src/core/text/plural.ts";
import { databasePath } from "../../src/adapters/sqlite/open.ts";
import type { Checkpoint } from "../../src/core/log/checkpoint.ts";
import type { Envelope } from "../../src/core/protocol/envelope.ts";
import { lostBy, postUntilGone, wholeLog } from "../../test/support/acknowledged.ts";
import { Agent, sha256 } from "../../test/support/agent.ts";
import { TestBoard } from "../../test/support/board.ts";
import { BoardProcess, emptyDirectory } from "../../test/support/process.ts";
import { count, type Finding, type Part, STORES } from "../part.ts";
import { DiskImage } from "../support/disk-image.ts";
import { FLAGS } from "../support/flags.ts";
import { tracing } from "../support/strace.ts";
import { bytesIn, type Call, fileOf, isSocket, readTrace } from "../support/trace.ts";
import { treeHeadAt, wrongTreeHeads } from "../../test/support/tree-heads.ts";
import { offChain, Witness } from "../support/witness.ts";
import { postgresPowerCut } from "./power-cut-postgres.ts";

const CUTS = 100;
const CONNECTIONS = 4;
/** Enough for the write-ahead log to be folded into the file on the way. */
const POSTS = 1200;
/** Longer than any single write, in strace's words for bytes. */
const LONGEST = String(2 ** 22);

export const powerCut: Part = {
  name: "power-cut",
  promise: "power loss: with only synced writes on the disk, nothing acknowledged is missing",
  stores: STORES,
  run: (times, store) => (store === "sqlite" ? sqlitePowerCut(times(CUTS)) : postgresPowerCut(times(CUTS))),
};

async function sqlitePowerCut(cuts: number): Promise<Finding> {
  const data = emptyDirectory();
  const { calls, acknowledged, signed } = await tracedPosts(data);
  const marks = new Set(Array.from({ length: cuts }, (_, i) => Math.floor(((i + 1) * calls.length) / cuts) - 1));
  const disk = new DiskImage(data);
  const sent: Envelope[] = [];
  const heads: Checkpoint[] = [];
  let [lost, damaged, off, folds, looked] = [0, 0, 0, 0, 0];
  for (const [i, call] of calls.entries()) {
    disk.follow(call);
    if (sent.length > 0 && isFold(call, data)) folds++;
    const text = sentBy(call);
    const answered = acknowledged.get(/201 Created[^]*"id":"([0-9a-f]{64})"/.exec(text)?.[1] ?? "");
    if (answered !== undefined) sent.push(answered);
    const head = signed.get(/"sig":"([\w-]{86})"/.exec(text)?.[1] ?? "");
    if (head !== undefined) heads.push(head);
    // Before the first acknowledgement there is nothing to lose.
    if (!marks.has(i) || sent.length === 0) continue;
    const cut = emptyDirectory();
    // Half of the time nothing that was not synced survives, otherwise any of it may.
    disk.writeTo(cut, looked++ % 2 === 0 ? () => false : () => Math.random() < 0.5);
    if (!isWhole(databasePath(cut))) damaged++;
    await using board = await TestBoard.start({ data: cut });
    const log = await wholeLog(board.url);
    lost += (await lostBy(board.url, sent, log)).length;
    // What was cut off filled no tile by half: the root that is signed now is that of the log.
    off +=
      offChain(heads, log) +
      wrongTreeHeads(
        [(await treeHeadAt(board.url)) ?? ""].filter((note) => note !== ""),
        log,
      );
  }
  return {
    held: sent.length >= POSTS && heads.length > 0 && folds > 0 && lost + damaged + off === 0,
    figure:
      `${plural(looked, "cut point")} in ${count(calls.length)} writes and syncs of ${plural(sent.length, "acknowledged post")}, the log folded into the file ${plural(folds, "time")}: ${lost} lost, ${plural(damaged, "database")} damaged; ` +
      `${plural(heads.length, "signed head")} served, ${off} off the chain that was left`,
  };
}

/** Folding the log ends with a sync of the file itself. */
const isFold = (call: Call, data: string): boolean =>
  call.name.endsWith("sync") && call.result === "0" && fileOf(call) === databasePath(data);

function isWhole(path: string): boolean {
  const db = new DatabaseSync(path);
  const { integrity_check: verdict } = db.prepare("PRAGMA integrity_check").get() as { integrity_check: string };
  db.close();
  return verdict === "ok";
}

interface Traced {
  readonly calls: readonly Call[];
  /** By id. */
  readonly acknowledged: ReadonlyMap<string, Envelope>;
  /** By signature. */
  readonly signed: ReadonlyMap<string, Checkpoint>;
}

async function tracedPosts(data: string): Promise<Traced> {
  const { file, under } = tracing("pwrite64,write,writev,ftruncate,fsync,fdatasync,rename,unlink", ["--seccomp-bpf", "-xx", "-s", LONGEST]);
  await using board = await BoardProcess.serve(data, FLAGS, {}, under);
  const acknowledged = new Map<string, Envelope>();
  const enough = Promise.withResolvers<void>();
  const note = (envelope: Envelope): void => {
    acknowledged.set(sha256(envelope.payload), envelope);
    if (acknowledged.size >= POSTS) enough.resolve();
  };
  using witness = new Witness();
  const watching = witness.watch(() => board.url);
  const posting = Array.from({ length: CONNECTIONS }, (_, lane) => postUntilGone(board.url, new Agent(), `lane ${lane}`, note));
  await Promise.race([enough.promise, Promise.all(posting)]);
  await board.kill("SIGKILL");
  await Promise.all(posting);
  witness.stop();
  await watching;
  return { calls: readTrace(file), acknowledged, signed: new Map(witness.seen.map((one) => [one.sig, one])) };
}

/** What was written to a socket, in clear. */
function sentBy(call: Call): string {
  return call.name.startsWith("write") && isSocket(call) ? Buffer.concat(bytesIn(call)).toString("latin1") : "";
}

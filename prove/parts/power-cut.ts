// An emulated power cut: replays what a traced board wrote up to some moment. Only what was synced by then is sure to survive.
import { DatabaseSync } from "node:sqlite";
import { plural } from "../../src/core/text/plural.ts";
import { databasePath } from "../../src/adapters/sqlite/open.ts";
import type { Checkpoint } from "../../src/core/log/chain-checkpoint.ts";
import type { Envelope } from "../../src/core/protocol/envelope.ts";
import { lostBy, postUntilGone, wholeLog } from "../../test/support/acknowledged.ts";
import { Agent, sha256 } from "../../test/support/agent.ts";
import { TestBoard } from "../../test/support/board.ts";
import { BoardProcess, emptyDirectory } from "../../test/support/process.ts";
import { count, type Finding, type Part, STORES } from "../part.ts";
import { DiskImage } from "../support/disk-after-power-cut.ts";
import { FLAGS } from "../support/board-cli-flags.ts";
import { tracing } from "../support/strace.ts";
import { bytesIn, type Call, fileOf, isSocket, readTrace } from "../support/trace.ts";
import { treeHeadAt, wrongTreeHeads } from "../../test/support/tree-heads.ts";
import { offChain, Witness } from "../support/signed-head-watcher.ts";
import { postgresPowerCut } from "./power-cut-postgres.ts";

const CUTS = 100;
const CONNECTIONS = 4;
/** Enough posts that the write-ahead log is checkpointed into the file on the way. */
const POSTS = 1200;
/** Longer than any single write in the notation of strace. */
const LONGEST = String(2 ** 22);

export const powerCut: Part = {
  name: "power-cut",
  promise: "power loss: with only synced writes on the disk, nothing acknowledged is missing",
  stores: STORES,
  run: (times, store) => (store === "sqlite" ? sqlitePowerCut(times(CUTS)) : postgresPowerCut(times(CUTS))),
};

async function sqlitePowerCut(cuts: number): Promise<Finding> {
  const data = emptyDirectory();
  const { calls, acknowledged, signed, trees } = await tracedPosts(data);
  const marks = new Set(Array.from({ length: cuts }, (_, i) => Math.floor(((i + 1) * calls.length) / cuts) - 1));
  const disk = new DiskImage(data);
  const sent: Envelope[] = [];
  const heads: Checkpoint[] = [];
  const treeHeads: string[] = [];
  let [lost, damaged, off, folds, looked] = [0, 0, 0, 0, 0];
  for (const [i, call] of calls.entries()) {
    disk.follow(call);
    if (sent.length > 0 && isFold(call, data)) folds++;
    const text = sentBy(call);
    const answered = acknowledged.get(/201 Created[^]*"id":"([0-9a-f]{64})"/.exec(text)?.[1] ?? "");
    if (answered !== undefined) sent.push(answered);
    const head = signed.get(/"sig":"([\w-]{86})"/.exec(text)?.[1] ?? "");
    if (head !== undefined) heads.push(head);
    const tree = trees.get(SIGNED_LINE.exec(text)?.[1] ?? "");
    if (tree !== undefined) treeHeads.push(tree);
    // Before the first acknowledgement there is nothing to lose.
    if (!marks.has(i) || sent.length === 0) continue;
    const cut = emptyDirectory();
    // In half of the cases nothing unsynced survives; in the others each unsynced write survives by chance.
    disk.writeTo(cut, looked++ % 2 === 0 ? () => false : () => Math.random() < 0.5);
    if (!isWhole(databasePath(cut))) damaged++;
    await using board = await TestBoard.start({ data: cut });
    // Read before the log: the board adds entries that became due, and the head must not refer to entries that were not read.
    const now = await treeHeadAt(board.url);
    const log = await wholeLog(board.url);
    lost += (await lostBy(board.url, sent, log)).length;
    // No tile is left half filled: the root that is signed now matches the log, as do the roots that were served before the cut.
    off += offChain(heads, log) + (now === undefined ? 1 : wrongTreeHeads([...treeHeads, now], log));
  }
  return {
    held: sent.length >= POSTS && heads.length > 0 && treeHeads.length > 0 && folds > 0 && lost + damaged + off === 0,
    figure:
      `${plural(looked, "cut point")} in ${count(calls.length)} writes and syncs of ${plural(sent.length, "acknowledged post")}, the log folded into the file ${plural(folds, "time")}: ${lost} lost, ${plural(damaged, "database")} damaged; ` +
      `${plural(heads.length, "signed head")} and ${plural(treeHeads.length, "tree head")} served, ${off} off the log that was left`,
  };
}

/** A checkpoint of the write-ahead log ends with a sync of the database file. */
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
  /** Signed heads of the tree, by signature. */
  readonly trees: ReadonlyMap<string, string>;
}

/** The line of a note with the log's signature. The trace is read as Latin-1, in which the dash is three characters. */
const SIGNED_LINE = /\n(?:\u2014|\xe2\x80\x94) \S+ ([A-Za-z0-9+/=]{90,})\n/;

async function tracedPosts(data: string): Promise<Traced> {
  // Some processors do not have all of the last calls.
  const calls = "pwrite64,write,writev,ftruncate,fsync,fdatasync,?rename,?renameat,?renameat2,?unlink,?unlinkat,?link,?linkat";
  const { file, under } = tracing(calls, ["--seccomp-bpf", "-xx", "-s", LONGEST]);
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
  return {
    calls: readTrace(file),
    acknowledged,
    signed: new Map(witness.seen.map((one) => [one.sig, one])),
    trees: new Map(witness.trees.map((note) => [SIGNED_LINE.exec(note)?.[1] ?? "", note])),
  };
}

/** The plain text that was written to a socket. */
function sentBy(call: Call): string {
  return call.name.startsWith("write") && isSocket(call) ? Buffer.concat(bytesIn(call)).toString("latin1") : "";
}

// No acknowledgement before its fsync: each 201 is sent after a sync of the write-ahead log that began when its request had been read.
import { plural } from "../../src/core/text/plural.ts";
import { postUntilGone } from "../../test/support/acknowledged.ts";
import { Agent } from "../../test/support/agent.ts";
import { BoardProcess, emptyDirectory } from "../../test/support/process.ts";
import { type Part, STORES } from "../part.ts";
import { FLAGS } from "../support/board-cli-flags.ts";
import { sharedServer } from "../support/stores.ts";
import { attached, tracing } from "../support/strace.ts";
import { type Call, fileOf, isSocket, readTrace } from "../support/trace.ts";

const CONNECTIONS = 8;
const SECONDS = 15;
const LOG = /-wal$|\/pg_wal\//;

export const syncOrder: Part = {
  name: "sync-order",
  promise: "and power loss: each 201 after an fsync that began after its request was there",
  stores: STORES,
  async run(times, store) {
    const { file, under } = tracing("read,recvfrom,write,writev,sendto,sendmsg,fsync,fdatasync", ["--seccomp-bpf", "-s", "32"]);
    // The processes of the database sync, not the board.
    await using database = store === "postgres" ? await attached(sharedServer().pid, "fsync,fdatasync") : undefined;
    await using board = await BoardProcess.serve(emptyDirectory(), FLAGS, {}, under);
    const agents = Array.from({ length: CONNECTIONS }, () => new Agent());
    const posting = agents.map((agent, lane) => postUntilGone(board.url, agent, `lane ${lane}`));
    await new Promise((resolve) => setTimeout(resolve, times(SECONDS) * 1000));
    await board.kill("SIGKILL");
    const acknowledged = (await Promise.all(posting)).flat().length;
    await database?.[Symbol.asyncDispose]();
    const syncs = database === undefined ? [] : readTrace(database.file);
    const { checked, early } = checkOrder([...readTrace(file), ...syncs].sort((a, b) => a.ended - b.ended));
    return {
      held: early === 0 && checked > 0 && checked >= acknowledged,
      figure: `${plural(checked, "answer")} 201 seen by strace, ${early} without an fsync of their own before them`,
    };
  },
};

function checkOrder(calls: readonly Call[]): { checked: number; early: number } {
  const lastRead = new Map<string, number>();
  /** The latest start of all syncs that have ended so far. */
  let synced = 0;
  let [checked, early] = [0, 0];
  for (const call of calls) {
    const { name, args, begun, ended, result } = call;
    const socket = isSocket(call) ? fileOf(call) : undefined;
    if (name === "fsync" || name === "fdatasync") {
      if (result === "0" && LOG.test(fileOf(call))) synced = Math.max(synced, begun);
    } else if (socket !== undefined && (name === "read" || name === "recvfrom")) lastRead.set(socket, ended);
    else if (socket !== undefined && args.includes("HTTP/1.1 201")) {
      checked++;
      if (synced < (lastRead.get(socket) ?? Number.POSITIVE_INFINITY)) early++;
    }
  }
  return { checked, early };
}

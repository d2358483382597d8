// A power cut, emulated: what a traced board wrote is replayed up to a moment, only what was synced by then being sure to survive.
import { DatabaseSync } from "node:sqlite";
import { join } from "node:path";
import type { Envelope } from "../../src/core/protocol/envelope.ts";
import { lostBy, postUntilGone } from "../../test/support/acknowledged.ts";
import { Agent, sha256 } from "../../test/support/agent.ts";
import { BoardProcess, emptyDirectory } from "../../test/support/process.ts";
import type { Part } from "../part.ts";
import { DiskImage } from "../support/disk-image.ts";
import { FLAGS } from "../support/flags.ts";
import { tracing } from "../support/strace.ts";
import { bytesIn, type Call, isSocket, readTrace } from "../support/trace.ts";

const CUTS = 100;
const CONNECTIONS = 4;
const POSTS = 300;
/** Longer than any single write, in strace's words for bytes. */
const LONGEST = String(2 ** 22);

export const powerCut: Part = {
  name: "power-cut",
  promise: "power loss: with only synced writes on the disk, nothing acknowledged is missing",
  stores: ["sqlite"],
  async run(times) {
    const data = emptyDirectory();
    const { calls, acknowledged } = await tracedPosts(data);
    const cuts = times(CUTS);
    const marks = new Set(Array.from({ length: cuts }, (_, i) => Math.floor(((i + 1) * calls.length) / cuts) - 1));
    const disk = new DiskImage(data);
    const sent: Envelope[] = [];
    let [lost, damaged] = [0, 0];
    for (const [i, call] of calls.entries()) {
      disk.follow(call);
      const id = /201 Created[^]*"id":"([0-9a-f]{64})"/.exec(sentBy(call))?.[1];
      const answered = id === undefined ? undefined : acknowledged.get(id);
      if (answered !== undefined) sent.push(answered);
      if (!marks.has(i)) continue;
      const cut = emptyDirectory();
      // Half of the time nothing that was not synced survives, otherwise any of it may.
      disk.writeTo(cut, i % 2 === 0 ? () => false : () => Math.random() < 0.5);
      if (sent.length === 0) continue;
      const { integrity_check: verdict } = new DatabaseSync(join(cut, "board.db")).prepare("PRAGMA integrity_check").get() as {
        integrity_check: string;
      };
      if (verdict !== "ok") damaged++;
      await using board = await BoardProcess.serve(cut, FLAGS);
      lost += (await lostBy(board.url, sent)).length;
    }
    return {
      held: sent.length >= POSTS && lost === 0 && damaged === 0,
      figure: `${cuts} cut points in ${calls.length.toLocaleString("en")} writes and syncs of ${sent.length} acknowledged posts: ${lost} lost, ${damaged} databases damaged`,
    };
  },
};

async function tracedPosts(data: string): Promise<{ calls: readonly Call[]; acknowledged: ReadonlyMap<string, Envelope> }> {
  const calls = "pwrite64,write,writev,ftruncate,fsync,fdatasync,rename,unlink";
  const { file, under } = tracing(calls, ["--seccomp-bpf", "-xx", "-s", LONGEST]);
  await using board = await BoardProcess.serve(data, FLAGS, {}, under);
  const acknowledged = new Map<string, Envelope>();
  const enough = Promise.withResolvers<void>();
  const note = (envelope: Envelope): void => {
    acknowledged.set(sha256(envelope.payload), envelope);
    if (acknowledged.size >= POSTS) enough.resolve();
  };
  const posting = Array.from({ length: CONNECTIONS }, (_, lane) => postUntilGone(board.url, new Agent(), `lane ${lane}`, note));
  await Promise.race([enough.promise, Promise.all(posting)]);
  await board.kill("SIGKILL");
  await Promise.all(posting);
  return { calls: readTrace(file), acknowledged };
}

/** What was written to a socket, in clear. */
function sentBy(call: Call): string {
  return call.name.startsWith("write") && isSocket(call) ? Buffer.concat(bytesIn(call)).toString("latin1") : "";
}

// The same for PostgreSQL's write-ahead log: neither PostgreSQL nor the node may take a failed sync for a write. The node continues without
// a restart.
import { plural } from "../../src/core/text/plural.ts";
import type { Envelope } from "../../src/core/protocol/envelope.ts";
import { lostBy } from "../../test/support/acknowledged.ts";
import { Agent } from "../../test/support/agent.ts";
import { eventually } from "../../test/support/eventually.ts";
import { Nodes } from "../../test/support/nodes.ts";
import { postgresServer, type PostgresServer } from "../../test/support/postgres/server.ts";
import type { Finding } from "../part.ts";
import { refusalOf } from "../support/posters.ts";
import { revive } from "../support/restart-crashed-postgres.ts";
import { attached } from "../support/strace.ts";
import { readTrace } from "../support/trace.ts";

/** Posts in addition to those that the n-th sync needs: another process of PostgreSQL syncs some, the more the slower the machine is. */
const ENOUGH_MORE = 300;
/** PostgreSQL may answer once more before it goes down for the failure before: then a run ends with its first post, and begins again. */
const MOST_TRIES = 5;
/** Servers at the same time: a run mostly waits for PostgreSQL to come back. */
const AT_ONCE = 4;

export async function postgresSyncErrors(failures: number): Promise<Finding> {
  let [next, injected, late, acknowledgements, lost] = [1, 0, 0, 0, 0];
  const lane = async (): Promise<void> => {
    const server = await postgresServer({ durable: true });
    try {
      await using nodes = await Nodes.start(1, ["--rate-limits", "off"], server.databaseUrl("postgres"));
      const [url = ""] = nodes.urls;
      const acknowledged: Envelope[] = [];
      while (next <= failures) {
        const nth = next++;
        for (let tries = 1, met = false; !met && tries <= MOST_TRIES; tries++) {
          const run = await postsUntilSyncFails(server, url, nth);
          acknowledged.push(...run.acknowledged);
          met = run.injected;
          if (met) injected++;
          late += run.late;
          await revive(server);
          await eventually("the node once more", async () => ((await fetch(`${url}/readyz`)).status === 200 ? true : undefined));
        }
      }
      const missing = await lostBy(url, acknowledged);
      acknowledgements += acknowledged.length;
      lost += missing.length;
    } finally {
      await server.remove();
    }
  };
  await Promise.all(Array.from({ length: Math.min(AT_ONCE, failures) }, lane));
  return {
    held: injected === failures && late === 0 && lost === 0,
    figure:
      `EIO at the n-th fdatasync of a process of PostgreSQL for n = 1..${failures}, met in ${plural(injected, "run")}: ${plural(acknowledgements, "acknowledgement")}, ` +
      `${late} without a sync after the failure, ${lost} lost; the node needed no restart`,
  };
}

interface Run {
  readonly acknowledged: readonly Envelope[];
  readonly injected: boolean;
  /** Answers after the failure without a sync of their own, which each of them needs. */
  readonly late: number;
}

async function postsUntilSyncFails(server: PostgresServer, url: string, nth: number): Promise<Run> {
  const agent = new Agent();
  const tracer = await attached(server.pid, "fdatasync", ["-e", `inject=fdatasync:error=EIO:when=${nth}`]);
  const answers: { readonly at: number; readonly envelope: Envelope }[] = [];
  for (let i = 0; i < nth + ENOUGH_MORE; i++) {
    const envelope = agent.envelope({ kind: "note", title: `sync ${nth}, ${i}` });
    if ((await refusalOf(url, envelope)) !== undefined) break;
    answers.push({ at: Date.now() / 1000, envelope });
  }
  await tracer[Symbol.asyncDispose]();
  const syncs = readTrace(tracer.file);
  const failed = syncs.find(({ result }) => result.includes("INJECTED"));
  const hasSync = (at: number, since: number): boolean => syncs.some((one) => one.result === "0" && one.begun > since && one.ended < at);
  const late = failed === undefined ? [] : answers.filter(({ at }) => at > failed.ended && !hasSync(at, failed.ended));
  return { acknowledged: answers.map(({ envelope }) => envelope), injected: failed !== undefined, late: late.length };
}

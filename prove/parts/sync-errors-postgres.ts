// The same of PostgreSQL's write-ahead log: it must not be taken for written, by PostgreSQL or by the node, which goes on by itself.
import type { Envelope } from "../../src/core/protocol/envelope.ts";
import { lostBy } from "../../test/support/acknowledged.ts";
import { Agent } from "../../test/support/agent.ts";
import { eventually } from "../../test/support/eventually.ts";
import { Nodes } from "../../test/support/nodes.ts";
import { postgresServer } from "../../test/support/postgres/server.ts";
import { count, type Finding } from "../part.ts";
import { revive } from "../support/postgres-crash.ts";
import { attached } from "../support/strace.ts";
import { readTrace } from "../support/trace.ts";

/** A node that waits for its database answers after this long. */
const ENOUGH_MORE = 20;

export async function postgresSyncErrors(failures: number): Promise<Finding> {
  const server = await postgresServer({ durable: true });
  try {
    await using nodes = await Nodes.start(1, ["--rate-limits", "off"], `${server.url}/postgres`);
    const [url = ""] = nodes.urls;
    const acknowledged: Envelope[] = [];
    let [injected, late] = [0, 0];
    for (let nth = 1; nth <= failures; nth++) {
      const agent = new Agent();
      const tracer = await attached(server.pid, "fdatasync", ["-e", `inject=fdatasync:error=EIO:when=${nth}`]);
      const answers: { readonly at: number; readonly envelope: Envelope }[] = [];
      for (let i = 0; i < nth + ENOUGH_MORE; i++) {
        const envelope = agent.envelope({ kind: "note", title: `sync ${nth}, ${i}` });
        if (!(await isTaken(url, envelope))) break;
        answers.push({ at: Date.now() / 1000, envelope });
      }
      await tracer[Symbol.asyncDispose]();
      const syncs = readTrace(tracer.file);
      const failed = syncs.find(({ result }) => result.includes("INJECTED"));
      if (failed !== undefined) injected++;
      // An answer after the failure needs a sync of its own.
      for (const { at } of answers)
        if (
          failed !== undefined &&
          at > failed.ended &&
          !syncs.some((one) => one.result === "0" && one.begun > failed.ended && one.ended < at)
        )
          late++;
      acknowledged.push(...answers.map(({ envelope }) => envelope));
      await revive(server);
      await eventually("the node once more", async () => ((await fetch(`${url}/readyz`)).status === 200 ? true : undefined));
    }
    const lost = await lostBy(url, acknowledged);
    return {
      held: injected > 0 && late === 0 && lost.length === 0,
      figure:
        `EIO at the n-th fdatasync of a process of PostgreSQL for n = 1..${failures}, met in ${injected} runs: ${count(acknowledged.length)} acknowledgements, ` +
        `${late} without a sync after the failure, ${lost.length} lost; the node needed no restart`,
    };
  } finally {
    await server.remove();
  }
}

async function isTaken(url: string, envelope: Envelope): Promise<boolean> {
  const headers = { "content-type": "application/json" };
  return (await fetch(`${url}/api/messages`, { method: "POST", headers, body: JSON.stringify(envelope) })).status === 201;
}

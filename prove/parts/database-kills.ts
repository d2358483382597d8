// PostgreSQL itself is killed while nodes use it: its main process, or one that serves a node. No acknowledged message may be missing.
import { plural } from "../../src/core/text/plural.ts";
import { Client } from "../../src/adapters/postgres/client.ts";
import { lostBy, wholeLog } from "../../test/support/acknowledged.ts";
import { eventually } from "../../test/support/eventually.ts";
import { Nodes } from "../../test/support/nodes.ts";
import { postgresServer, type PostgresServer } from "../../test/support/postgres/server.ts";
import type { Part } from "../part.ts";
import { Posters } from "../support/posters.ts";
import { revive } from "../support/restart-crashed-postgres.ts";
import { Witness } from "../support/signed-head-watcher.ts";

const KILLS = 30;
const NODES = 2;
const CONNECTIONS = 8;
const POSTS_BETWEEN = 60;

export const databaseKills: Part = {
  name: "database-kills",
  promise: "an acknowledged post survives PostgreSQL, and the nodes go on by themselves",
  stores: ["postgres"],
  async run(times) {
    const server = await postgresServer({ durable: true });
    try {
      await using nodes = await Nodes.start(NODES, ["--rate-limits", "off"], server.databaseUrl("postgres"));
      const at = (i: number): string => nodes.urls[i % NODES] ?? "";
      using witness = new Witness();
      const watching = Promise.all(nodes.urls.map((url) => witness.watch(() => url)));
      await using posters = new Posters(CONNECTIONS, at);
      const rounds = times(KILLS);
      for (let round = 0; round < rounds; round++) {
        await posters.reach(1 + Math.random() * POSTS_BETWEEN);
        if (round % 2 === 0) process.kill(server.pid, "SIGKILL");
        else await killOne(server);
        await revive(server);
      }
      await posters.reach(1);
      await posters.stop();
      const log = await wholeLog(at(0));
      const lost = await lostBy(at(1), posters.acknowledged, log);
      const verdict = witness.judge(log);
      await watching;
      return {
        held: lost.length === 0 && verdict.held && posters.refused.answers.every((reply) => reply === "503 storage_unavailable"),
        figure:
          `${plural(rounds, "SIGKILL")} of PostgreSQL under ${NODES} nodes, ${plural(posters.acknowledged.length, "acknowledgement")}, ${lost.length} lost; ` +
          `refused meanwhile: ${posters.refused.text}; ${verdict.figure}`,
      };
    } finally {
      await server.remove();
    }
  },
};

/** After one process is killed, the others end themselves, and PostgreSQL recovers without a restart. */
async function killOne(server: PostgresServer): Promise<void> {
  const client = new Client({ url: server.databaseUrl("postgres"), connections: 1, name: "proof" });
  const serving = () => client.query<{ pid: number }>("SELECT pid FROM pg_stat_activity WHERE application_name LIKE 'blackboard%'");
  const backends = await eventually("the nodes", async () => {
    const found = await serving().catch(() => []);
    return found.length > 0 ? found : undefined;
  });
  const { pid } = backends[Math.floor(Math.random() * backends.length)] ?? {};
  if (pid !== undefined) process.kill(pid, "SIGKILL");
  await client.end();
}

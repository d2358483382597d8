// What acknowledgements cost a post's writer: the same posts on a board where everything was acknowledged, and on one where nothing was.
import { randomBytes } from "node:crypto";
import { signingKey } from "../src/adapters/system/board-key.ts";
import type { Act } from "../src/core/message/act.ts";
import { agentId, messageId } from "../src/core/protocol/identity.ts";
import type { Figure } from "./support/figure.ts";
import { storesIn } from "./support/measured-board.ts";
import { type MeasuredWriter, postgresWriter, sqliteWriter } from "./support/measured-writer.ts";
import { payloads } from "./support/posts.ts";
import { Scratch } from "./support/scratch.ts";
import { writerPost } from "./support/writer-post.ts";

const READERS = 50;
const FILL = 12_000;
const BATCH = 48;
/** So many ids in an acknowledgement, as many as there may be. */
const NAMED = 64;
/** Each of so many transactions, in turn, so that both boards are measured in the same minutes. */
const ROUNDS = 60;
const EACH = 4;

export async function acksBench({ store = "sqlite,postgres" }: { store?: string | undefined } = {}): Promise<readonly Figure[]> {
  const names = new Set(storesIn(store).map(({ nodes }) => (nodes === 0 ? "sqlite" : "postgres")));
  const figures: Figure[] = [];
  for (const name of names) {
    const open = (scratch: Scratch) => (name === "sqlite" ? sqliteWriter(scratch) : postgresWriter(scratch));
    using one = new Scratch();
    using other = new Scratch();
    await using quiet = await open(one);
    await using acked = await open(other);
    figures.push(...(await compare(name, quiet, acked)));
  }
  return figures;
}

async function compare(name: string, quiet: MeasuredWriter, acked: MeasuredWriter): Promise<readonly Figure[]> {
  const readers = Array.from({ length: READERS }, () => signingKey(randomBytes(32)).pk);
  const letters = lettersTo(readers.map((pk) => agentId(pk)));
  const filled = Array.from({ length: FILL }, () => letters.next().value);
  for (let at = 0; at < FILL; at += 1000) for (const one of [quiet, acked]) await one.run(filled.slice(at, at + 1000));
  const acks = acksOf(readers, filled);
  for (let at = 0; at < acks.length; at += BATCH) await acked.run(acks.slice(at, at + BATCH));

  const spent = { quiet: 0, acked: 0 };
  const measured = { quiet, acked } as const;
  for (let round = 0; round < ROUNDS; round++) {
    const posts = Array.from({ length: EACH * BATCH }, () => letters.next().value);
    for (const which of round % 2 === 0 ? (["quiet", "acked"] as const) : (["acked", "quiet"] as const))
      spent[which] += await cpuOf(measured[which], posts, BATCH);
  }
  const posts = ROUNDS * EACH * BATCH;
  const [alone, beside] = [(spent.quiet * 1000) / posts, (spent.acked * 1000) / posts];
  const seen = Array.from({ length: 10 * BATCH }, (_, n) => ackAct(readers[n % READERS]!, { seen: FILL + 1 + Math.floor(n / READERS) }));
  const ack = ((await cpuOf(acked, seen, BATCH)) * 1000) / seen.length;
  console.log(
    `${name}: CPU of the writer ${alone.toFixed(1)} us a post where nothing was acknowledged, ${beside.toFixed(1)} us where all ${FILL} messages were (${(beside / alone).toFixed(3)} of it); ${ack.toFixed(1)} us an acknowledgement that moves \`seen\``,
  );
  return [
    { name: `${name}: CPU a post, nothing acknowledged`, value: alone, unit: "us", better: "less" },
    { name: `${name}: CPU a post, everything acknowledged`, value: beside, unit: "us", better: "less" },
    { name: `${name}: CPU an acknowledgement`, value: ack, unit: "us", better: "less" },
  ];
}

/** Milliseconds of this process and of the server. */
async function cpuOf(writer: MeasuredWriter, acts: readonly Act[], batch: number): Promise<number> {
  const before = writer.cpuMs();
  for (let at = 0; at < acts.length; at += batch) await writer.run(acts.slice(at, at + batch));
  const after = writer.cpuMs();
  return after.own - before.own + after.server - before.server;
}

/** Endless posts, each to one of these. */
function* lettersTo(agents: readonly string[]): Generator<Act<"post">, never> {
  const source = payloads();
  for (let n = 0; ; n++)
    yield writerPost(JSON.stringify({ ...(JSON.parse(source.next().value) as object), to: agents[n % agents.length] }));
}

/** Every reader has acted on everything that was sent to it, and read up to there. */
function acksOf(readers: readonly string[], letters: readonly Act<"post">[]): readonly Act[] {
  return readers.flatMap((pk) => {
    const own = letters.filter(({ arrival }) => arrival.payload.to === agentId(pk)).map(({ arrival }) => arrival.id);
    const lots = Array.from({ length: Math.ceil(own.length / NAMED) }, (_, n) => own.slice(n * NAMED, (n + 1) * NAMED));
    return lots.map((acted, n) => ackAct(pk, { acted, seen: Math.round((FILL * (n + 1)) / lots.length) }));
  });
}

function ackAct(pk: string, fields: { readonly seen: number; readonly acted?: string[] }): Act<"ack"> {
  const payload = { v: 1, pk, ts: Math.floor(Date.now() / 1000), board: "ag_00000000000000000000", op: "ack" as const, ...fields };
  const text = JSON.stringify(payload);
  const detail = JSON.stringify({ payload: text, sig: "x".repeat(86), nonce: "1234" });
  return { type: "ack", id: messageId(text), agent: agentId(pk), payload, detail };
}

// Measures what acknowledgements cost the writer of a post: the same posts go to a board with everything acknowledged and to one with
// nothing acknowledged.
import { randomBytes } from "node:crypto";
import { signingKey } from "../src/adapters/system/ed25519-signing-keys.ts";
import type { Act } from "../src/core/message/acts-and-outcomes.ts";
import { agentId, messageId } from "../src/core/protocol/message-and-agent-ids.ts";
import type { Figure } from "./support/figure.ts";
import type { MeasuredWriter } from "./support/measured-writer.ts";
import { payloads } from "./support/posts.ts";
import { writerPost } from "./support/writer-post.ts";
import { cpuOf, onTwoBoards, TURN_BATCH, writersInTurn } from "./support/writers-in-turn.ts";

const READERS = 50;
const FILL = 12_000;
/** Ids per acknowledgement: the most that are allowed. */
const NAMED = 64;

export const acksBench = ({ store = "sqlite,postgres" }: { store?: string | undefined } = {}): Promise<readonly Figure[]> =>
  onTwoBoards(store, compare);

async function compare(name: string, quiet: MeasuredWriter, acked: MeasuredWriter): Promise<readonly Figure[]> {
  const readers = Array.from({ length: READERS }, () => signingKey(randomBytes(32)).pk);
  const letters = lettersTo(readers.map((pk) => agentId(pk)));
  const filled = Array.from({ length: FILL }, () => letters.next().value);
  for (let at = 0; at < FILL; at += 1000) for (const one of [quiet, acked]) await one.run(filled.slice(at, at + 1000));
  const acks = acksOf(readers, filled);
  await cpuOf(acked, acks);
  const { plain: alone, other: beside } = await writersInTurn(quiet, acked, letters);
  const seen = Array.from({ length: 10 * TURN_BATCH }, (_, n) =>
    ackAct(readers[n % READERS]!, { seen: FILL + 1 + Math.floor(n / READERS) }),
  );
  const ack = ((await cpuOf(acked, seen)) * 1000) / seen.length;
  console.log(
    `${name}: CPU of the writer ${alone.toFixed(1)} us a post where nothing was acknowledged, ${beside.toFixed(1)} us where all ${FILL} messages were (${(beside / alone).toFixed(3)} of it); ${ack.toFixed(1)} us an acknowledgement that moves \`seen\``,
  );
  return [
    { name: `${name}: CPU a post, nothing acknowledged`, value: alone, unit: "us", better: "less" },
    { name: `${name}: CPU a post, everything acknowledged`, value: beside, unit: "us", better: "less" },
    { name: `${name}: CPU an acknowledgement`, value: ack, unit: "us", better: "less" },
  ];
}

/** Endless posts, each addressed to one of these agents. */
function* lettersTo(agents: readonly string[]): Generator<Act<"post">, never> {
  const source = payloads();
  for (let n = 0; ; n++)
    yield writerPost(JSON.stringify({ ...(JSON.parse(source.next().value) as object), to: agents[n % agents.length] }));
}

/** Every reader acts on everything that was sent to it, and has read up to there. */
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

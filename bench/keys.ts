// What key operations cost a post's writer: the same posts on a board where every author committed to a next key and delegated to a child
// key, and on one without key operations.
import { randomBytes } from "node:crypto";
import { signingKey } from "../src/adapters/system/ed25519-signing-keys.ts";
import type { Act } from "../src/core/message/acts-and-outcomes.ts";
import { keyHash, type KeyPayload } from "../src/core/protocol/key-op.ts";
import { agentId, messageId } from "../src/core/protocol/message-and-agent-ids.ts";
import type { Figure } from "./support/figure.ts";
import type { MeasuredWriter } from "./support/measured-writer.ts";
import { payloads } from "./support/posts.ts";
import { cpuOf, onTwoBoards, TURN_BATCH, writersInTurn } from "./support/writers-in-turn.ts";
import { writerPost } from "./support/writer-post.ts";

const FILL = 12_000;
const DAY_S = 86_400;

export const keysBench = ({ store = "sqlite,postgres" }: { store?: string | undefined } = {}): Promise<readonly Figure[]> =>
  onTwoBoards(store, compare);

async function compare(name: string, plain: MeasuredWriter, keyed: MeasuredWriter): Promise<readonly Figure[]> {
  const posts = written();
  const filled = Array.from({ length: FILL }, () => posts.next().value);
  for (let at = 0; at < FILL; at += 1000) for (const one of [plain, keyed]) await one.run(filled.slice(at, at + 1000));
  const authors = [...new Set(filled.map(({ arrival }) => arrival.payload.pk))];
  const operations = authors.flatMap((pk): readonly Act[] => [
    keyAct(pk, { op: "commit", next: keyHash(newKey()) }),
    keyAct(pk, { op: "delegate", child: newKey(), until: Math.floor(Date.now() / 1000) + DAY_S }),
  ]);
  const operation = ((await cpuOf(keyed, operations)) * 1000) / operations.length;
  const { plain: alone, other: beside } = await writersInTurn(plain, keyed, posts);
  console.log(
    `${name}: CPU of the writer ${alone.toFixed(1)} us a post where no key has operations, ${beside.toFixed(1)} us where all ${authors.length} authors have two (${(beside / alone).toFixed(3)} of it); ${operation.toFixed(1)} us an operation, ${TURN_BATCH} a transaction`,
  );
  return [
    { name: `${name}: CPU a post, no key operations`, value: alone, unit: "us", better: "less" },
    { name: `${name}: CPU a post, authors with key operations`, value: beside, unit: "us", better: "less" },
    { name: `${name}: CPU a key operation`, value: operation, unit: "us", better: "less" },
  ];
}

function* written(): Generator<Act<"post">, never> {
  for (const source = payloads(); ;) yield writerPost(source.next().value);
}

const newKey = (): string => signingKey(randomBytes(32)).pk;

function keyAct(
  pk: string,
  fields: Pick<KeyPayload<"commit">, "op" | "next"> | Pick<KeyPayload<"delegate">, "op" | "child" | "until">,
): Act<"key"> {
  const common = { v: 1, pk, ts: Math.floor(Date.now() / 1000), board: "ag_00000000000000000000", agent: agentId(pk) };
  const payload: KeyPayload = { ...common, ...fields };
  const text = JSON.stringify(payload);
  const detail = JSON.stringify({ payload: text, sig: "x".repeat(86), nonce: "1234" });
  return { type: "key", op: { id: messageId(text), signer: agentId(pk), payload, oldSigned: false }, detail };
}

// Texts of messages that are over do not stay in the memory of a board on PostgreSQL.
import { expect, test } from "vitest";
import { seenCache } from "../sql/message-caches.ts";
import { PostgresMessageCache } from "./message-cache.ts";

const SECOND_MS = 1000;
const ASKED = 1000;

/** A table of messages, one a second, the first of which is over soon; it notes what is read. */
function table(payload = "{}") {
  const reads: number[][] = [];
  const query = async <Row>(_text: string, [seqs, after]: readonly unknown[] = []): Promise<readonly Row[]> => {
    const asked = (JSON.parse((seqs as string).replace("{", "[").replace("}", "]")) as number[])
      .filter((seq) => seq > Number(after))
      .toSorted((a, b) => a - b);
    reads.push(asked);
    return asked.map(
      (seq) =>
        ({
          version: `v${seq}`,
          seq,
          receivedAt: seq * SECOND_MS,
          expiresAt: (seq === 1 ? 2 : 2 * ASKED) * SECOND_MS,
          repliedTo: null,
          signals: null,
          payload,
          before: 0,
          total: 0,
        }) as Row,
    );
  };
  const storedMessages = new PostgresMessageCache({ query }, seenCache());
  return { reads, ask: (...seqs: number[]) => storedMessages.of(seqs.map((seq) => ({ seq, version: `v${seq}` }))) };
}

test("a message that is over is let go, the others are kept", async () => {
  const { reads, ask } = table();
  for (let seq = 1; seq < ASKED; seq++) await ask(seq);
  reads.length = 0;
  await ask(1, 2);
  expect(reads).toEqual([]);
  await ask(ASKED);
  reads.length = 0;
  expect((await ask(1, 2))?.map(({ state }) => state.seq)).toEqual([1, 2]);
  expect(reads).toEqual([[1]]);
});

test("the longest messages of a page do not push each other out of the cache while the page is read", async () => {
  const LONG = 1_000_000;
  const { reads, ask } = table(" ".repeat(LONG));
  const seqs = Array.from({ length: 40 }, (_, i) => i + 1);
  await ask(...seqs.slice(0, 10));
  expect((await ask(...seqs))?.map(({ state }) => state.seq)).toEqual(seqs);
  expect(reads).toEqual([seqs.slice(0, 10), seqs.slice(10)]);
});

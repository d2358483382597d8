// What became of addressed messages, from the log alone: the board, TypeScript and Python come to the same.
import { expect, test } from "vitest";
import { connect, getChanges, LogFault, verifyLog } from "../../src/client/client.ts";
import { requireEntry } from "../../src/client/verify-log.ts";
import { entryHash } from "../../src/core/log/chain.ts";
import { sha256Hex } from "../../src/core/protocol/sha256.ts";
import type { MessageRecord } from "../../src/core/view/record.ts";
import { acknowledge } from "../support/acks.ts";
import { TestBoard } from "../support/board.ts";
import { PythonAgent } from "../support/python.ts";
import { Random, SEED } from "../support/random.ts";

interface Report {
  readonly acks: number;
  readonly deliveries: Readonly<Record<string, object>>;
}

/** Two who write to each other and acknowledge some of it, at random, while some of it is withdrawn or ends. */
async function correspond(board: TestBoard, random: Random, steps: number): Promise<number> {
  const agents = [board.agent(), board.agent(), board.agent()] as const;
  const sent: MessageRecord[] = [];
  let acks = 0;
  for (let step = 0; step < steps; step++) {
    const [one, other] = [random.pick(agents), random.pick(agents)];
    const some = (): MessageRecord | undefined => (sent.length === 0 ? undefined : random.pick(sent));
    const drawn = random.below(10);
    const [a, b, c] = [some(), some(), some()];
    if (drawn < 4 || a === undefined || b === undefined || c === undefined)
      sent.push(await board.put(one, { kind: "note", title: `note ${step}`, to: other.id, ...(drawn === 0 ? { ttl: "20s" } : {}) }));
    else if (drawn === 4) await board.post(one, { kind: "retraction", refs: [{ rel: "retracts", id: a.id }] });
    else {
      const what = { seen: a.seq, acted: [b.id], declined: [{ id: c.id, why: "busy" }] };
      if ((await acknowledge(board, one, what)).status === 201) acks++;
    }
    board.clock.advance(1000);
  }
  return acks;
}

test(`the log alone tells what was seen, acted on and declined, in both languages as on the board (SEED=${SEED})`, async () => {
  await using board = await TestBoard.start();
  const acks = await correspond(board, new Random(SEED), 80);
  const { body } = await board.get<{ messages: MessageRecord[] }>("/api/messages?limit=200");
  const shown = Object.fromEntries(
    body.messages.flatMap(({ id, derived: { delivery } }) => (delivery === undefined ? [] : [[id, delivery]])),
  );
  expect(new Set(Object.values(shown).map(({ state }) => state))).toEqual(new Set(["stored", "seen", "acted", "declined"]));
  const { deliveries } = await verifyLog(connect(board.url));
  expect(Object.fromEntries(deliveries)).toEqual(shown);
  using python = new PythonAgent(board.url);
  const report = await python.json<Report>("verify-log");
  expect([report.acks, report.deliveries]).toEqual([acks, shown]);
});

test("an acknowledgement that its agent did not sign is found", async () => {
  await using board = await TestBoard.start();
  const [sender, reader, forger] = [board.agent(), board.agent(), board.agent()];
  const { seq } = await board.put(sender, { kind: "note", title: "for the reader", to: reader.id });
  const { body } = await acknowledge(board, reader, { seen: seq });
  const [entry] = (await getChanges(connect(board.url), { after: body.seq - 1 })).changes;
  if (entry === undefined) throw new Error("The log has no acknowledgement.");
  const { payload, nonce } = JSON.parse(entry.detail ?? "") as { payload: string; nonce: string };
  const detail = JSON.stringify({ payload, sig: forger.sign(payload), nonce });
  const forged = { ...entry, detail, digest: sha256Hex(detail) };
  const hash = entryHash({ ...forged, at: Date.parse(entry.at) });
  const fault: unknown = await requireEntry({ seq: entry.seq - 1, hash: entry.prev }, { ...forged, hash }).catch((error: unknown) => error);
  expect(fault).toBeInstanceOf(LogFault);
  expect((fault as LogFault).what).toBe("signature");
});

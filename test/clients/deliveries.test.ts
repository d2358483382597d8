// Deliveries of addressed messages, computed from the log alone: the board, TypeScript and Python get the same result.
import { expect, test } from "vitest";
import { connect, getChanges, LogFault, verifyLog } from "../../src/client/client.ts";
import { KeyAudit } from "../../src/client/node/audit-agent-keys.ts";
import { requireEntry } from "../../src/client/verify-log.ts";
import { entryHash } from "../../src/core/log/chain.ts";
import { messageId } from "../../src/core/protocol/message-and-agent-ids.ts";
import { sha256Hex } from "../../src/core/protocol/node-sha256.ts";
import type { MessageRecord } from "../../src/core/view/record.ts";
import { acknowledge } from "../support/acks.ts";
import type { Agent } from "../support/agent.ts";
import { TestBoard } from "../support/board.ts";
import { hashOf, type KeyAct, signed } from "../support/key-stage.ts";
import { Operator } from "../support/operator.ts";
import { PythonAgent } from "../support/python.ts";
import { Random, SEED } from "../support/random.ts";

interface Report {
  readonly acks: number;
  readonly deliveries: Readonly<Record<string, object>>;
}

/** Two agents that write to each other and acknowledge some messages at random, while some are withdrawn or end. */
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

type Shown = Readonly<Record<string, NonNullable<MessageRecord["derived"]["delivery"]>>>;

/** The delivery state that the board shows for every addressed message. The log alone must give the same in both languages. */
async function shownAlike(board: TestBoard): Promise<{ readonly shown: Shown; readonly acks: number }> {
  const { body } = await board.get<{ messages: MessageRecord[] }>("/api/messages?limit=200");
  const shown: Shown = Object.fromEntries(
    body.messages.flatMap(({ id, derived: { delivery } }) => (delivery === undefined ? [] : [[id, delivery]])),
  );
  const { deliveries } = await verifyLog(connect(board.url), { audit: new KeyAudit() });
  expect(Object.fromEntries(deliveries)).toEqual(shown);
  using python = new PythonAgent(board.url);
  const report = await python.json<Report>("verify-log");
  expect(report.deliveries).toEqual(shown);
  return { shown, acks: report.acks };
}

test(`the log alone shows what was seen, acted on and declined, in both languages as on the board (SEED=${SEED})`, async () => {
  await using board = await TestBoard.start();
  const acks = await correspond(board, new Random(SEED), 80);
  const deliveries = await shownAlike(board);
  expect(deliveries.acks).toBe(acks);
  expect(new Set(Object.values(deliveries.shown).map(({ state }) => state))).toEqual(new Set(["stored", "seen", "acted", "declined"]));
});

test("a message that was named before it existed, or before it was posted again, does not count as acted on", async () => {
  await using board = await TestBoard.start();
  const [sender, reader] = [board.agent(), board.agent()];
  const first = await board.put(sender, { kind: "note", title: "first", to: reader.id });
  const early = sender.envelope({ kind: "task", title: "not posted yet", to: reader.id });
  const named = await acknowledge(board, reader, { seen: first.seq, acted: [messageId(early.payload)] });
  expect(named.body).toMatchObject({ acted: 0, skipped: [messageId(early.payload)] });
  const { id } = (await board.send(JSON.stringify(early))).body;
  const removed = sender.envelope({ kind: "task", title: "removed, restored and posted again", to: reader.id });
  const { id: again } = (await board.send(JSON.stringify(removed))).body;
  await acknowledge(board, reader, { declined: [{ id: again, why: "busy" }] });
  await using operator = await Operator.at(board);
  await operator.remove(again);
  await operator.decide({ do: "restore", target: again });
  expect((await board.send(JSON.stringify(removed))).status).toBe(201);
  const { shown } = await shownAlike(board);
  expect([shown[id]?.state, shown[again]?.state, shown[first.id]?.state]).toEqual(["stored", "stored", "seen"]);
});

test("a key that joins an agent brings its mail along, but not the earlier acknowledgements about it", async () => {
  await using board = await TestBoard.start();
  const [sender, reader, next] = [board.agent(), board.agent(), board.agent()];
  await board.put(reader, { kind: "note", title: "here I am" });
  const operate = async (signer: Agent, act: KeyAct) => {
    const envelope = signed(signer, reader, act, await board.name(), board.clock.now());
    expect((await board.send(JSON.stringify(envelope), "/api/keys")).status).toBe(201);
    board.clock.advance(1000);
  };
  await operate(reader, { op: "commit", next: hashOf(next) });
  const early = await board.put(sender, { kind: "note", title: "to the next key, too early", to: next.id });
  const own = await board.put(sender, { kind: "note", title: "to the first key", to: reader.id });
  expect((await acknowledge(board, reader, { seen: early.seq, acted: [early.id] })).body.skipped).toEqual([early.id]);
  await operate(next, { op: "rotate" });
  await acknowledge(board, next, { acted: [own.id] });
  const { shown } = await shownAlike(board);
  expect([shown[early.id]?.state, shown[own.id]?.state]).toEqual(["seen", "acted"]);
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

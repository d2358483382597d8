// Acknowledgements: what was sent to an agent is stored, seen, acted on or declined, by its own signed word and nothing else.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { checkConfigured } from "../../src/cli/operate/check.ts";
import { DAY_MS, HOUR_MS } from "../../src/core/durations.ts";
import { messageId } from "../../src/core/protocol/identity.ts";
import { LIMITS } from "../../src/core/protocol/limits.ts";
import { workBits } from "../../src/core/protocol/work.ts";
import type { MessageRecord } from "../../src/core/view/record.ts";
import { acknowledge, type AckAnswer, ackText, idOf, sendAck } from "../support/acks.ts";
import type { Agent } from "../support/agent.ts";
import { TestBoard } from "../support/board.ts";
import { configAt } from "../support/operator.ts";
import { expectRefusal } from "../support/refusal.ts";

let board: TestBoard;
beforeAll(async () => {
  board = await TestBoard.start();
});
afterAll(() => board[Symbol.asyncDispose]());

const at = (): string => new Date(board.clock.now()).toISOString();
const deliveryOf = async (id: string) => (await board.get<MessageRecord>(`/api/messages/${id}`)).body.derived.delivery;
const agentRecord = async (agent: Agent) =>
  (await board.get<{ reads_to_seq: number; last_ack: string | null; last_seen: string }>(`/api/agents/${agent.id}`)).body;
const head = async (): Promise<number> => (await board.get<{ seq: number }>("/api/checkpoint")).body.seq;
const entries = async (after: number) =>
  (await board.get<{ changes: { seq: number; type: string; id: string; detail: string; digest: string }[] }>(`/api/changes?after=${after}`))
    .body.changes;

/** One that proves fewer than four bits. */
function weakNonce(payload: string): string {
  for (let n = 0; ; n++) if (workBits(messageId(payload), String(n)) < 4) return String(n);
}

describe("an acknowledgement", () => {
  test("moves what was sent from stored to seen to acted or declined, each with its time and the reason of its own", async () => {
    const [sender, reader] = [board.agent(), board.agent()];
    const sent = await board.put(sender, { kind: "task", title: "please", to: reader.id });
    expect(sent.derived.delivery).toEqual({ state: "stored", at: sent.server.received_at });
    board.clock.advance(5000);
    const seen = await acknowledge(board, reader, { seen: sent.seq });
    expect(seen.status).toBe(201);
    expect(seen.body).toMatchObject({ agent: reader.id, seen: sent.seq, acted: 0, declined: 0, skipped: [], seq: await head() });
    const seenAt = at();
    expect(await deliveryOf(sent.id)).toEqual({ state: "seen", at: seenAt });
    // The first one that covers it tells when, however many come after.
    board.clock.advance(5000);
    const later = await board.put(sender, { kind: "note", title: "more", to: reader.id });
    await acknowledge(board, reader, { seen: later.seq });
    expect(await deliveryOf(sent.id)).toEqual({ state: "seen", at: seenAt });
    board.clock.advance(5000);
    const declined = await acknowledge(board, reader, { declined: [{ id: sent.id, why: "busy" }] });
    expect(declined.body).toMatchObject({ acted: 0, declined: 1, seen: later.seq });
    expect(await deliveryOf(sent.id)).toEqual({ state: "declined", at: at(), why: "busy" });
    board.clock.advance(5000);
    expect((await acknowledge(board, reader, { acted: [sent.id, later.id] })).body).toMatchObject({ acted: 2, declined: 0 });
    expect(await deliveryOf(sent.id)).toEqual({ state: "acted", at: at() });
    expect(await agentRecord(reader)).toMatchObject({ reads_to_seq: later.seq, last_ack: at(), last_seen: at() });
  });

  test("cannot fill the log with white space, of which every byte would be kept", async () => {
    const [sender, reader] = [board.agent(), board.agent()];
    const { seq } = await board.put(sender, { kind: "note", title: "read me", to: reader.id });
    const text = ackText(await idOf(board), reader, board.clock.now(), { seen: seq });
    expectRefusal(await sendAck(board, reader, text.padEnd(LIMITS.operation_bytes + 1)), 413, "too_large");
    expect((await sendAck(board, reader, text.padEnd(LIMITS.operation_bytes))).status).toBe(201);
  });

  test("is shown in lists as with the message itself, and is no change that readers of changes hear of", async () => {
    const [sender, reader] = [board.agent(), board.agent()];
    const sent = await board.put(sender, { kind: "note", title: "read me", to: reader.id });
    const listed = async () =>
      (await board.get<{ messages: MessageRecord[] }>(`/api/messages?to=${reader.id}`)).body.messages.map(
        (one) => one.derived.delivery?.state,
      );
    expect(await listed()).toEqual(["stored"]);
    const before = await head();
    await acknowledge(board, reader, { seen: sent.seq });
    expect(await listed()).toEqual(["seen"]);
    await acknowledge(board, reader, { acted: [sent.id] });
    expect(await listed()).toEqual(["acted"]);
    const { body } = await board.get<{ messages: MessageRecord[] }>(`/api/messages?to=${reader.id}&changed_after=${before}`);
    expect(body.messages).toEqual([]);
    expect((await board.get<MessageRecord>(`/api/messages/${sent.id}`)).body.derived.changed_seq).toBe(sent.seq);
    expect((await board.put(sender, { kind: "note", title: "to nobody" })).derived).not.toHaveProperty("delivery");
  });

  test("stands in the log under its agent with the very bytes that were signed", async () => {
    const [sender, reader] = [board.agent(), board.agent()];
    const sent = await board.put(sender, { kind: "note", title: "logged", to: reader.id });
    const payload = ackText(await idOf(board), reader, board.clock.now(), { seen: sent.seq, acted: [sent.id] });
    const envelope = reader.seal(payload, undefined, 0);
    const { body } = await board.send(JSON.stringify(envelope), "/api/acks");
    const [entry] = await entries((body as unknown as AckAnswer).seq - 1);
    expect(entry).toMatchObject({ type: "ack", id: reader.id, detail: JSON.stringify(envelope) });
  });

  test("does not take back what was said: a lower `seen` stays where it was, and the same again is 200", async () => {
    const [sender, reader] = [board.agent(), board.agent()];
    const first = await board.put(sender, { kind: "note", title: "one", to: reader.id });
    const second = await board.put(sender, { kind: "note", title: "two", to: reader.id });
    const payload = ackText(await idOf(board), reader, board.clock.now(), { seen: second.seq });
    const taken = await sendAck(board, reader, payload);
    expect((await acknowledge(board, reader, { seen: first.seq, acted: [first.id] })).body.seen).toBe(second.seq);
    const before = await head();
    const again = await sendAck(board, reader, payload);
    expect([again.status, again.body]).toEqual([200, taken.body]);
    board.clock.advance(2 * HOUR_MS);
    expect([(await sendAck(board, reader, payload)).status, await head()]).toEqual([200, before]);
    expect((await agentRecord(reader)).reads_to_seq).toBe(second.seq);
  });

  test("counts for nothing where it is not for the agent to say, and names what it left out", async () => {
    const [sender, reader, other] = [board.agent(), board.agent(), board.agent()];
    const mine = await board.put(reader, { kind: "task", title: "mine" });
    const reply = await board.put(sender, { kind: "note", body: "about it", refs: [{ rel: "reply", id: mine.id }] });
    const foreign = await board.put(sender, { kind: "note", title: "for somebody else", to: other.id });
    const brief = await board.put(sender, { kind: "note", title: "short", to: reader.id, ttl: "1m" });
    board.clock.advance(120_000);
    const unknown = "f".repeat(64);
    const answer = await acknowledge(board, reader, {
      acted: [reply.id, foreign.id, unknown],
      declined: [
        { id: brief.id, why: "other" },
        { id: mine.id, why: "not_mine" },
      ],
    });
    expect(answer.body).toMatchObject({ acted: 1, declined: 0, skipped: [foreign.id, unknown, brief.id, mine.id] });
    expect(await deliveryOf(foreign.id)).toMatchObject({ state: "stored" });
    const refused = expectRefusal(await acknowledge(board, reader, { acted: [foreign.id] }), 409, "not_addressed");
    expect(refused.details).toEqual({ seen: 0, skipped: [foreign.id] });
    expectRefusal(await acknowledge(board, reader, { seen: 0 }), 409, "not_addressed");
    expectRefusal(await acknowledge(board, reader, {}), 409, "not_addressed");
    // Of an id that is named twice, the last word.
    expect((await acknowledge(board, other, { acted: [foreign.id], declined: [{ id: foreign.id, why: "unsafe" }] })).body).toMatchObject({
      acted: 0,
      declined: 1,
    });
    expect(await deliveryOf(foreign.id)).toMatchObject({ state: "declined", why: "unsafe" });
  });

  test("is refused for another board, a future seq, another time and a broken payload, each by its own name", async () => {
    const [reader, stranger] = [board.agent(), board.agent()];
    const id = "a".repeat(64);
    const wrong = expectRefusal(await acknowledge(board, reader, { board: reader.id, seen: 1 }), 400, "wrong_board");
    expect(wrong.details).toEqual({ board: await idOf(board) });
    const latest = await head();
    expect(expectRefusal(await acknowledge(board, reader, { seen: latest + 1 }), 400, "future_cursor").details).toEqual({
      latest_seq: latest,
    });
    expectRefusal(await acknowledge(board, reader, { seen: 1, ts: 1 }), 400, "ts_out_of_range");
    expectRefusal(await acknowledge(board, reader, { seen: 1, more: 1 }), 400, "unknown_field");
    expectRefusal(await acknowledge(board, reader, { board: undefined, seen: 1 }), 400, "invalid_field");
    expectRefusal(await acknowledge(board, reader, { op: "claim", seen: 1 }), 400, "invalid_field");
    expectRefusal(await acknowledge(board, reader, { seen: -1 }), 400, "invalid_field");
    expectRefusal(await acknowledge(board, reader, { seen: 1, v: 2 }), 400, "unsupported_version");
    expectRefusal(await acknowledge(board, reader, { declined: [{ id, why: "bored" }] }), 400, "invalid_field");
    expectRefusal(await acknowledge(board, reader, { acted: ["abc"] }), 400, "invalid_field");
    const many = Array.from({ length: 65 }, (_, i) => i.toString(16).padStart(64, "0"));
    expectRefusal(await acknowledge(board, reader, { acted: many }), 400, "invalid_field");
    expect((await acknowledge(board, reader, { acted: many.slice(1), seen: 1 })).body.skipped).toHaveLength(64);
    const payload = ackText(await idOf(board), reader, board.clock.now(), { seen: 2 });
    const forged = { ...reader.seal(payload, undefined, 0), sig: stranger.sign(payload) };
    expectRefusal(await board.send(JSON.stringify(forged), "/api/acks"), 401, "bad_signature");
    const whole = payload.replace('"seen":2', '"seen":2.0');
    expectRefusal(await sendAck(board, reader, whole), 400, "invalid_field");
  });

  test("lets an inbox go on where its agent stopped, on whatever machine", async () => {
    const [sender, reader] = [board.agent(), board.agent()];
    const first = await board.put(sender, { kind: "note", title: "one", to: reader.id });
    const second = await board.put(sender, { kind: "note", title: "two", to: reader.id });
    const unread = async (more = "") =>
      (await board.get<{ messages: MessageRecord[]; seen: number }>(`/api/inbox/${reader.id}?unread=1${more}`)).body;
    expect(await unread()).toMatchObject({ seen: 0, messages: [{ id: second.id }, { id: first.id }] });
    await acknowledge(board, reader, { seen: first.seq });
    expect(await unread()).toMatchObject({ seen: first.seq, messages: [{ id: second.id }] });
    await acknowledge(board, reader, { seen: second.seq });
    expect((await unread()).messages).toEqual([]);
    expect((await unread("&format=json&wait=0")).seen).toBe(second.seq);
    expect((await board.get<{ messages: object[] }>(`/api/inbox/${reader.id}`)).body.messages).toHaveLength(2);
  });

  test("costs six bits less than a message, has a pace of its own, and does not move the difficulty", async () => {
    await using paced = await TestBoard.start({ flags: ["--rate-limits", "on", "--pow-bits", "10", "--profile", "public"] });
    const { body: pow } = await paced.get<{ ack_bits: number; required_bits: number }>("/api/pow");
    expect([pow.required_bits, pow.ack_bits]).toEqual([10, 4]);
    const [sender, reader] = [paced.agent(), paced.agent()];
    await paced.send(JSON.stringify(sender.seal(sender.envelope({ kind: "note", title: "hello" }).payload, undefined, 10)));
    const self = await idOf(paced);
    const weak = ackText(self, reader, paced.clock.now(), { seen: 1 });
    const refused = expectRefusal(
      await paced.send(JSON.stringify({ ...reader.seal(weak, undefined, 0), nonce: weakNonce(weak) }), "/api/acks"),
      400,
      "pow_insufficient",
    );
    expect(refused.details).toMatchObject({ required_bits: 4 });
    // Ten at once, whether or not they come to anything.
    const statuses: number[] = [];
    for (let i = 0; i < 12; i++) {
      const payload = ackText(self, reader, paced.clock.now(), { seen: 1, acted: [i.toString(16).padStart(64, "0")] });
      statuses.push((await paced.send(JSON.stringify(reader.seal(payload, undefined, 8)), "/api/acks")).status);
    }
    expect(statuses).toEqual([201, ...Array.from({ length: 9 }, () => 409), 429, 429]);
    expect((await paced.get<{ required_bits: number }>("/api/pow")).body.required_bits).toBe(10);
    const { body } = await paced.get<{ limits: { rates: { scope: string; burst: number; then_every_s: number }[] } }>("/api/kinds");
    expect(body.limits.rates).toContainEqual({ scope: "agent_acks", per: "agent", burst: 10, then_every_s: 3 });
  });

  test("tells when something was seen for as long as that lives", async () => {
    const [sender, reader] = [board.agent(), board.agent()];
    const sent = await board.put(sender, { kind: "note", title: "long", to: reader.id });
    await acknowledge(board, reader, { seen: sent.seq });
    const seenAt = at();
    board.clock.advance(7 * DAY_MS - 60_000);
    await board.put(sender, { kind: "note", title: "something happens" });
    expect(await deliveryOf(sent.id)).toEqual({ state: "seen", at: seenAt });
    expect((await agentRecord(reader)).reads_to_seq).toBe(sent.seq);
  });

  test("is checked by the operator as all else in the log: signature, agent, and what followed from it", async () => {
    await using checked = await TestBoard.start();
    const [sender, reader] = [checked.agent(), checked.agent()];
    const sent = await checked.put(sender, { kind: "task", title: "checked", to: reader.id });
    const other = await checked.put(sender, { kind: "note", title: "seen only", to: reader.id });
    await acknowledge(checked, reader, { seen: other.seq, acted: [sent.id] });
    checked.clock.advance(1000);
    await acknowledge(checked, reader, { declined: [{ id: sent.id, why: "cannot" }] });
    expect((await checkConfigured(configAt(checked.data), checked.clock.now())).findings).toEqual([]);
  });
});

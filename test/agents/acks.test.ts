// Acknowledgements: messages to an agent are stored, seen, acted on or declined, and only the agent's own signed word says which.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { checkConfigured } from "../../src/cli/operate/check.ts";
import { DAY_MS, HOUR_MS } from "../../src/core/durations.ts";
import { messageId } from "../../src/core/protocol/message-and-agent-ids.ts";
import { LIMITS } from "../../src/core/protocol/limits.ts";
import { workBits } from "../../src/core/protocol/proof-of-work.ts";
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

const FEW_IDS = "An acknowledgement names at most 64 ids, in `acted` and `declined` together: send several.";

/** A nonce with less than four bits of work. */
function weakNonce(payload: string): string {
  for (let n = 0; ; n++) if (workBits(messageId(payload), String(n)) < 4) return String(n);
}

describe("an acknowledgement", () => {
  test("moves a message from stored to seen to acted or declined, each with its own time and reason", async () => {
    const [sender, reader] = [board.agent(), board.agent()];
    const sent = await board.put(sender, { kind: "task", title: "please", to: reader.id });
    expect(sent.derived.delivery).toEqual({ state: "stored", at: sent.server.received_at });
    board.clock.advance(5000);
    const seen = await acknowledge(board, reader, { seen: sent.seq });
    expect(seen.status).toBe(201);
    expect(seen.body).toMatchObject({ agent: reader.id, seen: sent.seq, acted: 0, declined: 0, skipped: [], seq: await head() });
    const seenAt = at();
    expect(await deliveryOf(sent.id)).toEqual({ state: "seen", at: seenAt });
    // The first acknowledgement that covers a message sets the time; later ones do not change it.
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
    const page = async ({ id }: Agent) => (await fetch(`${board.url}/a/${id}`, { headers: { accept: "text/html" } })).text();
    expect(await page(reader)).toContain(`acknowledged its inbox up to seq ${later.seq}, `);
    expect(await page(sender)).not.toContain("acknowledged its inbox");
  });

  test("cannot fill the log with white space, of which every byte would be stored", async () => {
    const [sender, reader] = [board.agent(), board.agent()];
    const { seq } = await board.put(sender, { kind: "note", title: "read me", to: reader.id });
    const text = ackText(await idOf(board), reader, board.clock.now(), { seen: seq });
    expectRefusal(await sendAck(board, reader, text.padEnd(LIMITS.operation_bytes + 1)), 413, "too_large");
    expect((await sendAck(board, reader, text.padEnd(LIMITS.operation_bytes))).status).toBe(201);
  });

  test("is shown in lists as with the message itself, and is not among the changes of the message", async () => {
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

  test("is explained by the manual: what each word does not mean, and that everybody can see when an agent is awake", async () => {
    const manual = await (await fetch(`${board.url}/llms/attention.txt`)).text();
    expect(manual).toMatch(/^- `stored`: .+Perhaps nobody has read it/m);
    expect(manual).toMatch(/^- `seen`: its addressee .+does not mean that the message was understood/m);
    expect(manual).toMatch(/^- `acted`: its addressee .+does not prove a result/m);
    expect(manual).toMatch(/^- `declined`: its addressee .+Others may/m);
    expect(manual).toContain("Acknowledgements publish when you are awake");
  });

  test("is in the log under its agent, with the exact bytes that were signed", async () => {
    const [sender, reader] = [board.agent(), board.agent()];
    const sent = await board.put(sender, { kind: "note", title: "logged", to: reader.id });
    const payload = ackText(await idOf(board), reader, board.clock.now(), { seen: sent.seq, acted: [sent.id] });
    const envelope = reader.seal(payload, undefined, 0);
    const { body } = await board.send(JSON.stringify(envelope), "/api/acks");
    const [entry] = await entries((body as unknown as AckAnswer).seq - 1);
    expect(entry).toMatchObject({ type: "ack", id: reader.id, detail: JSON.stringify(envelope) });
  });

  test("never takes anything back: a lower `seen` changes nothing, and the same again is 200", async () => {
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

  test("has no effect on messages that were not sent to the agent, and lists what it left out", async () => {
    const [sender, reader, other] = [board.agent(), board.agent(), board.agent()];
    const mine = await board.put(reader, { kind: "task", title: "mine" });
    const reply = await board.put(sender, { kind: "note", body: "about it", refs: [{ rel: "reply", id: mine.id }] });
    const foreign = await board.put(sender, { kind: "note", title: "for somebody else", to: other.id });
    const brief = await board.put(sender, { kind: "note", title: "short", to: reader.id, ttl: "1m" });
    const withdrawn = await board.put(sender, { kind: "note", title: "withdrawn", to: reader.id });
    await board.put(sender, { kind: "retraction", refs: [{ rel: "retracts", id: withdrawn.id }] });
    board.clock.advance(120_000);
    const unknown = "f".repeat(64);
    const answer = await acknowledge(board, reader, {
      acted: [reply.id, foreign.id, unknown],
      declined: [
        { id: brief.id, why: "other" },
        { id: mine.id, why: "not_mine" },
        { id: withdrawn.id, why: "duplicate" },
      ],
    });
    expect(answer.body).toMatchObject({ acted: 1, declined: 0, skipped: [foreign.id, unknown, brief.id, mine.id, withdrawn.id] });
    expect(await deliveryOf(foreign.id)).toMatchObject({ state: "stored" });
    const refused = expectRefusal(await acknowledge(board, reader, { acted: [foreign.id] }), 409, "not_addressed");
    expect(refused.details).toEqual({ seen: 0, skipped: [foreign.id] });
    expectRefusal(await acknowledge(board, reader, { seen: 0 }), 409, "not_addressed");
    expectRefusal(await acknowledge(board, reader, {}), 409, "not_addressed");
    // If an id is named twice, the last entry counts.
    expect((await acknowledge(board, other, { acted: [foreign.id], declined: [{ id: foreign.id, why: "unsafe" }] })).body).toMatchObject({
      acted: 0,
      declined: 1,
    });
    expect(await deliveryOf(foreign.id)).toMatchObject({ state: "declined", why: "unsafe" });
  });

  test("counts for a message that has been superseded: the agent may have acted on the old version", async () => {
    const [sender, reader] = [board.agent(), board.agent()];
    const first = await board.put(sender, { kind: "task", title: "as it was", to: reader.id });
    await board.put(sender, { kind: "task", title: "as it is", to: reader.id, refs: [{ rel: "supersedes", id: first.id }] });
    expect((await acknowledge(board, reader, { acted: [first.id] })).body).toMatchObject({ acted: 1, skipped: [] });
    expect(await deliveryOf(first.id)).toMatchObject({ state: "acted" });
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
    for (const declined of [[{ id, why: "bored" }], [{ id }]]) {
      const { message, hint } = expectRefusal(await acknowledge(board, reader, { declined }), 400, "invalid_field");
      expect(message).toBe("`declined.0.why` must be one of busy, cannot, unclear, duplicate, not_mine, unsafe, other.");
      expect(hint).toContain("/llms/attention.txt");
    }
    const bare = expectRefusal(await acknowledge(board, reader, { declined: [id] }), 400, "invalid_field");
    expect(bare.message).toBe('`declined.0` must be {"id","why"}: a message id, and a reason.');
    expectRefusal(await acknowledge(board, reader, { acted: ["abc"] }), 400, "invalid_field");
    const many = Array.from({ length: 65 }, (_, i) => i.toString(16).padStart(64, "0"));
    const named = expectRefusal(await acknowledge(board, reader, { acted: many }), 400, "invalid_field");
    expect([named.message, named.hint]).toEqual(["`acted` and `declined` must name at most 64 ids together.", FEW_IDS]);
    expect((await acknowledge(board, reader, { acted: many.slice(1), seen: 1 })).body.skipped).toHaveLength(64);
    const payload = ackText(await idOf(board), reader, board.clock.now(), { seen: 2 });
    const forged = { ...reader.seal(payload, undefined, 0), sig: stranger.sign(payload) };
    expectRefusal(await board.send(JSON.stringify(forged), "/api/acks"), 401, "bad_signature");
    const whole = payload.replace('"seen":2', '"seen":2.0');
    expectRefusal(await sendAck(board, reader, whole), 400, "invalid_field");
  });

  test("that is too long or has too large a number says what an acknowledgement would need, not what a message would", async () => {
    const reader = board.agent();
    const ids = (count: number) => Array.from({ length: count }, (_, i) => i.toString(16).padStart(64, "0"));
    // Too many bytes, and too many keys and values.
    expect(expectRefusal(await acknowledge(board, reader, { acted: ids(5000) }), 413, "too_large").hint).toBe(FEW_IDS);
    const declined = ids(120).map((id) => ({ id, why: "busy" }));
    expect(expectRefusal(await acknowledge(board, reader, { declined }), 400, "invalid_field").hint).toBe(FEW_IDS);
    const text = ackText(await idOf(board), reader, board.clock.now(), { seen: 1 });
    for (const seen of ["9007199254740992", "1e400"]) {
      const refused = await sendAck(board, reader, text.replace('"seen":1', `"seen":${seen}`));
      const { details, hint } = expectRefusal(refused, 400, "number_out_of_range");
      expect(details).toEqual({ field: "seen" });
      expect(hint).toBe("`seen` is a seq of this board, such as `latest_seq` of your inbox; `ts` is in Unix seconds.");
    }
    expectRefusal(await acknowledge(board, reader, { seen: Number.MAX_SAFE_INTEGER }), 400, "future_cursor");
    // Sent to the endpoint of messages, it is answered with the right endpoint.
    const { message, hint } = expectRefusal(await board.send(JSON.stringify(reader.seal(text))), 400, "invalid_field");
    expect(message).toBe("`payload` is an acknowledgement, not a message: it has `op`, and no `kind`.");
    expect(hint).toContain("POST it to /api/acks");
  });

  test("lets an inbox continue where its agent stopped, on any machine", async () => {
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

  test("costs six bits less than a message, has its own rate limit, and does not change the difficulty", async () => {
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
    // Ten at once, whether or not they are accepted.
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

  test("shows when a message was seen, as long as the message lives", async () => {
    const [sender, reader] = [board.agent(), board.agent()];
    const sent = await board.put(sender, { kind: "note", title: "long", to: reader.id });
    await acknowledge(board, reader, { seen: sent.seq });
    const seenAt = at();
    board.clock.advance(7 * DAY_MS - 60_000);
    await board.put(sender, { kind: "note", title: "something happens" });
    expect(await deliveryOf(sent.id)).toEqual({ state: "seen", at: seenAt });
    expect((await agentRecord(reader)).reads_to_seq).toBe(sent.seq);
  });

  test("is checked by the operator like everything in the log: signature, agent and effects", async () => {
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

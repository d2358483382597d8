// Posts that are refused because of what is already on the board, and those that change nothing.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { ErrorCode } from "../../src/core/errors.ts";
import { HOUR_MS, MINUTE_MS } from "../../src/core/durations.ts";
import { Agent, type Fields, sha256 } from "../support/agent.ts";
import { type Answer, type PostBody, TestBoard } from "../support/board.ts";
import { type Beside, plantAgent, plantBlock, plantRemoved, rowCounts } from "../support/database.ts";
import { expectRefusal } from "../support/refusal.ts";
import { lazyNonce, NOTE, refusals, startSending, stopSending, UNKNOWN } from "../support/refusals.ts";

let board: TestBoard;
let db: Beside;
let agent: Agent;
beforeAll(async () => {
  ({ board, db, agent } = await startSending());
});
afterAll(() => stopSending({ board, db }));

const { refused, refusedBody, accepted } = refusals(() => ({ board, db, agent }));

describe("an agent whose refs conflict with the board learns the reason", () => {
  let other: Agent;
  let note: PostBody;
  let task: PostBody;
  beforeAll(async () => {
    other = board.agent();
    note = await board.put(agent, { ...NOTE, title: "target" });
    task = await board.put(agent, { kind: "task", title: "work" });
  });
  const ref = (rel: string, id: string) => ({ refs: [{ rel, id }] }) as Fields;
  const refusedRef = (by: Agent, code: ErrorCode, kind: string, rel: string, id: string, more: object = {}) =>
    refused(409, code, () => board.post(by, { ...ref(rel, id), ...more, kind }));

  test.each(["subtask_of", "answers", "claims", "verifies", "refutes", "on", "retracts", "supersedes"])(
    "target_unknown: %s",
    async (rel) => {
      const error = await refusedRef(agent, "target_unknown", "x-any", rel, UNKNOWN);
      expect(error.details).toEqual({ rel, id: UNKNOWN });
    },
  );
  test.each(["reply", "duplicates", "builds_on", "cites", "summarizes"])("%s may point at what this board has never seen", (rel) =>
    accepted(JSON.stringify(agent.envelope({ ...ref(rel, UNKNOWN), ...NOTE }))),
  );
  test("target_gone: retracted, superseded and expired", async () => {
    const [retracted, superseded, expiring] = [
      await board.put(agent, { ...NOTE, title: "1" }),
      await board.put(agent, { ...NOTE, title: "2" }),
      await board.put(agent, { ...NOTE, title: "3", ttl: 60 }),
    ];
    await board.put(agent, { ...ref("retracts", retracted.id), kind: "retraction" });
    const by = await board.put(agent, { ...ref("supersedes", superseded.id), ...NOTE });
    board.clock.advance(MINUTE_MS);
    await board.put(agent, { ...NOTE, title: "so that the sweep is done" });
    const why = async (id: string) => (await refusedRef(other, "target_gone", "x-any", "on", id)).details;
    expect(await why(retracted.id)).toMatchObject({ reason: "retracted" });
    expect(await why(superseded.id)).toMatchObject({ reason: "superseded", superseded_by: by.id });
    expect(await why(expiring.id)).toMatchObject({ reason: "expired" });
  });
  test("target_not_workable: a note cannot be claimed", async () => {
    await refusedRef(other, "target_not_workable", "x-any", "claims", note.id);
  });
  test("not_author: only the author retracts or supersedes", async () => {
    for (const rel of ["retracts", "supersedes"]) {
      const error = await refusedRef(other, "not_author", "x-any", rel, note.id);
      expect(error.details).toMatchObject({ author: agent.id });
    }
  });
  test("already_claimed: names the holder, the end of the lease and other work", async () => {
    const free = await board.put(agent, { kind: "question", title: "free" });
    await board.put(other, { ...ref("claims", task.id), kind: "claim", lease: "1h" });
    const error = await refusedRef(board.agent(), "already_claimed", "claim", "claims", task.id);
    const until = new Date(board.clock.now() + HOUR_MS).toISOString();
    expect(error.details).toMatchObject({ claimed_by: other.id, lease_until: until });
    expect(error.details?.["alternatives"]).toContainEqual({ id: free.id, title: "free", needs: [], untrusted: true });
    expect(JSON.stringify(error.details?.["alternatives"])).not.toContain(task.id);
  });
  test("target_resolved: finished work cannot be claimed", async () => {
    const done = await board.put(agent, { kind: "task", title: "done" });
    await board.put(agent, { ...ref("on", done.id), kind: "signal", signal: "resolved" });
    await refusedRef(other, "target_resolved", "claim", "claims", done.id);
  });
  test("reserved: addressed work is for its addressee", async () => {
    const mine = await board.put(agent, { kind: "task", title: "for you", to: other.id });
    const error = await refusedRef(board.agent(), "reserved", "claim", "claims", mine.id);
    expect(error.details).toMatchObject({ to: other.id });
    await board.put(other, { ...ref("claims", mine.id), kind: "claim" });
  });
  test("already_signaled: one signal of a value each", async () => {
    await board.put(other, { ...ref("on", note.id), kind: "signal", signal: "useful" });
    await refusedRef(other, "already_signaled", "signal", "on", note.id, { signal: "useful", body: "again" });
    await board.put(other, { ...ref("on", note.id), kind: "signal", signal: "unclear" });
  });
  test("agent_id_collision: another key owns the agent id", async () => {
    const late = board.agent();
    plantAgent(db, late.id, board.agent().pk, false);
    await refused(409, "agent_id_collision", () => board.post(late, NOTE));
  });
});

describe("an agent that repeats a payload gets one message and a true answer", () => {
  test("the same payload is known whatever its nonce, its time and which valid signature it has", async () => {
    const envelope = agent.envelope({ ...NOTE, title: "once" });
    expect((await board.send(JSON.stringify(envelope))).status).toBe(201);
    board.clock.advance(2 * HOUR_MS);
    await board.put(agent, { ...NOTE, title: "so that leases end before the count" });
    const before = rowCounts(db);
    for (const nonce of [envelope.nonce, lazyNonce(envelope.payload)]) {
      const answer = await board.send(JSON.stringify({ ...envelope, nonce }));
      expect(answer).toMatchObject({ status: 200, body: { result: "exists", id: sha256(envelope.payload), content: { body: "Hello" } } });
    }
    expect(rowCounts(db)).toEqual(before);
    await refusedBody(401, "bad_signature", JSON.stringify({ ...envelope, sig: agent.sign("another text") }));
    const stored = await board.get(`/api/messages/${sha256(envelope.payload)}?include=raw`);
    expect(stored.body).toMatchObject({ raw: { sig: envelope.sig, nonce: envelope.nonce } });
  });
  test("another valid signature of the same payload is the same message", async () => {
    const envelope = agent.envelope({ ...NOTE, title: "signed twice" });
    expect((await board.send(JSON.stringify(envelope))).status).toBe(201);
    // Ed25519 is deterministic, so the stored signature is replaced to make the second one different.
    db.prepare("UPDATE contents SET sig = ? WHERE payload = ?").run("A".repeat(86), envelope.payload);
    expect(await board.send(JSON.stringify(envelope))).toMatchObject({ status: 200, body: { result: "exists" } });
  });
  test("ten at once are one message", async () => {
    const body = JSON.stringify(agent.envelope({ ...NOTE, title: "at once" }));
    const answers = await Promise.all(Array.from({ length: 10 }, () => board.send(body)));
    expect(answers.filter((one) => one.status === 201)).toHaveLength(1);
    expect(answers.filter((one) => one.status === 200)).toHaveLength(9);
    expect(new Set(answers.map((one) => one.body.seq)).size).toBe(1);
  });
  test("409 expired: the payload was here and its time is over", async () => {
    const body = JSON.stringify(agent.envelope({ ...NOTE, title: "short", ttl: 60 }));
    const { body: record } = await board.send(body);
    board.clock.advance(MINUTE_MS);
    // The answer is the same, whether or not the sweep has run.
    expectRefusal(await board.send(body), 409, "expired");
    await board.put(agent, { ...NOTE, title: "sweeps" });
    await refusedBody(409, "expired", body);
    await refusedBody(401, "bad_signature", JSON.stringify({ ...(JSON.parse(body) as object), sig: agent.sign("x") }));
    expectRefusal(await board.get(`/api/messages/${record.id}`), 410, "expired");
  });
  test("409 retracted: its author withdrew it", async () => {
    const body = JSON.stringify(agent.envelope({ ...NOTE, title: "oops" }));
    const { body: record } = await board.send(body);
    await board.put(agent, { kind: "retraction", refs: [{ rel: "retracts", id: record.id }] });
    await refusedBody(409, "retracted", body);
  });
});

describe("451: blocked content stays blocked, with an address that says why", () => {
  const blocked = async (code: ErrorCode, send: () => Promise<Answer<unknown>>) => {
    let answer: Answer<unknown> | undefined;
    const error = await refused(451, code, async () => (answer = await send()));
    expect(answer?.headers.get("link")).toBe('<http://board.test/api/transparency>; rel="blocked-by"');
    return error;
  };
  test("blocked_content: a removed payload", async () => {
    const envelope = agent.envelope({ ...NOTE, title: "removed" });
    plantRemoved(db, sha256(envelope.payload), board.clock.now());
    await blocked("blocked_content", () => board.send(JSON.stringify(envelope)));
    await refusedBody(401, "bad_signature", JSON.stringify({ ...envelope, sig: agent.sign("x") }));
  });
  test("blocked_content: a removed attachment", async () => {
    const text = "blocked text";
    plantBlock(db, "blob", sha256(text));
    const attachments = [{ sha256: sha256(text), name: "a", mime: "text/plain", size: text.length }];
    const error = await blocked("blocked_content", () => board.post(agent, { ...NOTE, attachments }, { [sha256(text)]: text }));
    expect(error.details).toEqual({ sha256: sha256(text) });
  });
  test("blocked_key: a blocked author, also in a dry run", async () => {
    const bad = board.agent();
    plantAgent(db, bad.id, bad.pk, true);
    await blocked("blocked_key", () => board.post(bad, NOTE));
    await blocked("blocked_key", () => board.send(JSON.stringify(bad.envelope(NOTE)), "/api/messages?dry_run=1"));
  });
});

describe("a dry run checks everything, promises nothing and leaves nothing", () => {
  const dry = (body: string) => board.send(body, "/api/messages?dry_run=1");
  test("a valid message gets its id and the work it needs and has", async () => {
    const before = rowCounts(db);
    const envelope = agent.envelope({ ...NOTE, title: "dry", tags: ["dry"] });
    const { status, body } = await dry(JSON.stringify(envelope));
    expect(status).toBe(200);
    expect(body).toEqual({
      result: "valid",
      id: sha256(envelope.payload),
      required_bits: 4,
      pow_bits: expect.any(Number) as number,
      warnings: [],
      similar: expect.any(Array) as unknown[],
    });
    expect((body as unknown as { pow_bits: number }).pow_bits).toBeGreaterThanOrEqual(4);
    expect(rowCounts(db)).toEqual(before);
    expectRefusal(await board.get(`/api/messages/${sha256(envelope.payload)}`), 404, "not_found");
    expect((await board.send(JSON.stringify(envelope))).status).toBe(201);
    expect(await dry(JSON.stringify(envelope))).toMatchObject({ status: 200, body: { result: "exists" } });
  });
  test("an empty nonce leaves the work for later, a wrong one does not", async () => {
    const envelope = agent.envelope({ ...NOTE, title: "work later" });
    expect((await dry(JSON.stringify({ ...envelope, nonce: "" }))).body).toMatchObject({ result: "valid", pow_bits: 0 });
    const lazy = JSON.stringify({ ...envelope, nonce: lazyNonce(envelope.payload) });
    await refused(400, "pow_insufficient", () => dry(lazy));
    await refused(400, "bad_encoding", () => dry(JSON.stringify({ ...envelope, nonce: " " })));
  });
  test("refs and claims are checked, and a valid claim takes no lease", async () => {
    const work = await board.put(agent, { kind: "task", title: "dry work" });
    const claim = board.agent().envelope({ kind: "claim", refs: [{ rel: "claims", id: work.id }] });
    expect((await dry(JSON.stringify(claim))).status).toBe(200);
    expect((await board.record(work.id)).derived).toMatchObject({ status: "open", claimed_by: null });
    await board.put(board.agent(), { kind: "claim", refs: [{ rel: "claims", id: work.id }] });
    await refused(409, "already_claimed", () => dry(JSON.stringify(claim)));
    await refused(409, "target_unknown", () =>
      dry(JSON.stringify(agent.envelope({ kind: "answer", refs: [{ rel: "answers", id: UNKNOWN }] }))),
    );
  });
  test("its attachments are checked and not stored", async () => {
    const text = "dry text";
    const attachments = [{ sha256: sha256(text), name: "a", mime: "text/plain", size: text.length }];
    expect((await dry(JSON.stringify(agent.envelope({ ...NOTE, attachments }, { [sha256(text)]: text })))).status).toBe(200);
    expectRefusal(await board.get(`/api/blobs/${sha256(text)}`), 404, "blob_unknown");
  });
  test("signature and time are checked", async () => {
    const envelope = agent.envelope(NOTE);
    await refused(401, "bad_signature", () => dry(JSON.stringify({ ...envelope, nonce: "", sig: agent.sign("x") })));
    await refused(400, "ts_out_of_range", () => dry(JSON.stringify({ ...agent.envelope({ ...NOTE, ts: 1 }), nonce: "" })));
  });
});

test("500 internal: a fault of the board refuses one post, reveals nothing internal and does not affect the next one", async () => {
  const next = Number(db.prepare("SELECT max(seq) + 1 AS seq FROM log").get()?.["seq"]);
  db.prepare("INSERT INTO contents (seq, payload, sig, nonce) VALUES (?, '', '', '')").run(next);
  const error = await refused(500, "internal", () => board.post(agent, { ...NOTE, title: "in the way" }));
  expect(error.message).not.toMatch(/constraint|unique|contents/i);
  db.prepare("DELETE FROM contents WHERE seq = ?").run(next);
  await board.put(agent, { ...NOTE, title: "in the way" });
});

test("the log still checks after all of this", async () => {
  const { body } = await board.get<{ latest_seq: number; changes: unknown[] }>("/api/changes?limit=1000");
  expect(body.changes.length).toBe(body.latest_seq);
});

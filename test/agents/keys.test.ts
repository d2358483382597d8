// Keys that can be lost: races on a whole board, and what a rotation, a revocation and a delegation do to everything else.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { authorOf, KeyBook, lateOps } from "../../src/core/keys/key-book.ts";
import { DAY_MS, HOUR_MS } from "../../src/core/durations.ts";
import type { ErrorCode } from "../../src/core/errors.ts";
import type { Entry } from "../../src/core/log/chain.ts";
import { LIMITS } from "../../src/core/protocol/limits.ts";
import { idOf } from "../support/acks.ts";
import type { Agent } from "../support/agent.ts";
import { freshAlias, operateAlias } from "../support/aliases.ts";
import { TestBoard } from "../support/board.ts";
import { RACES } from "../support/key-races.ts";
import { BoardStage, hashOf, KEY_BITS, type KeyAct, signed, type With } from "../support/key-stage.ts";
import { expectRefusal } from "../support/refusal.ts";

let board: TestBoard;
let stage: BoardStage;
beforeAll(async () => {
  board = await TestBoard.start();
  stage = await BoardStage.on(board);
});
afterAll(() => board[Symbol.asyncDispose]());

interface Changes {
  readonly changes: readonly (Entry & { readonly raw?: { payload: string } | null })[];
  readonly more: boolean;
  readonly next_after: number;
}
interface BriefAnswer {
  readonly sections: readonly { readonly name: string; readonly items: readonly object[]; readonly omitted: number }[];
}
interface AgentAnswer {
  readonly id: string;
  readonly current: string | null;
  readonly aliases: readonly { alias: string }[];
  readonly work: { readonly claimed: number };
  readonly votes: { readonly given: { readonly verifies: number } };
  readonly pending: { readonly id: string; readonly op: string; readonly counts_at: string } | null;
}
const agentOf = async (agent: Agent) => (await board.get<AgentAnswer>(`/api/agents/${agent.id}`)).body;
const seconds = () => Math.floor(board.clock.now() / 1000);
const ids = async (path: string) => (await board.get<{ messages: { id: string }[] }>(path)).body.messages.map((one) => one.id);

/** Sends an operation as it is. */
async function send(signer: Agent, about: Agent, act: KeyAct, more: With = {}, name?: string) {
  board.clock.advance(1000);
  const envelope = signed(signer, about, act, name ?? (await board.name()), board.clock.now(), more);
  return { envelope, ...(await board.send(JSON.stringify(envelope), "/api/keys")) };
}

/** An agent that has committed, and its next key. */
async function line(): Promise<{ key: Agent; next: Agent; recovery: Agent }> {
  const [key, next, recovery] = [board.agent(), board.agent(), board.agent()];
  expect(await stage.act(key, key, { op: "commit", next: hashOf(next), recovery: hashOf(recovery) })).toBe("counted");
  return { key, next, recovery };
}
async function child(parent: Agent, limits: Partial<Extract<KeyAct, { op: "delegate" }>> = {}): Promise<Agent> {
  const made = board.agent();
  const act = { op: "delegate" as const, child: made.pk, until: seconds() + 86_400, ...limits };
  expect(await stage.act(parent, parent, act, { child: made })).toBe("counted");
  return made;
}

describe("races", () => {
  /** As they come: the log is not kept for as long as these races take together. */
  const entries: Changes["changes"][number][] = [];
  let last = 0;
  async function follow(): Promise<void> {
    for (let more = true; more;) {
      const { body } = await board.get<Changes>(`/api/changes?after=${last}&include=raw`);
      entries.push(...body.changes.map((entry) => ({ ...entry, at: Date.parse(String(entry.at)) })));
      ({ more, next_after: last } = body);
    }
  }

  test.each(RACES)("$name", async ({ run, expected }) => {
    expect(await run(stage)).toEqual(expected(undefined as never));
    await follow();
  });

  test("the log alone tells who holds each agent, as the board does", async () => {
    expect(entries.filter(({ type }) => type === "key_effect").length).toBeGreaterThan(3);
    const book = new KeyBook(lateOps(entries));
    for (const entry of entries)
      expect(book.read({ ...entry, author: entry.raw == null ? undefined : authorOf(entry.raw.payload) })).toBeUndefined();
    book.advance(board.clock.now());
    expect(book.lines.size).toBeGreaterThan(RACES.length);
    for (const { principal, current } of book.lines.values()) {
      const { body } = await board.get<AgentAnswer>(`/api/agents/${principal}`);
      const ended = (book.key(current)?.endedAt ?? null) !== null;
      expect([principal, body.current, body.pending?.id ?? null]).toEqual([
        principal,
        ended ? null : current,
        book.line(principal)?.pending?.id ?? null,
      ]);
    }
  });
});

describe("what is asked of an operation", () => {
  test("it names this board and is newer than the signer's last; the same again is answered as before", async () => {
    const { key, next } = await line();
    expectRefusal(await send(key, key, { op: "commit", next: hashOf(next) }, {}, "ag_00000000000000000000"), 400, "wrong_board");
    const done = await send(next, key, { op: "rotate" });
    expect([done.status, done.body.result]).toEqual([201, "created"]);
    const again = await board.send(JSON.stringify(done.envelope), "/api/keys");
    expect([again.status, again.body.result]).toEqual([200, "exists"]);
    expect({ ...again.body, result: "" }).toEqual({ ...done.body, result: "" });
    board.clock.advance(-1000);
    const late = signed(next, next, { op: "commit", next: hashOf(key) }, await board.name(), board.clock.now());
    expectRefusal(await board.send(JSON.stringify(late), "/api/keys"), 409, "stale_key_op");
    board.clock.advance(1000);
  });

  test("it cannot be padded with white space, which would be kept and served for ever", async () => {
    const agent = board.agent();
    const { payload } = signed(agent, agent, { op: "commit", next: hashOf(board.agent()) }, await idOf(board), board.clock.now());
    const padded = (bytes: number) => board.send(JSON.stringify(agent.seal(payload.padEnd(bytes), undefined, KEY_BITS)), "/api/keys");
    expectRefusal(await padded(LIMITS.operation_bytes + 1), 413, "too_large");
    expect((await padded(LIMITS.operation_bytes)).status).toBe(201);
  });

  test("fields, times, work and signatures are checked", async () => {
    const [key, other, kid] = [board.agent(), board.agent(), board.agent()];
    await board.put(key, { kind: "note", title: "here" });
    const now = seconds();
    const bad = async (act: object, status: number, code: ErrorCode, more: With = {}) =>
      expectRefusal(await send(key, key, act as KeyAct, more), status, code);
    await bad({ op: "commit" }, 400, "invalid_field");
    await bad({ op: "commit", next: "xyz" }, 400, "invalid_field");
    await bad({ op: "commit", next: hashOf(other), from: 1 }, 400, "unknown_field");
    await bad({ op: "steal" }, 400, "invalid_field");
    await bad({ op: "revoke", from: now - 8 * 86_400 }, 400, "invalid_field");
    await bad({ op: "delegate", child: kid.pk, until: now + 8 * 86_400 }, 400, "invalid_field", { child: kid });
    await bad({ op: "delegate", child: kid.pk, until: now + 3600 }, 401, "bad_signature");
    await bad({ op: "delegate", child: kid.pk, until: now + 3600 }, 401, "bad_signature", { child: other });
    expectRefusal(await send(other, key, { op: "rotate" }, { old: kid }), 401, "bad_signature");
    expectRefusal(await send(other, kid, { op: "rotate" }, { old: kid }), 404, "agent_unknown");
    const payload = JSON.stringify({
      v: 1,
      pk: key.pk,
      ts: seconds(),
      board: await board.name(),
      agent: key.id,
      op: "commit",
      next: hashOf(other),
    });
    expectRefusal(
      await board.send(JSON.stringify({ ...key.seal(payload, undefined, KEY_BITS), nonce: key.weakNonce(payload) }), "/api/keys"),
      400,
      "pow_insufficient",
    );
    expectRefusal(
      await board.send(JSON.stringify({ ...key.seal(payload, undefined, KEY_BITS), sig: other.sign(payload) }), "/api/keys"),
      401,
      "bad_signature",
    );
  });

  test("an agent has at most 32 keys, and 16 live children", async () => {
    let { key, next } = await line();
    for (let count = 1; count < 32; count++) {
      const later = board.agent();
      expect(await stage.act(next, key, { op: "rotate", next: hashOf(later) })).toBe("counted");
      [key, next] = [next, later];
    }
    expect(await stage.act(next, key, { op: "rotate" })).toBe("too_many_keys");
    const parent = board.agent();
    for (let count = 0; count < 16; count++) await child(parent);
    const more = board.agent();
    const act = { op: "delegate" as const, child: more.pk, until: seconds() + 60 };
    expect(await stage.act(parent, parent, act, { child: more })).toBe("too_many_keys");
  });
});

describe("a rotation", () => {
  test("aliases, leases, inbox, votes and the agent's page follow the successor; history keeps its author", async () => {
    const { key, next } = await line();
    const [friend, asker] = [board.agent(), board.agent()];
    const alias = freshAlias();
    await operateAlias(board, key, "claim", alias);
    const task = await board.put(asker, { kind: "task", title: "work" });
    const finding = await board.put(friend, { kind: "finding", title: "so it is" });
    await board.put(key, { kind: "claim", refs: [{ rel: "claims", id: task.id }] });
    await board.put(key, { kind: "verification", body: "checked", refs: [{ rel: "verifies", id: finding.id }] });
    const own = await board.put(key, { kind: "note", title: "mine" });
    const before = await board.put(friend, { kind: "note", title: "for you", to: key.id });
    expect(await stage.act(next, key, { op: "rotate" })).toBe("counted");

    expect((await board.get(`/api/aliases/${alias}`)).body).toMatchObject({ agent: next.id });
    expect((await board.record(task.id)).derived).toMatchObject({ claimed_by: next.id, status: "claimed" });
    expect((await board.record(own.id)).server.author).toMatchObject({ id: key.id, current: next.id });
    const after = await board.put(friend, { kind: "note", title: "to the new one", to: next.id });
    for (const name of [key.id, next.id, alias]) expect(await ids(`/api/inbox/${name}`)).toEqual([after.id, before.id]);
    expect(await ids(`/api/messages?verified_by=${next.id}`)).toEqual([finding.id]);
    expect(await agentOf(key)).toMatchObject({ successor: next.id, predecessor: null, current: next.id, aliases: [] });
    expect(await agentOf(next)).toMatchObject({
      successor: null,
      predecessor: key.id,
      aliases: [{ alias }],
      work: { claimed: 1 },
      votes: { given: { verifies: 1 } },
    });
    // One vote, one signal, one holder: whichever of the keys it was.
    await board.put(next, { kind: "verification", body: "no", refs: [{ rel: "refutes", id: finding.id }] });
    expect((await board.record(finding.id)).derived).toMatchObject({ verifies: 0, refutes: 1 });
    expect((await board.put(next, { kind: "verification", body: "x", refs: [{ rel: "verifies", id: own.id }] })).warnings[0]?.code).toBe(
      "self_vote",
    );
    await board.put(next, { kind: "claim", refs: [{ rel: "claims", id: task.id }] });
    await board.put(next, { kind: "retraction", refs: [{ rel: "retracts", id: own.id }] });
    const refused = expectRefusal(await board.post(key, { kind: "note", title: "late" }), 409, "key_revoked");
    expect(refused.details).toEqual({ successor: next.id });
    expectRefusal(await operateAlias(board, key, "claim", freshAlias()), 409, "key_revoked");
  });

  test("what waits stands first in the agent's record and its inbox, and counts by itself", async () => {
    const [key, next] = [board.agent(), board.agent()];
    await board.put(key, { kind: "note", title: "old" });
    board.clock.advance(2 * HOUR_MS);
    const { body } = await send(next, key, { op: "rotate" }, { old: key });
    const { body: agent } = await board.get<AgentAnswer>(`/api/agents/${key.id}`);
    expect(Object.keys(agent)[0]).toBe("pending");
    expect(agent.pending).toMatchObject({ op: "rotate", id: body.id, by: next.id });
    const { body: inbox } = await board.get<AgentAnswer>(`/api/inbox/${key.id}`);
    expect(Object.keys(inbox)[0]).toBe("pending");
    expect(inbox.pending).toEqual(agent.pending);
    for (const budget of [500, 8000]) {
      const { body: brief } = await board.get<BriefAnswer>(`/api/brief?agent=${key.id}&budget=${budget}`);
      expect(brief.sections[0]).toMatchObject({ name: "pending", items: [{ id: body.id, op: "rotate" }], omitted: 0 });
      const text = await (await fetch(`${board.url}/api/brief?agent=${key.id}&budget=${budget}&format=md`)).text();
      expect(text).toContain(body.id);
      expect(text.length).toBeLessThanOrEqual(budget);
    }
    expectRefusal(await board.post(next, { kind: "note", title: "too early" }), 409, "key_in_use");
    board.clock.advance(72 * HOUR_MS);
    expect(await agentOf(key)).toMatchObject({ current: next.id, pending: null });
    const { body: keys } = await board.get<{ operations: { type: string; state: string }[]; keys: { id: string }[] }>(
      `/api/agents/${next.id}/keys`,
    );
    expect(keys.operations).toMatchObject([{ type: "key_rotate", state: "counted" }]);
    expect(keys.keys.map(({ id }) => id).sort()).toEqual([key.id, next.id].sort());
    expect((await board.get<AgentAnswer>(`/api/inbox/${key.id}`)).body.pending).toBeUndefined();
  });
});

describe("a revocation", () => {
  test("ends leases and keeps aliases for the line; votes stay, and what came since is marked", async () => {
    const { key, next } = await line();
    const [asker, thief] = [board.agent(), board.agent()];
    const alias = freshAlias();
    await operateAlias(board, key, "claim", alias);
    const before = await board.put(key, { kind: "note", title: "before" });
    const task = await board.put(asker, { kind: "task", title: "work" });
    const finding = await board.put(asker, { kind: "finding", title: "so" });
    board.clock.advance(10_000);
    const from = seconds();
    const since = await board.put(key, { kind: "note", title: "since" });
    await board.put(key, { kind: "claim", refs: [{ rel: "claims", id: task.id }] });
    await board.put(key, { kind: "verification", body: "yes", refs: [{ rel: "verifies", id: finding.id }] });
    expect(await stage.act(key, key, { op: "revoke", from })).toBe("counted");
    expectRefusal(await board.post(key, { kind: "note", title: "again" }), 409, "key_revoked");
    expect((await board.record(since.id)).server.author).toMatchObject({ revoked_since: new Date(from * 1000).toISOString() });
    expect((await board.record(before.id)).server.author).not.toHaveProperty("revoked_since");
    expect((await board.record(task.id)).derived).toMatchObject({ status: "open", claimed_by: null });
    expect((await board.record(finding.id)).derived.verifies).toBe(1);
    expect((await board.get(`/api/aliases/${alias}`)).status).toBe(404);
    expectRefusal(await operateAlias(board, thief, "claim", alias), 409, "alias_taken");
    expect(await agentOf(key)).toMatchObject({ current: null, successor: null });
    expect(await stage.act(next, key, { op: "rotate" })).toBe("counted");
    expect((await operateAlias(board, next, "claim", alias)).status).toBe(201);
  });
});

describe("a delegation", () => {
  test("the child keeps its authorship, within its limits; the parent may retract and answers for it", async () => {
    const { key, next } = await line();
    const kid = await child(key, { kinds: ["note", "finding", "claim"], tags: ["Team"], posts_per_hour: 3 });
    const task = await board.put(board.agent(), { kind: "task", title: "t" });
    const limit = async (fields: Parameters<TestBoard["post"]>[1]) =>
      expectRefusal(await board.post(kid, fields), 409, "outside_delegation").details?.["limit"];
    expect(await limit({ kind: "task", title: "x", tags: ["team"] })).toBe("kinds");
    expect(await limit({ kind: "note", title: "x" })).toBe("tags");
    expect(await limit({ kind: "claim", tags: ["team"], refs: [{ rel: "claims", id: task.id }] })).toBe("claim");
    const note = await board.put(kid, { kind: "note", title: "by the child", tags: ["team"] });
    expect(note.server.author).toMatchObject({ id: kid.id, delegated_by: key.id });
    await board.put(kid, { kind: "note", title: "2", tags: ["team"] });
    await board.put(kid, { kind: "note", title: "3", tags: ["team", "more"] });
    expect(await limit({ kind: "note", title: "4", tags: ["team"] })).toBe("posts_per_hour");
    board.clock.advance(HOUR_MS);
    await board.put(kid, { kind: "finding", title: "5", tags: ["team"] });
    expect(await agentOf(key)).toMatchObject({ children: [kid.id] });
    expect(await agentOf(kid)).toMatchObject({ delegated_by: key.id, children: [] });
    expectRefusal(await operateAlias(board, kid, "claim", freshAlias()), 409, "outside_delegation");
    await board.put(key, { kind: "retraction", refs: [{ rel: "retracts", id: note.id }] });
    expect((await board.get(`/api/messages/${note.id}`)).status).toBe(410);
    // Renewed, taken back, and over with its time.
    expect(await stage.act(key, key, { op: "delegate", child: kid.pk, until: seconds() + 60, claim: true }, { child: kid })).toBe(
      "counted",
    );
    await board.put(kid, { kind: "claim", refs: [{ rel: "claims", id: task.id }] });
    expect(await stage.act(key, key, { op: "undelegate", child: kid.pk })).toBe("counted");
    expect(await limit({ kind: "note", title: "over" })).toBe("until");
    expect(await stage.act(key, key, { op: "delegate", child: kid.pk, until: seconds() + 60 }, { child: kid })).toBe("counted");
    expect(await stage.post(kid)).toBe("ok");
    board.clock.advance(61_000);
    expect(await stage.post(kid)).toBe("outside_delegation");
    expect(await stage.act(next, key, { op: "rotate" })).toBe("counted");
    expect(await stage.post(kid)).toBe("key_revoked");
    expect(await stage.act(next, next, { op: "delegate", child: kid.pk, until: seconds() + 60 }, { child: kid })).toBe("key_in_use");
  });

  test("a released alias waits 72 hours for its owner's line, and a thief's scope: all is final", async () => {
    const { key, next } = await line();
    const other = board.agent();
    const alias = freshAlias();
    await operateAlias(board, key, "claim", alias);
    await operateAlias(board, key, "release", alias);
    expectRefusal(await operateAlias(board, other, "claim", alias), 409, "alias_taken");
    const note = await board.put(key, { kind: "note", title: "mine" });
    expect(await stage.act(next, key, { op: "rotate" })).toBe("counted");
    expect((await operateAlias(board, next, "claim", alias)).status).toBe(201);
    await operateAlias(board, next, "release", alias);
    board.clock.advance(3 * DAY_MS);
    expect((await operateAlias(board, other, "claim", alias)).status).toBe(201);
    await board.put(next, { kind: "retraction", data: { scope: "all", board: await board.name() } });
    expect((await board.get(`/api/messages/${note.id}`)).status).toBe(410);
  });
});

// Keys that can be lost: races on a whole board, and the effects of rotation, revocation and delegation on everything else.
import { assert, asyncProperty } from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { BatchLedger } from "../../src/adapters/sql/batch/in-memory-ledger.ts";
import { checkConfigured } from "../../src/cli/operate/check.ts";
import { connect } from "../../src/client/board-handle.ts";
import { getPolicy, verifyReceipt } from "../../src/client/tlog.ts";
import { authorOf, KeyBook, lateOps } from "../../src/core/keys/replay-key-operations.ts";
import { DAY_MS, HOUR_MS } from "../../src/core/durations.ts";
import type { ErrorCode } from "../../src/core/errors.ts";
import type { Entry } from "../../src/core/log/chain.ts";
import { replayKey } from "../../src/core/message/key-acts.ts";
import { LIMITS } from "../../src/core/protocol/limits.ts";
import { idOf } from "../support/acks.ts";
import type { Agent } from "../support/agent.ts";
import { freshAlias, operateAlias } from "../support/aliases.ts";
import { TestBoard } from "../support/board.ts";
import { notes, putAll } from "../support/crowd.ts";
import { inTime } from "../support/in-time.ts";
import { configAt } from "../support/operator.ts";
import { attack, attacks, STRANGERS } from "../support/key-attacks.ts";
import { RACES } from "../support/key-races.ts";
import { BoardStage, hashOf, KEY_BITS, type KeyAct, LogStage, signed, type With } from "../support/key-stage.ts";
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

/** Sends an operation unchanged. */
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
  /** One after the other, because the log is not stored for as long as all these races take together. */
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

  test("the log alone shows who holds each agent, and agrees with the board", async () => {
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

describe("what an operation requires", () => {
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

  test("sent again by anyone who has read it, it costs its signer nothing", async () => {
    await using paced = await TestBoard.start({ flags: ["--rate-limits", "on", "--profile", "public", "--pow-bits", "4"] });
    const [key, next, recovery] = [paced.agent(), paced.agent(), paced.agent()];
    const name = await paced.name();
    const op = (signer: Agent, act: KeyAct) => {
      paced.clock.advance(1000);
      return paced.send(JSON.stringify(signed(signer, key, act, name, paced.clock.now())), "/api/keys");
    };
    expect((await op(key, { op: "commit", next: hashOf(next), recovery: hashOf(recovery) })).status).toBe(201);
    const pending = await op(key, { op: "commit", next: hashOf(recovery) });
    const veto = signed(recovery, key, { op: "veto", of: pending.body.id }, name, paced.clock.now());
    expect((await paced.send(JSON.stringify(veto), "/api/keys")).status).toBe(201);
    for (let n = 0; n < 10; n++) expect((await paced.send(JSON.stringify(veto), "/api/keys")).status).toBe(200);
    expect((await op(recovery, { op: "rotate" })).status).toBe(201);
  });

  test("it cannot be padded with white space, which would be stored and served without end", async () => {
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
    // A key that could only be followed by itself would lock its owner out.
    await bad({ op: "commit", next: hashOf(key) }, 400, "invalid_field");
    await bad({ op: "rotate", next: hashOf(key) }, 400, "invalid_field");
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
    let { key, next, recovery } = await line();
    const first = key;
    for (let count = 1; count < 32; count++) {
      const later = board.agent();
      expect(await stage.act(next, key, { op: "rotate", next: hashOf(later) })).toBe("counted");
      [key, next] = [next, later];
    }
    expect(await stage.act(next, key, { op: "rotate" })).toBe("too_many_keys");
    // However fast a thief rotates, the recovery key is not locked out.
    expect(await stage.act(recovery, first, { op: "rotate" })).toBe("counted");
    const parent = board.agent();
    for (let count = 0; count < 16; count++) await child(parent);
    const more = board.agent();
    const act = { op: "delegate" as const, child: more.pk, until: seconds() + 60 };
    expect(await stage.act(parent, parent, act, { child: more })).toBe("too_many_keys");
  });
});

test("an agent that delegates to ever new keys has 256 in a week, and may renew them; it withdraws what all of them posted", async () => {
  await using own = await TestBoard.start();
  const at = await BoardStage.on(own);
  const parent = own.agent();
  const now = () => Math.floor(own.clock.now() / 1000);
  const delegate = (made: Agent, act: Partial<KeyAct> = {}) =>
    at.act(parent, parent, { op: "delegate", child: made.pk, until: now() + 3, ...act } as KeyAct, { child: made });
  const kids = Array.from({ length: LIMITS.recent_children_per_agent }, () => own.agent());
  const first: string[] = [];
  for (const kid of kids) {
    expect(await delegate(kid)).toBe("counted");
    first.push((await own.put(kid, { kind: "note", title: "by a child" })).id);
  }
  expect(await delegate(own.agent())).toBe("too_many_keys");
  expect(await delegate(kids[0]!, { until: now() + 3600 })).toBe("counted");
  const everything = async () => own.put(parent, { kind: "retraction", data: { scope: "all", board: await own.name() } });
  const { id } = await everything();
  expect((await own.get<{ messages: { id: string }[] }>("/api/messages")).body.messages.map((one) => one.id)).toEqual([id]);
  expectRefusal(await own.get(`/api/messages/${first.at(-1)}`), 410, "retracted");
  expect(await checkConfigured(configAt(own.data), own.clock.now())).toMatchObject({ findings: [] });
  own.clock.advance(LIMITS.revoked_days * DAY_MS);
  expect(await delegate(own.agent())).toBe("counted");
});

test("the log of a board that allowed more delegated keys is still a log that the rules accept", async () => {
  const log = new LogStage();
  const parent = log.agent();
  for (let count = 0; count <= LIMITS.recent_children_per_agent; count++) {
    const made = log.agent();
    const until = Math.floor(log.now() / 1000) + 3;
    expect(await log.act(parent, parent, { op: "delegate", child: made.pk, until }, { child: made })).toBe("counted");
  }
  // The same for the replay of `operate check`.
  const ledger = new BatchLedger();
  ledger.set.syncLoader = { table: (name, key) => ledger.set[name].keep([key], []), window: ({ window, keep }) => keep([], window.wanted) };
  for (const { at, detail } of log.entries) {
    ledger.set.now = at;
    replayKey(ledger, detail ?? "");
  }
  expect(ledger.line(parent.id)?.children).toHaveLength(LIMITS.recent_children_per_agent + 1);
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
    // One vote, one signal, one holder, whichever of the keys acted.
    await board.put(next, { kind: "verification", body: "no", refs: [{ rel: "refutes", id: finding.id }] });
    expect((await board.record(finding.id)).derived).toMatchObject({ verifies: 0, refutes: 1 });
    expect((await board.put(next, { kind: "verification", body: "x", refs: [{ rel: "verifies", id: own.id }] })).warnings[0]?.code).toBe(
      "self_vote",
    );
    await board.put(next, { kind: "claim", refs: [{ rel: "claims", id: task.id }] });
    await board.put(next, { kind: "retraction", refs: [{ rel: "retracts", id: own.id }] });
    const page = async ({ id }: Agent) => (await fetch(`${board.url}/a/${id}`, { headers: { accept: "text/html" } })).text();
    expect(await page(key)).toMatch(new RegExp(`This key was replaced\\.</b>\\s*<a[^>]*href="/a/${next.id}"`));
    expect(await page(next)).toContain("It succeeds");
    const refused = expectRefusal(await board.post(key, { kind: "note", title: "late" }), 409, "key_revoked");
    expect(refused.details).toEqual({ successor: next.id });
    expectRefusal(await operateAlias(board, key, "claim", freshAlias()), 409, "key_revoked");
  });

  test("a pending operation is first in the agent's record and its inbox, and takes effect by itself", async () => {
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
    const page = await (await fetch(`${board.url}/a/${key.id}`, { headers: { accept: "text/html" } })).text();
    expect(page).toContain("A change of this agent’s key is pending.");
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

test("every operation of a line can always be proved, even when its entry is no longer in the log", async () => {
  await using old = await TestBoard.start();
  const own = await BoardStage.on(old);
  const [key, next] = [old.agent(), old.agent()];
  await old.put(key, { kind: "note", title: "first" });
  expect(await own.act(key, key, { op: "commit", next: hashOf(next) })).toBe("counted");
  expect(await own.act(next, key, { op: "rotate" })).toBe("counted");
  await putAll(
    old,
    notes(256, (i) => `note ${i}`),
  );
  interface KeyHistory {
    readonly operations: readonly { seq: number; type: string; digest: string; prev: string; hash: string; proof_url: string }[];
  }
  const before = (await old.get<KeyHistory>(`/api/agents/${key.id}/keys`)).body;
  const { changes } = (await old.get<Changes>("/api/changes?limit=10")).body;
  expect(before.operations.map(({ seq, digest, prev, hash }) => ({ seq, digest, prev, hash }))).toEqual(
    changes.slice(1, 3).map(({ seq, digest, prev, hash }) => ({ seq, digest, prev, hash })),
  );
  old.clock.advance(8 * DAY_MS);
  await old.get("/api/messages");
  old.clock.advance((LIMITS.log_days - 7) * DAY_MS);
  await old.put(old.agent(), { kind: "note", title: "a new day" });
  expect((await old.get<{ oldest_seq: number }>("/api/changes")).body.oldest_seq).toBe(257);
  expectRefusal(await old.get("/api/changes/1/proof"), 404, "not_found");
  expect((await old.get<KeyHistory>(`/api/agents/${next.id}/keys`)).body.operations).toEqual(before.operations);
  const policy = await getPolicy(connect(old.url));
  for (const { seq, type, digest, proof_url } of before.operations) {
    const proof = await inTime(old, async () => (await fetch(old.url + new URL(proof_url).pathname)).text());
    expect(await verifyReceipt(proof, policy)).toMatchObject({ seq, type, id: key.id, digest });
  }
  expect(await checkConfigured(configAt(old.data), old.clock.now())).toMatchObject({ findings: [] });
});

test("all messages of an agent are those of all keys of its line and all their children; of a child, only its own", async () => {
  await using own = await TestBoard.start();
  const at = await BoardStage.on(own);
  const [key, next, last, stranger] = [own.agent(), own.agent(), own.agent(), own.agent()];
  const delegated = async (parent: Agent): Promise<Agent> => {
    const made = own.agent();
    const until = Math.floor(own.clock.now() / 1000) + 3600;
    expect(await at.act(parent, parent, { op: "delegate", child: made.pk, until }, { child: made })).toBe("counted");
    return made;
  };
  const note = async (by: Agent): Promise<string> => (await own.put(by, { kind: "note", title: `by ${by.id}` })).id;
  const withdraw = async (by: Agent): Promise<unknown> =>
    own.put(by, { kind: "retraction", data: { scope: "all", board: await own.name() } });
  const left = async (): Promise<readonly string[]> => {
    const { body } = await own.get<{ messages: { id: string }[] }>("/api/messages?kind=note&limit=200");
    return body.messages.map(({ id }) => id).toSorted();
  };
  expect(await at.act(key, key, { op: "commit", next: hashOf(next) })).toBe("counted");
  const [kid, twin] = [await delegated(key), await delegated(key)];
  const ended = await delegated(key);
  const others = [await note(stranger)];
  const ofLine = [await note(key), await note(kid), await note(ended)];
  const ofTwin = await note(twin);
  expect(await at.act(key, key, { op: "undelegate", child: ended.pk })).toBe("counted");
  // A child withdraws its own messages, and no others.
  await withdraw(twin);
  expect(await left()).toEqual([...others, ...ofLine].toSorted());
  expect((await own.get(`/api/messages/${ofTwin}`)).status).toBe(410);
  expect(await at.act(next, key, { op: "rotate", next: hashOf(last) })).toBe("counted");
  ofLine.push(await note(next), await note(await delegated(next)));
  expect(await at.act(last, next, { op: "rotate" })).toBe("counted");
  ofLine.push(await note(last), await note(await delegated(last)));
  expect(await left()).toEqual([...others, ...ofLine].toSorted());
  await withdraw(last);
  expect(await left()).toEqual(others);
  expect(await checkConfigured(configAt(own.data), own.clock.now())).toMatchObject({ findings: [] });
});

test("a child undoes what its parent posted, unless its limits leave that out", async () => {
  const { key } = await line();
  const note = async (title: string): Promise<string> => (await board.put(key, { kind: "note", title })).id;
  const undo = async (by: Agent, id: string, rel: "retracts" | "supersedes"): Promise<unknown> => {
    const kind = rel === "retracts" ? "retraction" : "note";
    const { body } = await board.send(JSON.stringify(by.envelope({ kind, title: "undone", refs: [{ rel, id }] })));
    const { result, error } = body as { result?: string; error?: { code: string } };
    return result ?? error?.code;
  };
  const [free, limited, ofKinds] = [
    await child(key),
    await child(key, { rels: ["reply", "answers"] }),
    await child(key, { kinds: ["note", "answer"] }),
  ];
  expect(await undo(free, await note("one"), "retracts")).toBe("created");
  expect(await undo(free, await note("two"), "supersedes")).toBe("created");
  for (const rel of ["retracts", "supersedes"] as const)
    expect(await undo(limited, await note(`not ${rel}`), rel)).toBe("outside_delegation");
  expect(await undo(ofKinds, await note("three"), "retracts")).toBe("outside_delegation");
  expect(await undo(ofKinds, await note("four"), "supersedes")).toBe("created");
  // Nor do strangers.
  expect(await undo(board.agent(), await note("five"), "retracts")).toBe("not_author");
});

test("nothing that anybody does without the right key moves an alias, a lease or a vote", async () => {
  // Within the lifetime of the leases.
  const property = asyncProperty(attacks(12, [0, 1, 6, 12]), async (steps) => {
    const { key } = await line();
    const [asker, alias] = [board.agent(), freshAlias()];
    await operateAlias(board, key, "claim", alias);
    const task = await board.put(asker, { kind: "task", title: "work", ttl: "7d" });
    const finding = await board.put(asker, { kind: "finding", title: "so it is", ttl: "7d" });
    await board.put(key, { kind: "claim", lease: "7d", ttl: "7d", refs: [{ rel: "claims", id: task.id }] });
    await board.put(key, { kind: "verification", body: "checked", ttl: "7d", refs: [{ rel: "verifies", id: finding.id }] });
    const held = async () => ({
      alias: ((await board.get(`/api/aliases/${alias}`)).body as unknown as { agent: string }).agent,
      lease: (await board.record(task.id)).derived.claimed_by,
      votes: (await board.record(finding.id)).derived.verifies,
      voters: await ids(`/api/messages?verified_by=${key.id}`),
    });
    const before = await held();
    expect(before).toEqual({ alias: key.id, lease: key.id, votes: 1, voters: [finding.id] });
    await attack(
      stage,
      key,
      Array.from({ length: STRANGERS }, () => board.agent()),
      steps,
    );
    expect(await held()).toEqual(before);
    expect(await agentOf(key)).toMatchObject({ current: key.id, pending: null });
  });
  await assert(property, { numRuns: 12 });
});

describe("a revocation", () => {
  test("ends leases and reserves aliases for the line; votes stay, and later messages are marked", async () => {
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

test("messages of a thief's child are marked too, even after the thief has ended the delegation", async () => {
  for (const how of ["revoke", "rotate"] as const) {
    const { key, next } = await line();
    const early = await child(key, { until: seconds() + 60 });
    await board.put(early, { kind: "note", title: "by the owner's own child" });
    board.clock.advance(3_600_000);
    const from = seconds();
    const [gone, live] = [await child(key), await child(key)];
    const hidden = await board.put(gone, { kind: "note", title: "by a child of the thief" });
    const shown = await board.put(live, { kind: "note", title: "by another" });
    expect(await stage.act(key, key, { op: "undelegate", child: gone.pk })).toBe("counted");
    expect((await agentOf(key)) as unknown as { children: string[] }).toMatchObject({ children: [live.id] });
    if (how === "revoke") expect(await stage.act(key, key, { op: "revoke", from })).toBe("counted");
    else expect(await stage.act(next, key, { op: "rotate", from })).toBe("counted");
    const since = new Date(from * 1000).toISOString();
    for (const { id } of [hidden, shown]) expect((await board.record(id)).server.author).toMatchObject({ revoked_since: since });
    const { body } = await board.get<{ keys: { id: string; revoked_since: string | null }[] }>(`/api/agents/${key.id}/keys`);
    expect(body.keys.find(({ id }) => id === early.id)?.revoked_since).toBeNull();
  }
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
    // Votes of both count as those of one agent, and not on its own messages.
    const finding = await board.put(board.agent(), { kind: "finding", title: "judged by both" });
    const helper = await child(key);
    const judge = (by: Agent, rel: "verifies" | "refutes", id: string) =>
      board.put(by, { kind: "verification", body: `as ${by.id} sees it`, refs: [{ rel, id }] });
    await judge(key, "verifies", finding.id);
    await judge(helper, "verifies", finding.id);
    expect((await board.record(finding.id)).derived).toMatchObject({ verifies: 1, refutes: 0 });
    await judge(helper, "refutes", finding.id);
    expect((await board.record(finding.id)).derived).toMatchObject({ verifies: 0, refutes: 1 });
    const own = await board.put(helper, { kind: "finding", title: "by a child" });
    expect((await judge(key, "verifies", own.id)).warnings.map(({ code }) => code)).toContain("self_vote");
    expect((await board.record(own.id)).derived.verifies).toBe(0);
    // Renewed, ended early, and ended by time.
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

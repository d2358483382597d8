// What the keys of one line share: what was read, who may block it, rate limits, and counts.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { DAY_MS } from "../../src/core/durations.ts";
import { acknowledge } from "../support/acks.ts";
import type { Agent } from "../support/agent.ts";
import { freshAlias, operateAlias } from "../support/aliases.ts";
import { TestBoard } from "../support/board.ts";
import { BoardStage, hashOf, type KeyAct, signed } from "../support/key-stage.ts";
import { placeOf, runHere } from "../support/program.ts";
import { expectRefusal } from "../support/refusal.ts";

let board: TestBoard;
let stage: BoardStage;
beforeAll(async () => {
  board = await TestBoard.start();
  stage = await BoardStage.on(board);
});
afterAll(() => board[Symbol.asyncDispose]());

interface AgentAnswer {
  readonly messages: { readonly total: number; readonly live: number };
  readonly reads_to_seq: number;
  readonly last_ack: string | null;
  readonly profile: { readonly id: string } | null;
}
const agentOf = async ({ id }: Agent) => (await board.get<AgentAnswer>(`/api/agents/${id}`)).body;
async function operate(...args: readonly string[]): Promise<string> {
  const said = await runHere(["operate", ...args, ...placeOf(board.data), "--yes", "--json"]);
  expect({ args, code: said.code, stderr: said.stderr }).toEqual({ args, code: 0, stderr: "" });
  return said.stdout;
}
const until = () => Math.floor(board.clock.now() / 1000) + 86_400;

async function line(): Promise<{ key: Agent; next: Agent }> {
  const [key, next] = [board.agent(), board.agent()];
  expect(await stage.act(key, key, { op: "commit", next: hashOf(next) })).toBe("counted");
  return { key, next };
}
async function childOf(parent: Agent, limits: Partial<Extract<KeyAct, { op: "delegate" }>> = {}): Promise<Agent> {
  const child = board.agent();
  expect(await stage.act(parent, parent, { op: "delegate", child: child.pk, until: until(), ...limits }, { child })).toBe("counted");
  return child;
}

describe("acknowledgements", () => {
  test("of a child that may, and of the successor, are those of the agent", async () => {
    const { key, next } = await line();
    const sender = board.agent();
    const [silent, reader] = [await childOf(key), await childOf(key, { ack: true })];
    const sent = [];
    for (const title of ["one", "two", "three"]) sent.push(await board.put(sender, { kind: "task", title, to: key.id }));
    const [one, two, three] = sent as [(typeof sent)[0], (typeof sent)[0], (typeof sent)[0]];
    const delivery = async ({ id }: { id: string }) => (await board.record(id)).derived.delivery?.state;

    const refused = expectRefusal(await acknowledge(board, silent, { acted: [one.id] }), 409, "outside_delegation");
    expect(refused.details).toMatchObject({ limit: "ack", delegated_by: key.id });
    expect((await acknowledge(board, reader, { acted: [one.id], seen: one.seq })).status).toBe(201);
    expect([await delivery(one), await delivery(two)]).toEqual(["acted", "stored"]);
    for (const agent of [key, reader]) expect(await agentOf(agent)).toMatchObject({ reads_to_seq: one.seq });

    expect(await stage.act(next, key, { op: "rotate" })).toBe("counted");
    for (const dead of [key, reader]) expectRefusal(await acknowledge(board, dead, { acted: [two.id] }), 409, "key_revoked");
    expect((await acknowledge(board, next, { declined: [{ id: two.id, why: "busy" }], seen: two.seq })).status).toBe(201);
    expect([await delivery(two), await delivery(three)]).toEqual(["declined", "stored"]);
    for (const agent of [key, reader, next]) expect(await agentOf(agent)).toMatchObject({ reads_to_seq: two.seq });
    for (const agent of [key, next]) {
      const { body } = await board.get<{ seen: number; messages: { id: string }[] }>(`/api/inbox/${agent.id}?unread=1`);
      expect([body.seen, body.messages.map(({ id }) => id)]).toEqual([two.seq, [three.id]]);
    }
  });

  test("of a child keep its parent's alias", async () => {
    const { key } = await line();
    const reader = await childOf(key, { ack: true, until: until() + 6 * 86_400 });
    const alias = freshAlias();
    expect((await operateAlias(board, key, "claim", alias)).status).toBe(201);
    const { seq } = await board.put(board.agent(), { kind: "note", title: "for it", to: key.id });
    board.clock.advance(6 * DAY_MS);
    expect((await acknowledge(board, reader, { seen: seq })).status).toBe(201);
    board.clock.advance(25 * DAY_MS);
    expect((await board.get<{ agent: string }>(`/api/aliases/${alias}`)).body).toMatchObject({ agent: key.id });
  });
});

describe("work", () => {
  interface Work {
    readonly messages: readonly { readonly id: string; readonly match?: { readonly rejected?: readonly string[] } }[];
  }
  async function rotated(): Promise<{ first: Agent; second: Agent }> {
    const { key, next } = await line();
    expect(await stage.act(next, key, { op: "rotate" })).toBe("counted");
    return { first: key, second: next };
  }
  /** This piece of work, if it is among what is offered to the agent. */
  async function offered({ id }: { id: string }, to: Agent) {
    const { messages } = (await board.get<Work>(`/api/work?as=${to.id}`)).body;
    return messages.find((one) => one.id === id);
  }

  test("from which an agent is barred is not offered to its next key, which could not claim it", async () => {
    const { first, second } = await rotated();
    const author = board.agent();
    const task = await board.put(author, { kind: "task", title: "taken away" });
    const claim = { kind: "claim", refs: [{ rel: "claims" as const, id: task.id }] };
    const held = await board.put(second, claim);
    await board.put(author, { kind: "signal", signal: "stale", refs: [{ rel: "on", id: held.id }] });
    board.clock.advance(1000);
    expectRefusal(await board.post(second, claim), 409, "reserved");
    for (const key of [first, second]) expect(await offered(task, key)).toBeUndefined();
    expect(await offered(task, board.agent())).toBeDefined();
  });

  test("that is addressed to an agent's former key is offered to the next one, which can claim it", async () => {
    const { first, second } = await rotated();
    const task = await board.put(board.agent(), { kind: "task", title: "for it alone", to: first.id });
    expect(await offered(task, second)).toBeDefined();
    expect(await offered(task, board.agent())).toBeUndefined();
    await board.put(second, { kind: "claim", refs: [{ rel: "claims", id: task.id }] });
  });

  test("that is open again names the answer which the next key of its author rejected", async () => {
    const { second } = await rotated();
    const task = await board.put(second, { kind: "task", title: "asked" });
    const answer = await board.put(board.agent(), { kind: "result", body: "so", refs: [{ rel: "answers", id: task.id }] });
    await board.put(board.agent(), { kind: "verification", body: "yes", refs: [{ rel: "verifies", id: answer.id }] });
    await board.put(second, { kind: "verification", body: "no", refs: [{ rel: "refutes", id: answer.id }] });
    expect(await offered(task, board.agent())).toMatchObject({ match: { rejected: [answer.id] } });
  });
});

test("an agent's record counts and shows what any of its keys did", async () => {
  const { key, next } = await line();
  const child = await childOf(key);
  const profile = await board.put(key, { kind: "profile", body: "Who I am" });
  await board.put(child, { kind: "note", title: "by the child" });
  expect(await stage.act(next, key, { op: "rotate" })).toBe("counted");
  await board.put(next, { kind: "note", title: "by the successor" });
  for (const agent of [key, next, child])
    expect(await agentOf(agent)).toMatchObject({ messages: { total: 3, live: 3 }, profile: { id: profile.id } });
  const newer = await board.put(next, { kind: "profile", body: "Who I am now" });
  expect((await agentOf(key)).profile).toMatchObject({ id: newer.id });
  // A key without any key operation has its own record.
  const plain = board.agent();
  await board.put(plain, { kind: "note", title: "alone" });
  expect(await agentOf(plain)).toMatchObject({ messages: { total: 1, live: 1 }, reads_to_seq: 0, last_ack: null, profile: null });
});

test("a block applies to the whole line and its delegates, whichever key it names, until it is lifted", async () => {
  const { key, next } = await line();
  const later = board.agent();
  expect(await stage.act(next, key, { op: "rotate", next: hashOf(later) })).toBe("counted");
  const child = await childOf(next, { ack: true });
  const sent = await board.put(board.agent(), { kind: "note", title: "for it", to: key.id });
  await board.send(JSON.stringify({ target: key.id, category: "spam", explanation: "Nothing but advertising." }), "/api/reports");
  expect(await operate("reports", "list")).toContain(key.id);
  await operate("block-key", next.id, "--category", "spam", "--ground", "incompatible_content", "--facts", "Advertising.");
  for (const agent of [next, child]) {
    expectRefusal(await board.post(agent, { kind: "note", title: "still here" }), 451, "blocked_key");
    expectRefusal(await acknowledge(board, agent, { acted: [sent.id] }), 451, "blocked_key");
  }
  expectRefusal(await operateAlias(board, next, "claim", freshAlias()), 451, "blocked_key");
  expect(await stage.act(later, next, { op: "rotate" })).toBe("blocked_key");
  const grown = board.agent();
  expect(await stage.act(next, next, { op: "delegate", child: grown.pk, until: until() }, { child: grown })).toBe("blocked_key");
  expect(await operate("reports", "list")).not.toContain(key.id);
  await operate("unblock-key", key.id);
  expect(await stage.post(child)).toBe("ok");
  expect(await stage.act(later, next, { op: "rotate" })).toBe("counted");
  expect(await stage.post(later)).toBe("ok");
});

describe("limits", () => {
  test("a child's posts and acknowledgements are taken from its parent's buckets; key operations have one of their own", async () => {
    await using paced = await TestBoard.start({ flags: ["--rate-limits", "on", "--profile", "public", "--pow-bits", "4"] });
    const own = await BoardStage.on(paced);
    const [parent, one, other] = [paced.agent(), paced.agent(), paced.agent()];
    const end = Math.floor(paced.clock.now() / 1000) + 86_400;
    for (const child of [one, other]) {
      const act = { op: "delegate" as const, child: child.pk, until: end, posts_per_hour: 3600, ack: true };
      expect(await own.act(parent, parent, act, { child })).toBe("counted");
    }
    const { body } = await paced.get<{ limits: { rates: { scope: string; burst: number }[] } }>("/api/kinds");
    const burst = (scope: string) => body.limits.rates.find((rate) => rate.scope === scope)?.burst ?? 0;
    // All three together may post no more than one agent, and each is told how much is left for all.
    let [stored, tried] = [0, 0];
    const left: number[] = [];
    for (; tried < burst("agent_writes") + 3; tried++) {
      const by = [parent, one, other][tried % 3] as Agent;
      const { payload } = by.envelope({ kind: "note", title: `post ${tried}` });
      // Eight extra bits take little of the address's allowance, so that the agent's own allowance ends first.
      const { status, headers } = await paced.send(JSON.stringify(by.seal(payload, undefined, 12)));
      if (status !== 201) continue;
      stored++;
      left.push(Number(/"agent_writes";r=(\d+)/.exec(headers.get("ratelimit") ?? "")?.[1]));
    }
    expect([stored, burst("agent_writes") > 5]).toEqual([burst("agent_writes"), true]);
    expect(left).toEqual(left.map((_, i) => burst("agent_writes") - 1 - i));
    // Two of five are used.
    const name = await paced.name();
    const statuses: number[] = [];
    for (let i = 0; i < 5; i++) {
      const act = { op: "undelegate" as const, child: i % 2 === 0 ? one.pk : other.pk };
      const envelope = signed(parent, parent, act, name, paced.clock.now() + (i + 1) * 1000);
      statuses.push((await paced.send(JSON.stringify(envelope), "/api/keys")).status);
    }
    expect(statuses).toEqual([201, 201, 201, 429, 429]);
  });

  test("alias operations of a successor are taken from the bucket of the key before it", async () => {
    await using paced = await TestBoard.start({ flags: ["--rate-limits", "on", "--profile", "public", "--pow-bits", "4"] });
    const own = await BoardStage.on(paced);
    const [key, next] = [paced.agent(), paced.agent()];
    const left = ({ headers }: { readonly headers: Headers }) => Number(/"agent_writes";r=(\d+)/.exec(headers.get("ratelimit") ?? "")?.[1]);
    expect(await own.act(key, key, { op: "commit", next: hashOf(next) })).toBe("counted");
    const { payload } = key.envelope({ kind: "note", title: "before" });
    const before = left(await paced.send(JSON.stringify(key.seal(payload, undefined, 12))));
    expect(await own.act(next, key, { op: "rotate" })).toBe("counted");
    const claimed = await operateAlias(paced, next, "claim", freshAlias());
    expect([claimed.status, left(claimed)]).toEqual([201, before - 1]);
  });
});

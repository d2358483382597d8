// Claims over HTTP: one holder at a time, however many agents try at once.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { HOUR_MS } from "../../src/core/durations.ts";
import type { Agent } from "../support/agent.ts";
import { TestBoard } from "../support/board.ts";
import { expectRefusal } from "../support/refusal.ts";

const claim = (id: string, lease?: string) => ({
  kind: "claim",
  refs: [{ rel: "claims" as const, id }],
  ...(lease === undefined ? {} : { lease }),
});
const iso = (ms: number) => new Date(ms).toISOString();

let board: TestBoard;
let author: Agent;
let worker: Agent;
let rival: Agent;
beforeAll(async () => {
  board = await TestBoard.start();
  [author, worker, rival] = [board.agent(), board.agent(), board.agent()];
});
afterAll(() => board[Symbol.asyncDispose]());

let tasks = 0;
const task = (more: object = {}) => board.put(author, { kind: "task", title: `work ${tasks++}`, ...more });

test("if 50 agents claim at the same moment, one gets the work, and 49 learn who has it and what else is open", async () => {
  const others = await Promise.all(Array.from({ length: 5 }, () => task()));
  const closed = await task({ refs: [{ rel: "duplicates", id: others[0]?.id }] });
  const { id } = await task();
  const agents = Array.from({ length: 50 }, () => board.agent());
  const bodies = agents.map((agent) => JSON.stringify(agent.envelope(claim(id, "2h"))));
  const answers = await Promise.all(bodies.map((body) => board.send(body)));
  expect(answers.filter((answer) => answer.status === 201)).toHaveLength(1);
  const winner = agents[answers.findIndex((answer) => answer.status === 201)]?.id;
  const open = new Set(others.map((one) => one.id));
  const refused = answers.filter((answer) => answer.status !== 201);
  expect(refused).toHaveLength(49);
  for (const answer of refused) {
    const { details } = expectRefusal(answer, 409, "already_claimed");
    expect(details).toMatchObject({ claimed_by: winner, lease_until: iso(board.clock.now() + 2 * HOUR_MS) });
    const alternatives = ((details?.["alternatives"] ?? []) as { id: string }[]).map(({ id }) => id);
    expect(alternatives).toHaveLength(3);
    for (const other of alternatives) expect(open.has(other), other).toBe(true);
    expect(alternatives).not.toContain(closed.id);
  }
  expect((await board.record(id)).derived).toMatchObject({ status: "claimed", claimed_by: winner });
  const { changes } = (await board.get<{ changes: { id: string; type: string }[] }>("/api/changes?limit=1000")).body;
  expect(changes.filter((entry) => entry.id === id).map((entry) => entry.type)).toEqual(["create", "status"]);
});

describe("the holder", () => {
  test("has four hours unless it says otherwise, and renews by claiming again", async () => {
    const { id } = await task();
    await board.put(worker, claim(id));
    expect((await board.record(id)).derived.lease_until).toBe(iso(board.clock.now() + 4 * HOUR_MS));
    board.clock.advance(HOUR_MS);
    await board.put(worker, claim(id, "72h"));
    expect((await board.record(id)).derived.lease_until).toBe(iso(board.clock.now() + 72 * HOUR_MS));
    board.clock.advance(4 * HOUR_MS);
    expectRefusal(await board.post(rival, claim(id)), 409, "already_claimed");
  });
  test("gives the work back by retracting its claim, at once and for everyone", async () => {
    const { id } = await task();
    const held = await board.put(worker, claim(id));
    expectRefusal(await board.post(rival, { kind: "retraction", refs: [{ rel: "retracts", id: held.id }] }), 409, "not_author");
    await board.put(worker, { kind: "retraction", refs: [{ rel: "retracts", id: held.id }] });
    expect((await board.record(id)).derived).toMatchObject({ status: "open", claimed_by: null, lease_until: null });
    await board.put(rival, claim(id));
    expect((await board.record(id)).derived.claimed_by).toBe(rival.id);
  });
  test("keeps the work when it retracts a claim that it has renewed", async () => {
    const { id } = await task();
    const first = await board.put(worker, claim(id));
    await board.put(worker, {
      kind: "claim",
      lease: "1h",
      refs: [
        { rel: "claims", id },
        { rel: "supersedes", id: first.id },
      ],
    });
    expect((await board.record(id)).derived.lease_until).toBe(iso(board.clock.now() + HOUR_MS));
    await board.put(worker, { kind: "retraction", refs: [{ rel: "retracts", id: first.id }] });
    expect((await board.record(id)).derived.claimed_by).toBe(worker.id);
  });
});

describe("work that cannot be claimed", () => {
  test("reserved: addressed to another agent", async () => {
    const { id } = await task({ to: worker.id });
    expect(expectRefusal(await board.post(rival, claim(id)), 409, "reserved").details).toEqual({ id, to: worker.id });
    expectRefusal(await board.post(author, claim(id)), 409, "reserved");
    await board.put(worker, claim(id));
  });
  test("target_resolved: its author has said that it is done, until that word is taken back", async () => {
    const { id } = await task();
    const done = await board.put(author, { kind: "signal", signal: "resolved", refs: [{ rel: "on", id }] });
    expectRefusal(await board.post(worker, claim(id)), 409, "target_resolved");
    await board.put(author, { kind: "retraction", refs: [{ rel: "retracts", id: done.id }] });
    await board.put(worker, claim(id));
  });
  test("another agent's word that it is done changes nothing", async () => {
    const { id } = await task();
    await board.put(rival, { kind: "signal", signal: "resolved", refs: [{ rel: "on", id }] });
    expect((await board.record(id)).derived).toMatchObject({ status: "open", signals: { resolved: 1 } });
    await board.put(worker, claim(id));
  });
  test("target_resolved: it repeats another task", async () => {
    const { id } = await task({ refs: [{ rel: "duplicates", id: "0".repeat(64) }] });
    expectRefusal(await board.post(worker, claim(id)), 409, "target_resolved");
  });
  test("target_not_workable, target_unknown, target_gone", async () => {
    const note = await board.put(author, { kind: "note", body: "no work" });
    expect(expectRefusal(await board.post(worker, claim(note.id)), 409, "target_not_workable").message).toContain("is a note, not a task");
    const offer = await board.put(author, { kind: "offer", title: "no work either", offers: ["maps"] });
    expect(expectRefusal(await board.post(worker, claim(offer.id)), 409, "target_not_workable").message).toContain("is an offer, not");
    expectRefusal(await board.post(worker, claim("1".repeat(64))), 409, "target_unknown");
    const { id } = await task();
    const next = await board.put(author, { kind: "task", title: "better", refs: [{ rel: "supersedes", id }] });
    const { details } = expectRefusal(await board.post(worker, claim(id)), 409, "target_gone");
    expect(details).toMatchObject({ reason: "superseded", superseded_by: next.id });
  });
});

test("a post that acts on others is answered with their new state, if requested", async () => {
  const { id } = await task();
  const posted = async (by: Agent, fields: Parameters<Agent["envelope"]>[0], more = "?targets=1") =>
    (await board.send(JSON.stringify(by.envelope(fields)), `/api/messages${more}`)).body as unknown as { id: string; targets?: object[] };
  const claimed = await posted(worker, claim(id, "1h"));
  const until = iso(board.clock.now() + HOUR_MS);
  expect(claimed.targets).toEqual([{ id, kind: "task", status: "claimed", claimed_by: worker.id, lease_until: until }]);
  const result = await posted(worker, { kind: "result", body: "done", refs: [{ rel: "answers", id }] });
  expect(result.targets).toMatchObject([{ id, status: "answered" }]);
  const check = { kind: "verification", body: "I looked", refs: [{ rel: "verifies" as const, id: result.id }] };
  expect((await posted(rival, check)).targets).toMatchObject([{ id: result.id, kind: "result", status: "verified" }]);
  expect((await posted(rival, { kind: "note", title: "acts on nothing" })).targets).toEqual([]);
  expect(await posted(rival, { kind: "note", title: "not asked" }, "")).not.toHaveProperty("targets");
});

// The hub and what is cheap to send and names long messages: acknowledgements, and votes that turn a status back and forth.
import { expect, test } from "vitest";
import { Agent } from "../../../test/support/agent.ts";
import { Listener, World } from "../../../test/support/hub-world.ts";
import { type Condition, hasAny, oneOf } from "../../core/query/condition.ts";
import { parseQuery } from "../../core/search/query.ts";
import { atTheCostOf } from "../../ports/cpu-slices.ts";
import { liveFilter } from "./filter.ts";
import { MatchedMessages } from "./text-filter-matches.ts";

const LONG_MS = 10;

const postTo = (world: World, reader: Agent, titles: readonly string[]): string[] =>
  titles.map((title) => world.post("finding", title, { to: reader.id }));

/** A vote of the agent on all of these messages. */
function vote(world: World, { pk }: Agent, rel: "verifies" | "refutes", ids: readonly string[]): void {
  const refs = ids.map((id) => ({ rel, id }));
  const text = JSON.stringify({ v: 1, pk, ts: 0, kind: "verification", body: `${rel} ${world.head}`, refs });
  expect(world.board.post(text, world.clock.now())).toBe("created");
}

test("acknowledgements of long messages make no words, whatever streams search for, and reach those who follow one of the messages", async () => {
  using world = new World();
  const reader = new Agent(() => 0);
  const [plain, needles, threads, both] = [new Listener(), new Listener(), new Listener(), new Listener()];
  const [early = ""] = postTo(world, reader, ["an early needle"]);
  await world.followed();
  world.hub.attach(world.filter(), plain);
  const known = new MatchedMessages();
  known.add(world.head);
  world.hub.attach(world.byWord("needle"), needles, known);
  world.hub.attach(world.byWord("thread"), threads, new MatchedMessages());
  world.hub.attach(world.byWord("needle", "task"), both, new MatchedMessages());
  const [late = "", thread = "", hay = ""] = postTo(world, reader, ["a late needle", "a thread", "hay"]);
  await world.followed();
  const { documents } = world.words;
  const acks: Record<string, number> = {};
  for (const [name, ids] of Object.entries({ early: [early], late: [hay, late], thread: [thread, hay], hay: [hay] })) {
    world.acknowledge(reader, ids);
    acks[name] = world.head;
    await world.followed();
  }
  await plain.received(7);
  expect(plain.got.slice(-4)).toEqual(Object.values(acks));
  expect([needles.got, threads.got, both.got]).toEqual([[2, acks["early"], acks["late"]], [3, acks["thread"]], []]);
  expect(world.words.documents).toBe(documents);
});

test("the words of a message are made once for all filters that need them, and not if the rest of none of them fits", async () => {
  using world = new World();
  const text = Array.from({ length: 4 }, () => new Listener());
  for (const [n, listener] of text.entries()) world.hub.attach(world.byWord(n === 0 ? "needle" : `needle${n}`, "note"), listener);
  world.post("note", "a needle");
  world.post("task", "a needle");
  await world.followed();
  await text[0]?.received(1);
  expect(text.map(({ got }) => got)).toEqual([[1], [], [], []]);
  expect(world.words.documents).toBe(1);
});

test("a status that votes turn back and forth makes the words of its message once more, and never again", async () => {
  using world = new World();
  const voter = new Agent(() => 0);
  const [needles, verified] = [new Listener(), new Listener()];
  world.hub.attach(world.byWord("needle"), needles);
  const query = parseQuery("needle", "all");
  const text = { query, near: undefined, except: undefined, vectorOf: () => new Int8Array() };
  const conditions: readonly Condition[] = [oneOf("status", ["verified"])];
  world.hub.attach(
    liveFilter("verified needles", () => conditions, text, world.clock),
    verified,
  );
  const ids = ["a needle", "hay"].map((title) => world.post("finding", title));
  await world.followed();
  expect(world.words.documents).toBe(2);
  const heard: number[] = [];
  for (let round = 0; round < 6; round++) {
    vote(world, voter, round % 2 === 0 ? "verifies" : "refutes", ids);
    await world.followed();
    heard.push(world.words.documents - 2);
  }
  // Two messages and the vote itself, then only votes.
  expect(heard).toEqual([3, 4, 5, 6, 7, 8]);
  // If the log was set back, the numbers of messages may mean others.
  world.hub.goBack(world.head);
  vote(world, voter, "verifies", ids);
  await world.followed();
  expect(world.words.documents - 2).toBe(8 + 3);
  // The message, and its status each time; the other filter fits before or after each of them.
  await needles.received(8);
  await verified.received(7);
  expect([needles.got.length, verified.got.length]).toEqual([8, 7]);
});

test("the words of a message are made at the cost of readers who search", async () => {
  using world = new World();
  world.words.onDocument = () => {
    for (const began = performance.now(); performance.now() - began < LONG_MS;);
  };
  const owed: number[] = [];
  const share = { lane: "reader", spend: () => {}, owe: (ms: number) => void owed.push(ms) };
  const listener = new Listener();
  atTheCostOf(share, () => world.hub.attach(world.byWord("needle"), listener));
  world.post("note", "needle");
  await world.followed();
  await listener.received(1);
  expect(owed.reduce((sum, ms) => sum + ms, 0)).toBeGreaterThanOrEqual(LONG_MS);
});

test("who voted on messages is read once, however often they are acknowledged, and again when they got another vote", async () => {
  using world = new World();
  const [reader, voter, other] = [new Agent(() => 0), new Agent(() => 0), new Agent(() => 0)];
  const [byVoter, byOther] = [new Listener(), new Listener()];
  // Not addressed to the reader but in reply to it, so that the acknowledgement leaves their state as it is.
  const root = JSON.stringify({ v: 1, pk: reader.pk, ts: 0, kind: "note", title: "root" });
  expect(world.board.post(root, world.clock.now())).toBe("created");
  const [{ id } = { id: "" }] = await world.board.reads.entries(0, 1);
  const ids = Array.from({ length: 64 }, (_, n) => world.post("finding", `finding ${n}`, { refs: [{ rel: "reply", id }] }));
  for (let at = 0; at < ids.length; at += 16) vote(world, voter, "verifies", ids.slice(at, at + 16));
  await world.followed();
  for (const [agent, listener] of [
    [voter, byVoter],
    [other, byOther],
  ] as const)
    world.hub.attach(
      liveFilter(agent.id, () => [hasAny("verifiedBy", [agent.id])], world.filter().text, world.clock),
      listener,
    );
  for (let turn = 0; turn < 20; turn++) {
    world.acknowledge(reader, ids, turn);
    if (turn % 3 === 0) await world.followed();
  }
  const acks = world.head;
  await world.followed();
  expect(world.votersRead).toEqual([64]);
  await byVoter.received(20);
  expect(byOther.got).toEqual([]);
  vote(world, other, "verifies", ids.slice(0, 1));
  world.acknowledge(reader, ids.slice(0, 1));
  await world.followed();
  await byOther.received(1);
  expect([byVoter.got.at(-1), byOther.got]).toEqual([world.head, [world.head]]);
  expect(world.head).toBe(acks + 2);
  expect(world.votersRead).toEqual([64, 1]);
});

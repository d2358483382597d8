// A message about which very much is to be told to inboxes: what is kept for it is bounded, so its end is short, and nobody's news is lost.
import { expect, test } from "vitest";
import { checkConfigured } from "../../src/cli/operate/check.ts";
import { LIMITS } from "../../src/core/protocol/limits.ts";
import { acknowledge } from "../support/acks.ts";
import type { Agent } from "../support/agent.ts";
import { TestBoard } from "../support/board.ts";
import { openBeside } from "../support/database.ts";
import { configAt } from "../support/operator.ts";
import { WITHOUT_ACTOR } from "../support/old-inbox-items.ts";
import { onPostgres } from "../support/postgres/database.ts";

interface Change {
  readonly seq: number;
  readonly from?: string;
  readonly to: string;
}
interface Inbox {
  readonly messages: readonly { readonly id: string; readonly reason: string; readonly change: Change }[];
}

const told = async (board: TestBoard, { id }: Agent, query: string): Promise<readonly Change[]> =>
  (await board.get<Inbox>(`/api/inbox/${id}?limit=200&${query}`)).body.messages.map(({ change }) => change);
const findingsOf = async (board: TestBoard) => (await checkConfigured(configAt(board.data), board.clock.now())).findings;
const items = (board: TestBoard): number => {
  using db = openBeside(board.data);
  return Number(db.prepare("SELECT count(*) AS n FROM inbox_changes").get()?.["n"]);
};

/** A message that replies to these agents. */
async function replyTo(board: TestBoard, author: Agent, readers: readonly Agent[]): Promise<string> {
  const refs = [];
  for (const one of readers) refs.push({ rel: "reply" as const, id: (await board.put(one, { kind: "note", title: `by ${one.id}` })).id });
  return (await board.put(author, { kind: "note", body: "to all of you", refs })).id;
}

test("the same acknowledgement again and again is no news: the author is told once, and once more when it changes", async () => {
  await using board = await TestBoard.start();
  const [author, ann, bob] = [board.agent(), board.agent(), board.agent()];
  const id = await replyTo(board, author, [ann, bob]);
  const acted = (reader: Agent) => {
    board.clock.advance(1000);
    return acknowledge(board, reader, { acted: [id] });
  };
  const { seq: first } = (await acted(ann)).body;
  for (let n = 0; n < 5; n++) expect((await acted(ann)).status).toBe(201);
  const { seq: ofBob } = (await acted(bob)).body;
  await acted(ann);
  expect(await told(board, author, "reason=ack")).toMatchObject([
    { seq: ofBob, to: "acted" },
    { seq: first, to: "acted" },
  ]);
  const { seq: changed } = (await acknowledge(board, ann, { declined: [{ id, why: "busy" }] })).body;
  expect(await told(board, author, `reason=ack&after_seq=${ofBob}`)).toMatchObject([{ seq: changed, to: "declined" }]);
  // What it said before no longer holds.
  expect(await told(board, author, "reason=ack")).toMatchObject([
    { seq: changed, to: "declined" },
    { seq: ofBob, to: "acted" },
  ]);
  expect(await findingsOf(board)).toEqual([]);
});

test("a board of the version before, which told of each acknowledgement, comes to the same items", async () => {
  const board = await TestBoard.start();
  const [author, ann, bob] = [board.agent(), board.agent(), board.agent()];
  const id = await replyTo(board, author, [ann, bob]);
  for (const reader of [ann, bob, ann, ann, bob, bob]) {
    board.clock.advance(1000);
    await acknowledge(board, reader, { acted: [id] });
  }
  const kept = await told(board, author, "reason=ack");
  await board.stop();
  {
    using db = openBeside(board.data);
    db.exec(`INSERT INTO inbox_changes (agent, seq, target, at, reason, was, became)
      SELECT c.agent, l.seq, c.target, l.at, 'ack', NULL, 'acted' FROM log l JOIN inbox_changes c ON l.type = 'ack' AND l.seq > c.seq
      WHERE c.seq = (SELECT min(seq) FROM inbox_changes) AND l.seq NOT IN (SELECT seq FROM inbox_changes)`);
    expect(db.prepare("SELECT count(*) AS n FROM inbox_changes").get()).toMatchObject({ n: 6 });
    db.exec(WITHOUT_ACTOR);
    db.exec(onPostgres() ? "UPDATE blackboard_schema SET version = 13" : "PRAGMA user_version = 13");
  }
  await using upgraded = await TestBoard.start({ data: board.data, clock: board.clock });
  expect(await told(upgraded, author, "reason=ack")).toEqual(kept);
  expect(await findingsOf(upgraded)).toEqual([]);
});

test("agents that take back and renew what they acknowledged for hours store one item each, and all of these go with the message", async () => {
  await using board = await TestBoard.start();
  const author = board.agent();
  const readers = Array.from({ length: 16 }, () => board.agent());
  const id = await replyTo(board, author, readers);
  for (let n = 0; n < 6; n++) {
    board.clock.advance(1000);
    for (const reader of readers) {
      const what = n % 2 === 0 ? { acted: [id] } : { declined: [{ id, why: "busy" }] };
      expect((await acknowledge(board, reader, what)).status).toBe(201);
    }
  }
  expect(items(board)).toBe(readers.length);
  expect(await findingsOf(board)).toEqual([]);
  await board.put(author, { kind: "retraction", refs: [{ rel: "retracts", id }] });
  expect(items(board)).toBe(0);
  expect(await findingsOf(board)).toEqual([]);
});

test("the sender of a message is told once that its addressee changed its mind, and from what", async () => {
  await using board = await TestBoard.start();
  const [author, reader] = [board.agent(), board.agent()];
  const { id } = await board.put(author, { kind: "task", title: "for you", to: reader.id });
  await acknowledge(board, reader, { acted: [id] });
  await acknowledge(board, reader, { declined: [{ id, why: "cannot" }] });
  await acknowledge(board, reader, { declined: [{ id, why: "busy" }] });
  expect(await told(board, author, "reason=ack")).toMatchObject([{ from: "acted", to: "declined" }]);
  expect(await findingsOf(board)).toEqual([]);
});

test("of a status that goes back and forth the newest are kept, and they push out nobody else's items", async () => {
  await using board = await TestBoard.start();
  const [author, other, holder] = [board.agent(), board.agent(), board.agent()];
  const { id } = await board.put(author, { kind: "task", title: "contested" });
  const claimed = async (by: Agent) => {
    await board.put(by, { kind: "claim", lease: "1m", refs: [{ rel: "claims", id }] });
    board.clock.advance(61_000);
    await board.get("/api/messages");
  };
  await claimed(holder);
  for (let n = 0; n < LIMITS.inbox_statuses; n++) await claimed(other);
  const statuses = await told(board, author, "reason=status");
  expect(statuses.map(({ to }) => to)).toEqual(Array.from({ length: LIMITS.inbox_statuses }, (_, n) => (n % 2 === 0 ? "open" : "claimed")));
  expect(statuses[0]?.seq).toBe((await board.get<{ seq: number }>("/api/checkpoint")).body.seq);
  expect(await told(board, holder, "reason=lease")).toHaveLength(1);
  expect(await findingsOf(board)).toEqual([]);
  // By ever new agents, each of which is told that it has lost the lease.
  for (let n = 0; n < LIMITS.inbox_statuses_per_message; n++) await claimed(board.agent());
  expect(items(board)).toBe(LIMITS.inbox_statuses_per_message);
  expect(await findingsOf(board)).toEqual([]);
});

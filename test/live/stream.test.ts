import { expect, test } from "vitest";
import { MINUTE_MS } from "../../src/core/durations.ts";
import { TestBoard } from "../support/board.ts";
import { openStream } from "../support/event-stream.ts";
import { eventually } from "../support/eventually.ts";

test("a reader sees what is posted after it came, and a second one catches up from where it left off", async () => {
  await using board = await TestBoard.start();
  const agent = board.agent();
  const before = await board.put(agent, { kind: "task", title: "before" });
  await using live = await openStream(board, "/api/stream");
  expect((await live.next("hello")).data).toMatchObject({ seq: 1, resumed_from: null, filters: {} });
  expect((await live.next("live")).data).toEqual({ seq: 1 });
  const note = await board.put(agent, { kind: "note", title: "hello", body: "text", data: { a: 1 } });
  const event = await live.next("message");
  expect(event.id).toBe("2");
  expect(event.data).toMatchObject({ id: note.id, seq: 2, content: { body: "text", data: { a: 1 } } });
  await board.put(board.agent(), { kind: "claim", lease: "60s", refs: [{ rel: "claims", id: before.id }] });
  expect((await live.next("message")).id).toBe("3");
  expect((await live.next("status")).data).toEqual({ id: before.id, seq: 4, from: "open", to: "claimed" });
  board.clock.advance(MINUTE_MS);
  expect((await live.next("status")).data).toEqual({ id: before.id, seq: 5, from: "claimed", to: "open" });
  await board.put(agent, { kind: "retraction", refs: [{ rel: "retracts", id: note.id }] });
  expect((await live.next("message")).id).toBe("6");
  expect((await live.next("gone")).data).toEqual({ id: note.id, seq: 7, reason: "retracted" });

  await using again = await openStream(board, "/api/stream", { "last-event-id": "3" });
  expect((await again.next("hello")).data).toMatchObject({ resumed_from: 3 });
  const rest = [await again.next(), await again.next(), await again.next(), await again.next(), await again.next()];
  expect(rest.map((one) => [one.event, one.id])).toEqual([
    ["status", "4"],
    ["status", "5"],
    ["message", "6"],
    ["gone", "7"],
    ["live", "7"],
  ]);
});

test("filters act on the stream as on the list", async () => {
  await using board = await TestBoard.start();
  const [one, two] = [board.agent(), board.agent()];
  await using tagged = await openStream(board, "/api/stream?tag=a");
  await using search = await openStream(board, "/api/stream?q=needle");
  await using byTwo = await openStream(board, `/api/stream?author=${two.id}&kind=note`);
  for (const stream of [tagged, search, byTwo]) {
    await stream.next("hello");
    await stream.next("live");
  }
  await board.put(one, { kind: "note", title: "x", tags: ["b"] });
  const a = await board.put(one, { kind: "note", title: "y", tags: ["a", "b"] });
  const needle = await board.put(two, { kind: "note", title: "a Needle in hay" });
  await board.put(two, { kind: "task", title: "z" });
  expect((await tagged.next("message")).data).toMatchObject({ id: a.id });
  expect((await search.next("message")).data).toMatchObject({ id: needle.id });
  expect((await byTwo.next("message")).data).toMatchObject({ id: needle.id });
  await board.put(one, { kind: "retraction", refs: [{ rel: "retracts", id: a.id }] });
  await board.put(two, { kind: "retraction", refs: [{ rel: "retracts", id: needle.id }] });
  expect((await tagged.next()).data).toMatchObject({ id: a.id, reason: "retracted" });
  expect((await search.next()).data).toMatchObject({ id: needle.id, reason: "retracted" });
  expect((await byTwo.next()).data).toMatchObject({ id: needle.id, reason: "retracted" });
});

test("a long poll answers as soon as a match comes, and empty when none does", async () => {
  await using board = await TestBoard.start();
  const agent = board.agent();
  const { seq } = await board.put(agent, { kind: "note", title: "old" });
  const poll = board.get<{ messages: { id: string }[]; latest_seq: number }>(`/api/messages?after_seq=${seq}&wait=30&tag=wanted`);
  await board.put(agent, { kind: "note", title: "other" });
  const wanted = await board.put(agent, { kind: "note", title: "this one", tags: ["wanted"] });
  const { body } = await poll;
  expect(body.messages.map((one) => one.id)).toEqual([wanted.id]);
  const empty = board.get<{ messages: unknown[]; latest_seq: number }>(`/api/messages?after_seq=${wanted.seq}&wait=1`);
  await eventually("it waits", async () =>
    (await board.get<string>("/metrics")).body.includes("blackboard_stream_readers 1") ? true : undefined,
  );
  board.clock.advance(1000);
  expect((await empty).body).toMatchObject({ messages: [], latest_seq: wanted.seq });
  expect((await board.get("/api/messages?wait=1")).status).toBe(400);
});

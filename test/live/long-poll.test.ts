// Long poll: no match is missed, whenever it comes, and nobody waits longer than requested.
import { expect, test } from "vitest";
import { TestBoard } from "../support/board.ts";
import { eventually } from "../support/eventually.ts";
import { tries } from "../support/random.ts";
import { expectRefusal } from "../support/refusal.ts";

interface Page {
  readonly messages: readonly { readonly id: string; readonly seq: number }[];
  readonly latest_seq: number;
}

test("a post at any moment around the check wakes the waiting caller", async () => {
  await using board = await TestBoard.start();
  const agent = board.agent();
  let { seq } = await board.put(agent, { kind: "note", body: "first" });
  for (let i = 0; i < tries(300, 90); i++) {
    // From before the request is sent to well after it waits, in turns of the event loop.
    const poll = board.get<Page>(`/api/messages?after_seq=${seq}&wait=30&tag=wanted`);
    for (let turn = 0; turn < i % 30; turn++) await new Promise((resolve) => void setImmediate(resolve));
    const [wanted] = await Promise.all([
      board.put(agent, { kind: "note", body: `wanted ${i}`, tags: ["wanted"] }),
      board.put(agent, { kind: "note", body: `other ${i}` }),
    ]);
    const { status, body } = await poll;
    expect(status).toBe(200);
    expect(body.messages.map(({ id }) => id)).toEqual([wanted.id]);
    seq = Math.max(body.latest_seq, wanted.seq);
  }
});

test("a caller that waits for something else keeps waiting, and at the end learns the newest seq", async () => {
  await using board = await TestBoard.start();
  const agent = board.agent();
  const { seq } = await board.put(agent, { kind: "note", body: "first" });
  const poll = board.get<Page>(`/api/messages?after_seq=${seq}&wait=30&kind=task`);
  const waiting = async () => ((await board.get<string>("/metrics")).body.includes("blackboard_stream_readers 1") ? true : undefined);
  await eventually("it waits", waiting);
  const later = await board.put(agent, { kind: "note", body: "no task" });
  board.clock.advance(29_999);
  expect(await waiting()).toBe(true);
  board.clock.advance(1);
  expect((await poll).body).toMatchObject({ messages: [], latest_seq: later.seq, next_cursor: null });
  await eventually("nobody waits", async () =>
    (await board.get<string>("/metrics")).body.includes("blackboard_stream_readers 0") ? true : undefined,
  );
});

test("existing messages are answered at once, and so is a wait of 0", async () => {
  await using board = await TestBoard.start();
  const note = await board.put(board.agent(), { kind: "note", body: "here" });
  expect((await board.get<Page>("/api/messages?after_seq=0&wait=30")).body.messages.map(({ id }) => id)).toEqual([note.id]);
  expect((await board.get<Page>(`/api/messages?after_seq=${note.seq}&wait=0`)).body).toMatchObject({ messages: [], latest_seq: note.seq });
});

test("a search waits for its words like any other filter", async () => {
  await using board = await TestBoard.start();
  const agent = board.agent();
  const { seq } = await board.put(agent, { kind: "note", body: "a needle of old" });
  const poll = board.get<Page>(`/api/messages?after_seq=${seq}&wait=30&q=needle`);
  await board.put(agent, { kind: "note", body: "hay" });
  const needle = await board.put(agent, { kind: "note", body: "a new needle" });
  expect((await poll).body.messages.map(({ id }) => id)).toEqual([needle.id]);
});

test("a wait without after_seq, or of more than 30 seconds, is refused", async () => {
  await using board = await TestBoard.start();
  for (const parameters of ["wait=5", "wait=0", "after_seq=0&wait=31", "after_seq=0&wait=-1", "after_seq=0&wait=1.5", "after_seq=0&wait=x"])
    expectRefusal(await board.get(`/api/messages?${parameters}`), 400, "invalid_parameter");
});

// Acknowledgements on the stream: the sender of a message learns what happened to it, live and from the log.
import { afterAll, beforeAll, expect, test } from "vitest";
import { acknowledge } from "../support/acks.ts";
import { TestBoard } from "../support/board.ts";
import { openStream } from "../support/event-stream.ts";

let board: TestBoard;
beforeAll(async () => {
  board = await TestBoard.start();
});
afterAll(() => board[Symbol.asyncDispose]());

const head = async (): Promise<number> => (await board.get<{ seq: number }>("/api/checkpoint")).body.seq;

test("the sender learns that its message was acted on, whatever else the acknowledgement names, and others do not", async () => {
  const [ann, bob, eve, cat] = [board.agent(), board.agent(), board.agent(), board.agent()];
  const first = await board.put(eve, { kind: "note", title: "from eve", to: bob.id });
  const sent = await board.put(ann, { kind: "task", title: "from ann", tags: ["boats"], to: bob.id });
  const foreign = await board.put(ann, { kind: "note", title: "not for bob", to: eve.id });
  await board.put(cat, { kind: "verification", body: "it is", refs: [{ rel: "verifies", id: sent.id }] });
  const from = await head();
  const filters = [
    `author=${ann.id}`,
    "tag=boats",
    `root=${sent.id}`,
    `to=${bob.id}`,
    `inbox=${bob.id}`,
    "q=ann",
    "near=from%20ann",
    `verified_by=${cat.id}`,
    "",
  ];
  const others = [`author=${bob.id}`, "q=own", "q=ann&kind=note", `verified_by=${eve.id}`];
  const quiet = await Promise.all(others.map((filter) => openStream(board, `/api/stream?${filter}`)));
  for (const one of quiet) await one.upTo("live");
  const live = await Promise.all(filters.map((filter) => openStream(board, `/api/stream?${filter}`)));
  for (const one of live) await one.upTo("live");
  await acknowledge(board, bob, { seen: sent.seq, acted: [first.id, foreign.id], declined: [{ id: sent.id, why: "unclear" }] });
  const expected = {
    agent: bob.id,
    seq: await head(),
    seen: sent.seq,
    acted: [first.id],
    declined: [{ id: sent.id, why: "unclear" }],
  };
  for (const [i, one] of live.entries())
    expect({ filter: filters[i], data: (await one.next("ack")).data }).toEqual({ filter: filters[i], data: expected });
  // The same for readers that connect later.
  for (const filter of filters) {
    await using later = await openStream(board, `/api/stream?${filter}`, { "last-event-id": String(from) });
    const heard = (await later.upTo("live")).filter(({ event }) => event === "ack");
    expect({ filter, heard: heard.map(({ data, id }) => ({ data, id })) }).toEqual({
      filter,
      heard: [{ data: expected, id: String(expected.seq) }],
    });
  }
  // The next event of other readers is about this message.
  const own = await board.put(bob, { kind: "note", title: "bob's own, for ann" });
  await board.put(eve, { kind: "verification", body: "it is", refs: [{ rel: "verifies", id: own.id }] });
  for (const one of quiet) expect((await one.next()).data).toMatchObject({ id: own.id });
  for (const filter of others) {
    await using later = await openStream(board, `/api/stream?${filter}`, { "last-event-id": String(from) });
    expect((await later.upTo("live")).filter(({ event }) => event === "ack")).toEqual([]);
  }
  for (const one of [...live, ...quiet]) await one[Symbol.asyncDispose]();
});

test("an agent's reading position is sent to readers of its inbox, and to nobody else", async () => {
  const [ann, bob] = [board.agent(), board.agent()];
  const sent = await board.put(ann, { kind: "note", title: "read on", to: bob.id });
  const following = [`to=${bob.id}`, `inbox=${bob.id}`, `to=${bob.id}&kind=task`, `inbox=${bob.id},${ann.id}`];
  const others = ["", `author=${ann.id}`, `to=${ann.id}`, `inbox=${ann.id}`];
  const open = (filter: string) => openStream(board, `/api/stream?${filter}`);
  const [hearing, deaf] = [await Promise.all(following.map(open)), await Promise.all(others.map(open))];
  for (const one of [...hearing, ...deaf]) await one.upTo("live");
  await acknowledge(board, bob, { seen: sent.seq });
  for (const one of hearing)
    expect((await one.next("ack")).data).toEqual({ agent: bob.id, seq: await head(), seen: sent.seq, acted: [], declined: [] });
  const next = await board.put(ann, { kind: "note", title: "next", to: ann.id });
  for (const one of deaf) expect((await one.next()).data).toMatchObject({ id: next.id });
  for (const one of [...hearing, ...deaf]) await one[Symbol.asyncDispose]();
});

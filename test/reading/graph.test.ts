// The messages connected with a message: refs in both directions, nearest first, and never more than a reader can handle.
import { afterAll, beforeAll, expect, test } from "vitest";
import type { z } from "zod";
import type { Rel } from "../../src/core/protocol/vocabulary.ts";
import { graphBody } from "../../src/operations/bodies/messages.ts";
import type { Agent } from "../support/agent.ts";
import { TestBoard } from "../support/board.ts";
import { putAll } from "../support/crowd.ts";
import { expectRefusal } from "../support/refusal.ts";

type Graph = z.infer<typeof graphBody>;

let board: TestBoard;
let agent: Agent;

beforeAll(async () => {
  board = await TestBoard.start();
  agent = board.agent();
});
afterAll(() => board[Symbol.asyncDispose]());

let notes = 0;
const note = (...refs: [Rel, string][]) =>
  board.put(agent, { kind: "note", title: `note ${++notes}`, refs: refs.map(([rel, id]) => ({ rel, id })) });

async function graph(id: string, query = ""): Promise<Graph> {
  const { status, body } = await board.get(`/api/messages/${id}/graph${query}`);
  expect(status, JSON.stringify(body)).toBe(200);
  return graphBody.parse(body);
}
const found = ({ nodes }: Graph): [string, number][] => nodes.map(({ id, distance }) => [id, distance]);

test("a node shows what it is, and an edge its direction", async () => {
  const task = await board.put(agent, { kind: "task", title: "Sort it" });
  const helper = board.agent();
  const claim = await board.put(helper, { kind: "claim", refs: [{ rel: "claims", id: task.id }] });
  expect(await graph(task.id)).toEqual({
    center: task.id,
    depth: 1,
    nodes: [
      {
        id: task.id,
        kind: "task",
        title: "Sort it",
        status: "claimed",
        author: agent.id,
        seq: task.seq,
        distance: 0,
        content: { untrusted: true },
      },
      {
        id: claim.id,
        kind: "claim",
        title: `claim by ${helper.id}`,
        status: "open",
        author: helper.id,
        seq: claim.seq,
        distance: 1,
        content: { untrusted: true },
      },
    ],
    edges: [{ from: claim.id, to: task.id, rel: "claims" }],
    truncated: false,
  });
});

test("refs are followed in both directions, as deep as asked and no deeper", async () => {
  // a <- b <- c -> d <- e, seen from c: the two that it refers to, and beyond them in both directions.
  const a = await note();
  const b = await note(["reply", a.id]);
  const d = await note();
  const c = await note(["builds_on", b.id], ["cites", d.id]);
  const e = await note(["summarizes", d.id]);
  const f = await note(["reply", e.id]);
  expect(found(await graph(c.id, "?depth=1"))).toEqual([
    [c.id, 0],
    [b.id, 1],
    [d.id, 1],
  ]);
  const two = await graph(c.id, "?depth=2");
  expect(found(two)).toEqual([
    [c.id, 0],
    [b.id, 1],
    [d.id, 1],
    [a.id, 2],
    [e.id, 2],
  ]);
  expect(two.edges).toEqual([
    { from: b.id, to: a.id, rel: "reply" },
    { from: c.id, to: b.id, rel: "builds_on" },
    { from: c.id, to: d.id, rel: "cites" },
    { from: e.id, to: d.id, rel: "summarizes" },
  ]);
  expect(found(await graph(a.id.slice(0, 16), "?depth=6"))).toEqual([
    [a.id, 0],
    [b.id, 1],
    [c.id, 2],
    [d.id, 3],
    [e.id, 4],
    [f.id, 5],
  ]);
});

test("with `rel`, only those rels are followed and shown", async () => {
  const a = await note();
  const b = await note(["reply", a.id], ["cites", a.id]);
  const c = await note(["cites", b.id]);
  const d = await note(["builds_on", a.id]);
  expect(found(await graph(a.id, "?depth=6&rel=cites"))).toEqual([
    [a.id, 0],
    [b.id, 1],
    [c.id, 2],
  ]);
  expect((await graph(a.id, "?depth=6&rel=cites")).edges.every(({ rel }) => rel === "cites")).toBe(true);
  expect(found(await graph(a.id, "?depth=1&rel=reply,builds_on"))).toEqual([
    [a.id, 0],
    [b.id, 1],
    [d.id, 1],
  ]);
  for (const query of ["rel=likes", "rel=", "depth=0", "depth=7", "depth=x"])
    expectRefusal(await board.get(`/api/messages/${a.id}/graph?${query}`), 400, "invalid_parameter");
});

test("an ended or unknown message is not a node, and hides the messages behind it; a superseded one is a node", async () => {
  const a = await note(["cites", "0".repeat(64)]);
  const b = await note(["cites", a.id]);
  const c = await note(["cites", b.id]);
  const d = await note(["cites", a.id]);
  const e = await note(["supersedes", d.id]);
  expect(found(await graph(a.id, "?depth=6"))).toEqual([
    [a.id, 0],
    [b.id, 1],
    [d.id, 1],
    [c.id, 2],
    [e.id, 2],
  ]);
  const retraction = await board.put(agent, { kind: "retraction", refs: [{ rel: "retracts", id: b.id }] });
  const after = await graph(a.id, "?depth=6");
  expect(found(after).map(([id]) => id)).toEqual([a.id, d.id, e.id]);
  expect(after.edges.map(({ to }) => to)).toEqual([a.id, d.id]);
  expect(found(await graph(retraction.id, "?depth=2")).map(([id]) => id)).toEqual([retraction.id]);
});

test("at most 500 nodes: the nearest, then the oldest, and the reader learns that there are more", async () => {
  const hub = await note();
  const refs = [{ rel: "reply" as const, id: hub.id }];
  const near = await putAll(
    board,
    Array.from({ length: 450 }, (_, i) => ({ kind: "note", title: `near ${i}`, refs })),
  );
  const one = near[0]!;
  const far = await putAll(
    board,
    Array.from({ length: 49 }, (_, i) => ({ kind: "note", title: `far ${i}`, refs: [{ rel: "builds_on" as const, id: one.id }] })),
  );
  const exact = await graph(hub.id, "?depth=3");
  expect(exact.truncated).toBe(false);
  expect(exact.nodes.length).toBe(500);

  const more = await putAll(
    board,
    Array.from({ length: 60 }, (_, i) => ({ kind: "note", title: `more ${i}`, refs })),
  );
  const bySeq = (messages: readonly { id: string; seq: number }[]) => messages.toSorted((x, y) => x.seq - y.seq).map(({ id }) => id);
  const cut = await graph(hub.id, "?depth=3");
  expect(cut.truncated).toBe(true);
  expect(cut.nodes.map(({ id }) => id)).toEqual([hub.id, ...bySeq([...near, ...more]).slice(0, 499)]);
  expect(cut.nodes.some(({ id }) => far.some((message) => message.id === id))).toBe(false);
  expect(cut.edges.length).toBe(499);
  // From a leaf, the same messages are two steps away.
  const leaf = await graph(one.id, "?depth=2");
  expect(leaf.truncated).toBe(true);
  expect(leaf.nodes.map(({ distance }) => distance)).toEqual([0, ...Array<number>(50).fill(1), ...Array<number>(449).fill(2)]);
  expect(leaf.nodes.slice(1, 51).map(({ id }) => id)).toEqual(bySeq([hub, ...far]));
  expect((await graph(one.id, "?depth=1")).truncated).toBe(false);
});

// The whole tree around a message: its structure, who took part, what is still open, and pages that stay consistent.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { z } from "zod";
import { HOUR_MS, MINUTE_MS } from "../../src/core/durations.ts";
import { threadBody } from "../../src/operations/bodies/messages.ts";
import type { Agent } from "../support/agent.ts";
import { TestBoard } from "../support/board.ts";
import { putAll } from "../support/crowd.ts";
import { openBeside, plantRemoved } from "../support/database.ts";
import { Operator } from "../support/operator.ts";
import { expectRefusal } from "../support/refusal.ts";

type Thread = z.infer<typeof threadBody>;

let board: TestBoard;
let ann: Agent;
let bob: Agent;

beforeAll(async () => {
  board = await TestBoard.start();
  ann = board.agent();
  bob = board.agent();
});
afterAll(() => board[Symbol.asyncDispose]());

async function thread(id: string, query = ""): Promise<Thread> {
  const { status, body } = await board.get(`/api/messages/${id}/thread${query}`);
  expect(status, JSON.stringify(body)).toBe(200);
  return threadBody.parse(body);
}
const outline = ({ messages }: Thread): [string, number][] => messages.map(({ id, depth }) => [id, depth]);

/** A task with two subtasks, an answered first and a claimed second, and talk in between. */
async function plant() {
  // New agents, because the same text by the same agent in the same second is the same message.
  [ann, bob] = [board.agent(), board.agent()];
  const task = await board.put(ann, { kind: "task", title: "Build it" });
  const first = await board.put(ann, { kind: "subtask", title: "Part one", refs: [{ rel: "subtask_of", id: task.id }] });
  const second = await board.put(bob, { kind: "subtask", title: "Part two", refs: [{ rel: "subtask_of", id: task.id }] });
  const result = await board.put(bob, { kind: "result", body: "x".repeat(400), refs: [{ rel: "answers", id: first.id }] });
  const check = await board.put(ann, { kind: "verification", body: "I ran it", refs: [{ rel: "verifies", id: result.id }] });
  const third = await board.put(ann, { kind: "subtask", title: "Part three", refs: [{ rel: "subtask_of", id: first.id }] });
  return { task, first, second, result, check, third };
}

describe("a reader of a thread", () => {
  test("gets every message depth first, with depth, parent, edges, participants and open work", async () => {
    const { task, first, second, result, check, third } = await plant();
    const note = await board.put(bob, {
      kind: "note",
      title: "Elsewhere",
      refs: [
        { rel: "cites", id: task.id },
        { rel: "reply", id: second.id },
      ],
    });
    const got = await thread(task.id);
    expect(outline(got)).toEqual([
      [task.id, 0],
      [first.id, 1],
      [result.id, 2],
      [check.id, 3],
      [third.id, 2],
      [second.id, 1],
      [note.id, 2],
    ]);
    expect(got.messages.map(({ parent, parent_rel: rel }) => [parent, rel])).toEqual([
      [null, null],
      [task.id, "subtask_of"],
      [first.id, "answers"],
      [result.id, "verifies"],
      [first.id, "subtask_of"],
      [task.id, "subtask_of"],
      [second.id, "reply"],
    ]);
    expect(got.edges).toEqual([
      { from: first.id, to: task.id, rel: "subtask_of" },
      { from: result.id, to: first.id, rel: "answers" },
      { from: check.id, to: result.id, rel: "verifies" },
      { from: third.id, to: first.id, rel: "subtask_of" },
      { from: second.id, to: task.id, rel: "subtask_of" },
      { from: note.id, to: task.id, rel: "cites" },
      { from: note.id, to: second.id, rel: "reply" },
    ]);
    expect(got.participants).toEqual([
      { agent: ann.id, messages: 4 },
      { agent: bob.id, messages: 3 },
    ]);
    expect(got.open).toEqual([task.id, second.id, third.id]);
    expect(got).toMatchObject({ root: task.id, focus: task.id, next_cursor: null, latest_seq: note.seq });
  });

  test("reaches it from any of its messages and from a prefix, and learns which one it asked for", async () => {
    const { task, check } = await plant();
    const whole = await thread(task.id);
    expect(await thread(check.id)).toEqual({ ...whole, focus: check.id });
    expect(await thread(check.id.slice(0, 12))).toEqual({ ...whole, focus: check.id });
  });

  test("gets previews unless bodies are asked for", async () => {
    const { result } = await plant();
    const of = async (query: string) => (await thread(result.id, query)).messages.find(({ id }) => id === result.id)?.content;
    expect(await of("")).toEqual({ untrusted: true, chars: 400, has_data: false, flags: [], risk: 0, preview: "x".repeat(280) });
    expect(await of("?include=body")).toEqual({ untrusted: true, chars: 400, has_data: false, flags: [], risk: 0, body: "x".repeat(400) });
    expect(await of("?include=")).toEqual({ untrusted: true, chars: 400, has_data: false, flags: [], risk: 0 });
  });

  test("sees a claim, an answer and a lease that ends in the list of open work", async () => {
    const { task, second, third } = await plant();
    await board.put(bob, { kind: "claim", lease: "1h", refs: [{ rel: "claims", id: third.id }] });
    expect((await thread(task.id)).open).toEqual([task.id, second.id]);
    board.clock.advance(HOUR_MS);
    expect((await thread(task.id)).open).toEqual([task.id, second.id, third.id]);
  });

  test("is refused like a reader of the message: unknown 404, gone 410, nonsense 404, wrong parameters 400", async () => {
    const note = await board.put(ann, { kind: "note", title: "Short", ttl: "1m" });
    const withdrawn = await board.put(ann, { kind: "note", title: "Mistake" });
    await board.put(ann, { kind: "retraction", refs: [{ rel: "retracts", id: withdrawn.id }] });
    using db = openBeside(board.data);
    plantRemoved(db, "a".repeat(64), board.clock.now());
    board.clock.advance(MINUTE_MS);
    for (const view of ["thread", "graph"]) {
      expectRefusal(await board.get(`/api/messages/${"f".repeat(64)}/${view}`), 404, "not_found");
      expectRefusal(await board.get(`/api/messages/xyz/${view}`), 404, "not_found");
      expectRefusal(await board.get(`/api/messages/${note.id}/${view}`), 410, "expired");
      expectRefusal(await board.get(`/api/messages/${withdrawn.id}/${view}`), 410, "retracted");
      expectRefusal(await board.get(`/api/messages/${"a".repeat(64)}/${view}`), 410, "removed");
      expectRefusal(await board.get(`/api/messages/${"a".repeat(64)}/${view}?deep=1`), 400, "unknown_parameter");
    }
    const live = await board.put(ann, { kind: "note", title: "Live" });
    expectRefusal(await board.get(`/api/messages/${live.id}/thread?include=all`), 400, "invalid_parameter");
    expectRefusal(await board.get(`/api/messages/${live.id}/thread?cursor=abc`), 400, "invalid_cursor");
  });
});

describe("a thread with holes", () => {
  test("keeps superseded messages in their place, marked, and out of the open work", async () => {
    const { task, second } = await plant();
    const better = await board.put(bob, { kind: "note", title: "Better", refs: [{ rel: "supersedes", id: second.id }] });
    const got = await thread(task.id);
    expect(got.messages.find(({ id }) => id === second.id)?.server.gone).toMatchObject({ reason: "superseded" });
    expect(got.messages.map(({ id }) => id)).not.toContain(better.id);
    expect(got.open).not.toContain(second.id);
  });

  test("shows what hung on a message that is gone at the top, with the lost parent named", async () => {
    const { task, first, second, result, check, third } = await plant();
    const reply = await board.put(bob, { kind: "note", title: "Why?", refs: [{ rel: "reply", id: second.id }] });
    await board.put(ann, { kind: "retraction", refs: [{ rel: "retracts", id: first.id }] });
    const got = await thread(check.id);
    expect(outline(got).slice(0, 6)).toEqual([
      [task.id, 0],
      [second.id, 1],
      [reply.id, 2],
      [result.id, 0],
      [check.id, 1],
      [third.id, 0],
    ]);
    const lost = got.messages.find(({ id }) => id === result.id);
    expect(lost).toMatchObject({ parent: first.id, parent_rel: "answers" });
    expect(got.edges).toContainEqual({ from: result.id, to: first.id, rel: "answers" });
  });

  test("is still a thread when its root has expired or was never here", async () => {
    const root = await board.put(ann, { kind: "question", title: "Anyone?", ttl: "1m" });
    const answer = await board.put(bob, { kind: "answer", body: "Me", refs: [{ rel: "answers", id: root.id }] });
    const reply = await board.put(ann, { kind: "note", title: "Good", refs: [{ rel: "reply", id: answer.id }] });
    expect(outline(await thread(reply.id))).toEqual([
      [root.id, 0],
      [answer.id, 1],
      [reply.id, 2],
    ]);
    board.clock.advance(MINUTE_MS);
    const got = await thread(reply.id);
    expect(got.root).toBe(root.id);
    expect(outline(got)).toEqual([
      [answer.id, 0],
      [reply.id, 1],
    ]);

    const unknown = "0123456789abcdef".repeat(4);
    const stray = await board.put(bob, { kind: "note", title: "To nobody", refs: [{ rel: "reply", id: unknown }] });
    const strays = await thread(stray.id);
    expect(strays.messages[0]).toMatchObject({ id: stray.id, depth: 0, parent: unknown, parent_rel: "reply" });
    expect(strays.root).toBe(unknown);
  });

  test("a verification that changes its author's vote keeps the place that its refs give it", async () => {
    const { task, result } = await plant();
    const other = await board.put(ann, { kind: "note", title: "Another thread" });
    const carol = board.agent();
    const vote = await board.put(carol, {
      kind: "verification",
      body: "On second thought",
      refs: [
        { rel: "verifies", id: result.id },
        { rel: "reply", id: other.id },
        { rel: "refutes", id: result.id },
      ],
    });
    const got = await thread(vote.id);
    expect(got.root).toBe(task.id);
    expect(got.messages.find(({ id }) => id === vote.id)).toMatchObject({ depth: 3, parent: result.id, parent_rel: "refutes" });
  });
});

describe("pages of a large thread", () => {
  async function pages(id: string, between: (page: number) => Promise<unknown> = async () => {}, limit = 100): Promise<Thread[]> {
    const all = [await thread(id, `?limit=${limit}`)];
    for (let cursor = all[0]!.next_cursor; cursor !== null; cursor = all.at(-1)!.next_cursor) {
      await between(all.length);
      all.push(await thread(id, `?limit=${limit}&cursor=${encodeURIComponent(cursor)}`));
    }
    return all;
  }
  async function plantLarge(below: number): Promise<{ root: string; ids: string[] }> {
    [ann, bob] = [board.agent(), board.agent()];
    const root = await board.put(ann, { kind: "task", title: "Large" });
    const reply = (title: string, id: string) => ({ kind: "note", title, refs: [{ rel: "reply" as const, id }] });
    const top = await putAll(
      board,
      Array.from({ length: 40 }, (_, i) => reply(`top ${i}`, root.id)),
      [ann],
    );
    const low = await putAll(
      board,
      Array.from({ length: below }, (_, i) => reply(`low ${i}`, top[(i * 7) % 40]!.id)),
      [ann, bob],
    );
    return { root: root.id, ids: [root, ...top, ...low].map(({ id }) => id) };
  }

  test("have as many messages as requested and together the whole thread in order, which comes whole without paging", async () => {
    const { root, ids } = await plantLarge(1100);
    const all = await pages(root, undefined, 500);
    expect(all.map(({ messages }) => messages.length)).toEqual([500, 500, 141]);
    const messages = all.flatMap((page) => page.messages);
    expect(messages.map(({ id }) => id).toSorted()).toEqual(ids.toSorted());
    expect(all.flatMap(({ edges }) => edges).length).toBe(1140);
    const tops = messages.filter(({ depth }) => depth === 1).map(({ seq }) => seq);
    expect(tops).toEqual(tops.toSorted((a, b) => a - b));
    for (const [i, { depth, parent }] of messages.entries()) {
      const above = messages.slice(0, i).findLast((one) => one.depth < depth);
      expect(parent).toBe(above?.id ?? null);
    }
    expect(all.map(({ complete, total }) => ({ complete, total }))).toEqual(
      Array.from({ length: 3 }, () => ({ complete: false, total: 1141 })),
    );
    const whole = await thread(root);
    expect({ ...whole, messages: whole.messages.map(({ id }) => id) }).toMatchObject({ complete: true, total: 1141, next_cursor: null });
    expect(whole.messages.map(({ id }) => id)).toEqual(messages.map(({ id }) => id));
    const answer = await board.get(`/api/messages/${root}/thread?limit=500`);
    expect(answer.headers.get("link")).toContain(`cursor=${encodeURIComponent(String(answer.body["next_cursor"]))}`);
  });

  test("neither skip nor repeat while others post into the middle, and the newcomers come with the next reading", async () => {
    const { root, ids } = await plantLarge(120);
    const late: string[] = [];
    const all = await pages(root, async (page) => {
      for (const id of [root, ids[1]!, ids[20]!, ids[40]!, ids[120]!])
        late.push((await board.put(bob, { kind: "note", title: `late ${page}`, refs: [{ rel: "reply", id }] })).id);
    });
    const seen = all.flatMap(({ messages }) => messages.map(({ id }) => id));
    expect(seen.toSorted()).toEqual(ids.toSorted());
    const after = await board.get<{ messages: { id: string }[] }>(`/api/messages?root=${root}&after_seq=${all[0]!.latest_seq}`);
    expect(after.body.messages.map(({ id }) => id).toSorted()).toEqual(late.toSorted());
    const again = (await pages(root)).flatMap(({ messages }) => messages.map(({ id }) => id));
    expect(again.toSorted()).toEqual([...ids, ...late].toSorted());
  });

  test("neither skip nor repeat what stays when a parent leaves in between", async () => {
    const { root, ids } = await plantLarge(120);
    const first = await thread(root, "?limit=100");
    // The parent at the end of the page: its replies are at the top of a new reading.
    const parent = first.messages.at(-1)!.parent!;
    const all = await pages(root, async (page) => {
      if (page === 1) await board.put(ann, { kind: "retraction", refs: [{ rel: "retracts", id: parent }] });
    });
    const seen = all.flatMap(({ messages }) => messages.map(({ id }) => id));
    expect(seen.toSorted()).toEqual(ids.toSorted());
    expect((await pages(root)).flatMap(({ messages }) => messages.map(({ id }) => id))).not.toContain(parent);
  });

  test("continue after a restart, and refuse the cursor of another thread", async () => {
    const before = await TestBoard.start();
    const { clock, data } = before;
    const root = await before.put(before.agent(), { kind: "task", title: "Restarted" });
    const replies = await putAll(
      before,
      Array.from({ length: 120 }, (_, i) => ({ kind: "note", title: `${i}`, refs: [{ rel: "reply" as const, id: root.id }] })),
    );
    const { body: first } = await before.get<Thread>(`/api/messages/${root.id}/thread?limit=100`);
    const lone = await before.put(before.agent(), { kind: "note", title: "Alone" });
    expectRefusal(await before.get(`/api/messages/${lone.id}/thread?cursor=${first.next_cursor}`), 400, "cursor_mismatch");
    await before.stop();
    await using after = await TestBoard.start({ clock, data });
    const { body: second } = await after.get<Thread>(`/api/messages/${replies[3]!.id}/thread?cursor=${first.next_cursor}`);
    expect([...first.messages, ...second.messages].map(({ id }) => id).toSorted()).toEqual(
      [root, ...replies].map(({ id }) => id).toSorted(),
    );
  });
});

describe("a reader with a small budget", () => {
  test("asks for a subtree: the message, its ancestors and its replies; the rest is counted", async () => {
    const { task, first, result, check, third } = await plant();
    const got = await thread(first.id, "?scope=subtree");
    expect(outline(got)).toEqual([
      [task.id, 0],
      [first.id, 1],
      [result.id, 2],
      [check.id, 3],
      [third.id, 2],
    ]);
    expect(got).toMatchObject({ focus: first.id, total: 6, omitted: 1, complete: false, next_cursor: null });
    expect(outline(await thread(check.id, "?scope=subtree")).map(([id]) => id)).toEqual([task.id, first.id, result.id, check.id]);
    expect(await thread(task.id, "?scope=subtree")).toMatchObject({ omitted: 0, complete: true });
  });

  test("pages through a subtree without losing or repeating anything", async () => {
    const { task, first, result, check, third } = await plant();
    const seen: string[] = [];
    let query = "?scope=subtree&limit=2";
    for (;;) {
      const { messages, next_cursor: cursor, omitted } = await thread(first.id, query);
      seen.push(...messages.map(({ id }) => id));
      expect(omitted).toBe(6 - seen.length);
      if (cursor === null) break;
      query = `?scope=subtree&limit=2&cursor=${cursor}`;
    }
    expect(seen).toEqual([task.id, first.id, result.id, check.id, third.id]);
    const { next_cursor: cursor } = await thread(first.id, "?scope=subtree&limit=2");
    expectRefusal(await board.get(`/api/messages/${first.id}/thread?limit=2&cursor=${cursor}`), 400, "cursor_mismatch");
  });

  test("has claims, signals and votes folded into the message that they are about, unless they have replies", async () => {
    const { task, first, second, result, check, third } = await plant();
    const claim = await board.put(bob, { kind: "claim", refs: [{ rel: "claims", id: second.id }] });
    const useful = await board.put(ann, { kind: "signal", signal: "useful", refs: [{ rel: "on", id: result.id }] });
    const doubted = await board.put(ann, { kind: "verification", body: "No.", refs: [{ rel: "refutes", id: third.id }] });
    const reply = await board.put(bob, { kind: "note", body: "Why not?", refs: [{ rel: "reply", id: doubted.id }] });
    const got = await thread(task.id, "?fold=1");
    expect(outline(got).map(([id]) => id)).toEqual([task.id, first.id, result.id, third.id, doubted.id, reply.id, second.id]);
    const folded = Object.fromEntries(got.messages.map((one) => [one.id, one.folded]));
    expect(folded[result.id]).toEqual({
      count: 2,
      messages: [
        { id: check.id, kind: "verification", rel: "verifies", author: ann.id },
        { id: useful.id, kind: "signal", rel: "on", author: ann.id },
      ],
    });
    expect(folded[second.id]).toMatchObject({ count: 1, messages: [{ id: claim.id, rel: "claims" }] });
    expect(folded[task.id]).toBeUndefined();
    expect(got).toMatchObject({ complete: true, omitted: 0, total: 10 });
    const { body } = await board.get<string>(`/api/messages/${task.id}/thread?fold=1&format=md`);
    expect(body).toContain(`folded: verifies by ${ann.id}, on by ${ann.id}\n`);
  });

  test("gets no more characters of messages than requested, the requested message before its ancestors, and learns what is missing", async () => {
    const { task, first, result, check } = await plant();
    const whole = await thread(task.id);
    for (const budget of [1500, 3000, 4500]) {
      const got = await thread(task.id, `?max_chars=${budget}`);
      expect(JSON.stringify(got.messages).length).toBeLessThanOrEqual(budget);
      expect(got.messages).toEqual(
        whole.messages
          .slice(0, got.messages.length)
          .map((one) => ({ ...one, server: got.messages.find(({ id }) => id === one.id)?.server })),
      );
      expect(got.omitted).toBe(6 - got.messages.length);
      expect(got.next_cursor).not.toBeNull();
    }
    // The first one is always included, however small the limit is.
    expect(outline(await thread(task.id, "?max_chars=500"))).toEqual([[task.id, 0]]);
    expect(outline(await thread(check.id, "?scope=subtree&max_chars=500")).map(([id]) => id)).toEqual([check.id]);
    const near = outline(await thread(check.id, "?scope=subtree&max_chars=3800")).map(([id]) => id);
    expect(near).toEqual([result.id, check.id]);
    expect(near).not.toContain(first.id);
    expectRefusal(await board.get(`/api/messages/${task.id}/thread?max_chars=499`), 400, "invalid_parameter");
    expectRefusal(await board.get(`/api/messages/${task.id}/thread?scope=branch`), 400, "invalid_parameter");
  });
});

describe("a reader that selects fields", () => {
  test("gets those of every record, and its id, in every view", async () => {
    const { task, first } = await plant();
    const parts = async (path: string): Promise<unknown> => {
      const { status, body } = await board.get<{ messages?: unknown[] }>(path);
      expect(status, JSON.stringify(body)).toBe(200);
      return body.messages?.[0] ?? body;
    };
    expect(await parts(`/api/messages/${task.id}?fields=meta.title,derived.status`)).toEqual({
      id: task.id,
      meta: { title: "Build it" },
      derived: { status: "open" },
    });
    expect(await parts(`/api/messages/${task.id}?fields=content.body`)).toMatchObject({ content: { untrusted: true } });
    expect(await parts(`/api/messages/${first.id}/thread?scope=subtree&fields=depth,meta.kind`)).toEqual({
      id: task.id,
      depth: 0,
      meta: { kind: "task" },
    });
    expect(await parts(`/api/inbox/${ann.id}?fields=reason`)).toEqual({ id: expect.any(String) as string, reason: "reply" });
    const work = (await parts("/api/work?fields=match,meta.kind&offers=nothing")) as object;
    expect(Object.keys(work).sort()).toEqual(["id", "match", "meta"]);
    for (const path of ["/api/expiring?within=8d&", "/api/similar?text=build+it&"])
      expect(Object.keys((await parts(`${path}fields=meta.kind`)) as object).sort(), path).toEqual(["id", "meta"]);
    expectRefusal(await board.get(`/api/messages/${task.id}?fields=meta.titel`), 400, "invalid_parameter");
  });
});

test("a message that is removed, restored and posted again has its replies under it again", async () => {
  await using own = await TestBoard.start();
  await using operator = await Operator.at(own);
  const author = own.agent();
  const root = await own.put(author, { kind: "note", body: "root" });
  const sent = JSON.stringify(author.envelope({ kind: "note", body: "middle", refs: [{ rel: "reply", id: root.id }] }));
  const { id } = (await own.send(sent)).body;
  const leaf = await own.put(author, { kind: "note", body: "leaf", refs: [{ rel: "reply", id }] });
  const read = async () => outline((await own.get<Thread>(`/api/messages/${root.id}/thread`)).body);
  await operator.remove(id);
  expect(await read()).toEqual([
    [root.id, 0],
    [leaf.id, 0],
  ]);
  await operator.decide({ do: "restore", target: id });
  expect((await own.send(sent)).status).toBe(201);
  expect(await read()).toEqual([
    [root.id, 0],
    [id, 1],
    [leaf.id, 2],
  ]);
});

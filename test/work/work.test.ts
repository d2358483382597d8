// Open work: in which order it is offered, to whom, and which work is not offered.
import { describe, expect, test } from "vitest";
import { TestBoard } from "../support/board.ts";
import { putAll } from "../support/crowd.ts";
import { eventually } from "../support/eventually.ts";
import { expectRefusal } from "../support/refusal.ts";

interface WorkBody {
  messages: { id: string; meta: { title?: string }; match: { needs: string[]; of: number } }[];
  next_cursor: string | null;
}

const waits = (board: TestBoard) =>
  eventually("it waits", async () =>
    (await board.get<string>("/metrics")).body.includes("blackboard_stream_readers 1") ? true : undefined,
  );
const titlesOf = ({ messages }: WorkBody): (string | undefined)[] => messages.map(({ meta }) => meta.title);

test("the oldest work comes first, so that none is forgotten; the newest or the best fit on request", async () => {
  await using board = await TestBoard.start();
  const [asker, worker] = [board.agent(), board.agent()];
  const wanted: Record<string, string[]> = { first: ["sql"], second: ["rust", "sql", "gpu"], third: ["rust"], fourth: [] };
  for (const [title, needs] of Object.entries(wanted)) await board.put(asker, { kind: "task", title, needs });
  const listed = async (query: string) => titlesOf((await board.get<WorkBody>(`/api/work?${query}`)).body);
  expect(await listed("")).toEqual(["first", "second", "third", "fourth"]);
  expect(await listed("sort=new")).toEqual(["fourth", "third", "second", "first"]);
  // Work that needs any of the skills comes first in every order.
  expect(await listed("offers=rust")).toEqual(["second", "third", "first", "fourth"]);
  expect(await listed("offers=Rust&sort=new")).toEqual(["third", "second", "fourth", "first"]);
  expect(await listed("offers=rust&sort=fit")).toEqual(["third", "second", "fourth", "first"]);
  expect(await listed("offers=rust,sql&sort=fit")).toEqual(["first", "third", "second", "fourth"]);
  // An agent that has posted its offers need not repeat them.
  await board.put(worker, { kind: "offer", offers: ["Rust"] });
  expect((await listed(`as=${worker.id}&sort=fit`)).slice(0, 2)).toEqual(["third", "second"]);
  const { body } = await board.get<WorkBody>(`/api/work?as=${worker.id}&sort=fit&limit=1`);
  expect(body.messages[0]?.match).toEqual({ needs: ["rust"], of: 1 });
  expectRefusal(await board.get("/api/work?sort=fit"), 400, "invalid_parameter");
  expectRefusal(await board.get("/api/work?sort=best"), 400, "invalid_parameter");
});

test("agents that look at the same moment start at different places, and each of them finds everything", async () => {
  await using board = await TestBoard.start();
  const asker = board.agent();
  const titles = Array.from({ length: 30 }, (_, i) => `task ${i}`);
  for (const title of titles) await board.put(asker, { kind: "task", title, needs: title.endsWith("3") ? ["threes"] : [] });
  const workers = Array.from({ length: 12 }, () => board.agent());
  const pagesOf = async (query: string): Promise<(string | undefined)[]> => {
    const seen: (string | undefined)[] = [];
    for (let cursor: string | null = ""; cursor !== null;) {
      const at: string = cursor === "" ? "" : `&cursor=${encodeURIComponent(cursor)}`;
      const { body } = await board.get<WorkBody>(`/api/work?${query}&limit=7${at}`);
      seen.push(...titlesOf(body));
      cursor = body.next_cursor;
    }
    return seen;
  };
  const firsts = new Set<string | undefined>();
  for (const { id } of workers) {
    const whole = titlesOf((await board.get<WorkBody>(`/api/work?as=${id}`)).body);
    const start = titles.indexOf(whole[0] ?? "");
    // In turn, from its own position on.
    expect(whole).toEqual([...titles.slice(start), ...titles.slice(0, start)]);
    expect(await pagesOf(`as=${id}`)).toEqual(whole);
    firsts.add(whole[0]);
  }
  expect(firsts.size).toBeGreaterThan(5);
  for (const sort of ["old", "new", "fit"]) {
    const seen = await pagesOf(`as=${workers[0]!.id}&sort=${sort}&offers=threes`);
    expect(new Set(seen)).toEqual(new Set(titles));
    expect(seen).toHaveLength(titles.length);
    expect(seen.slice(0, 3).every((title) => title?.endsWith("3"))).toBe(true);
  }
});

test("paging from a reader's own position continues there, though work is taken and added meanwhile", async () => {
  await using board = await TestBoard.start();
  const [asker, worker, other] = [board.agent(), board.agent(), board.agent()];
  const titles = Array.from({ length: 80 }, (_, i) => `task ${i}`);
  const ids = new Map<string | undefined, string>();
  for (const title of titles) ids.set(title, (await board.put(asker, { kind: "task", title })).id);
  const seen: (string | undefined)[] = [];
  const taken = new Set<string | undefined>();
  for (let cursor: string | null = "", page = 0; cursor !== null; page++) {
    const at: string = cursor === "" ? "" : `&cursor=${encodeURIComponent(cursor)}`;
    const { body } = await board.get<WorkBody>(`/api/work?as=${worker.id}&limit=9${at}`);
    seen.push(...titlesOf(body));
    cursor = body.next_cursor;
    const last = seen.at(-1);
    // Also the very one at the end of the page.
    if (page < 6) await board.put(other, { kind: "result", body: String(page), refs: [{ rel: "answers", id: ids.get(last) ?? "" }] });
    taken.add(last);
    if (page < 6) await board.put(asker, { kind: "task", title: `later ${page}` });
  }
  expect(new Set(seen).size).toBe(seen.length);
  expect(titles.filter((title) => !seen.includes(title))).toEqual([]);
});

test("a task in parts is offered again only when no part of it is left to do", async () => {
  await using board = await TestBoard.start();
  const [asker, worker, checker] = [board.agent(), board.agent(), board.agent()];
  const whole = await board.put(asker, { kind: "task", title: "whole" });
  const listed = async () => titlesOf((await board.get<WorkBody>("/api/work")).body);
  const part = (title: string, more: object = {}) =>
    board.put(asker, { kind: "subtask", title, refs: [{ rel: "subtask_of", id: whole.id }], ...more });
  // A remark about it is not part of the work.
  await board.put(worker, { kind: "note", title: "remark", refs: [{ rel: "subtask_of", id: whole.id }] });
  expect(await listed()).toEqual(["whole"]);
  const one = await part("one");
  const short = await part("short", { ttl: "1m" });
  expect(await listed()).toEqual(["one", "short"]);
  await board.put(worker, { kind: "claim", refs: [{ rel: "claims", id: one.id }] });
  expect(await listed()).toEqual(["short"]);
  const result = await board.put(worker, { kind: "result", body: "done", refs: [{ rel: "answers", id: one.id }] });
  expect(await listed()).toEqual(["short"]);
  board.clock.advance(61_000);
  expect((await board.get(`/api/messages/${short.id}`)).status).toBe(410);
  expect(await listed()).toEqual(["whole"]);
  await board.put(checker, { kind: "verification", body: "wrong", refs: [{ rel: "refutes", id: result.id }] });
  board.clock.advance(5 * 3600_000);
  expect(await listed()).toEqual(["one"]);
  await board.put(asker, { kind: "retraction", refs: [{ rel: "retracts", id: one.id }] });
  expect(await listed()).toEqual(["whole"]);
});

test("nobody is offered what its author has just taken away from it", async () => {
  await using board = await TestBoard.start();
  const [asker, worker, other] = [board.agent(), board.agent(), board.agent()];
  const task = await board.put(asker, { kind: "task", title: "mine" });
  const claim = await board.put(worker, { kind: "claim", refs: [{ rel: "claims", id: task.id }] });
  await board.put(asker, { kind: "signal", signal: "stale", refs: [{ rel: "on", id: claim.id }] });
  const listed = async (agent: string) => titlesOf((await board.get<WorkBody>(`/api/work?as=${agent}`)).body);
  expect(await listed(other.id)).toEqual(["mine"]);
  expect(await listed(worker.id)).toEqual([]);
});

describe("an agent that asks for one piece of work takes it", () => {
  const one = async (board: TestBoard, agent: string, more = "") =>
    (await board.get<WorkBody>(`/api/work?as=${agent}&limit=1${more}`)).body.messages[0]?.meta.title;

  test("so others are shown other work for a while, and the same work if there is no other", async () => {
    await using board = await TestBoard.start();
    const asker = board.agent();
    for (const title of ["a", "b", "c", "d"]) await board.put(asker, { kind: "task", title });
    const workers = Array.from({ length: 4 }, () => board.agent().id);
    const shown: (string | undefined)[] = [];
    for (const worker of workers) shown.push(await one(board, worker));
    expect(new Set(shown)).toEqual(new Set(["a", "b", "c", "d"]));
    // Each agent is shown its own piece again, and a fifth agent gets any piece.
    for (const [i, worker] of workers.entries()) expect(await one(board, worker)).toBe(shown[i]);
    expect(["a", "b", "c", "d"]).toContain(await one(board, board.agent().id));
    // The whole list is still complete.
    expect((await board.get<WorkBody>(`/api/work?as=${workers[0]}`)).body.messages).toHaveLength(4);
  });

  test("an agent that can wait is shown it after the turn of the one before, and nobody can withhold it from others by looking", async () => {
    await using board = await TestBoard.start();
    await board.put(board.agent(), { kind: "task", title: "only" });
    for (let turn = 1; turn <= 4; turn++) {
      const poll = one(board, board.agent().id, "&wait=30");
      if (turn > 1) {
        await waits(board);
        board.clock.advance(15_000);
      }
      expect(await poll).toBe("only");
    }
    await one(board, board.agent().id);
    board.clock.advance(15_000);
    for (let i = 0; i < 3; i++) expect(await one(board, board.agent().id, "&wait=30")).toBe("only");
  });

  test("nor by looking and voting: an agent that can wait is not kept from work that others vote on", async () => {
    await using board = await TestBoard.start();
    const [asker, voter] = [board.agent(), board.agent()];
    const task = await board.put(asker, { kind: "task", title: "only" });
    for (let turn = 0; turn < 8; turn++) {
      const rel = turn % 2 === 0 ? "verifies" : "refutes";
      await board.put(voter, { kind: "verification", body: "why not", refs: [{ rel, id: task.id }] });
      await one(board, board.agent().id);
      if (turn < 7) board.clock.advance(15_000);
    }
    expect(await one(board, board.agent().id, "&wait=15")).toBe("only");
    // An hour later, others are shown other work first again.
    board.clock.advance(3600_000);
    await board.put(asker, { kind: "task", title: "another" });
    const shown = [await one(board, board.agent().id), await one(board, board.agent().id)];
    expect(new Set(shown)).toEqual(new Set(["another", "only"]));
  });

  test("and learns in the same answer what it holds and what a claim costs", async () => {
    await using board = await TestBoard.start();
    const [asker, worker] = [board.agent(), board.agent()];
    const tasks = [await board.put(asker, { kind: "task", title: "long" }), await board.put(asker, { kind: "task", title: "short" })];
    const asked = `/api/work?as=${worker.id}&held=1`;
    expect((await board.get(asked)).body).toMatchObject({ held: [], required_bits: expect.any(Number) as number });
    for (const [i, lease] of ["2h", "1h"].entries())
      await board.put(worker, { kind: "claim", lease, refs: [{ rel: "claims", id: tasks[i]!.id }] });
    const { body } = await board.get<{ held: { meta: { title: string }; content: object }[] }>(`${asked}&fields=meta.kind`);
    expect(body.held.map(({ meta }) => meta.title)).toEqual(["short", "long"]);
    expect(body.held[0]!.content).not.toHaveProperty("body");
    const skeleton = await board.get(`${asked}&view=skeleton`);
    expect(JSON.stringify(skeleton.body)).not.toContain("short");
    const { body: page } = await board.get<string>(`${asked}&format=md`);
    expect(page).toContain(`You hold ${tasks[1]!.id.slice(0, 12)} until `);
    expect(page).toMatch(/required_bits \d+/);
    expectRefusal(await board.get("/api/work?held=1"), 400, "invalid_parameter");
  });
});

test("work that is open all the time is on some page, though other work is opened again meanwhile", async () => {
  await using board = await TestBoard.start();
  const [asker, worker, me] = [board.agent(), board.agent(), board.agent()];
  // One more than are ordered for the caller, while all are open.
  const tasks = await putAll(
    board,
    Array.from({ length: 65 }, (_, i) => ({ kind: "task", title: `task ${i}` })),
    [asker],
  );
  const claimed = tasks[30]!.id;
  const claim = await board.put(worker, { kind: "claim", refs: [{ rel: "claims", id: claimed }] });
  const seen = new Set([claimed]);
  for (let cursor: string | null = ""; cursor !== null;) {
    const at: string = cursor === "" ? "" : `&cursor=${cursor}`;
    const { body } = await board.get<{ messages: { id: string }[]; next_cursor: string | null }>(`/api/work?as=${me.id}&limit=20${at}`);
    for (const { id } of body.messages) seen.add(id);
    if (cursor === "") await board.put(worker, { kind: "retraction", refs: [{ rel: "retracts", id: claim.id }] });
    cursor = body.next_cursor;
  }
  expect(tasks.filter(({ id }) => !seen.has(id))).toEqual([]);
});

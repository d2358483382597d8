import { expect, test } from "vitest";
import type { Agent } from "../support/agent.ts";
import { TestBoard } from "../support/board.ts";
import { expectRefusal } from "../support/refusal.ts";

interface ListBody {
  messages: {
    id: string;
    seq: number;
    meta: { kind: string; title?: string };
    match?: { needs: string[]; rejected?: string[]; refutations?: object[] };
    reason?: string;
    score?: number;
  }[];
  next_cursor: string | null;
  latest_seq: number;
}

const byId = (a: { id: string }, b: { id: string }): number => (a.id < b.id ? -1 : 1);

test("a listing shows the newest first and pages without gaps or repeats", async () => {
  await using board = await TestBoard.start();
  const agent = board.agent();
  const ids: string[] = [];
  for (let i = 0; i < 25; i++)
    ids.unshift((await board.put(agent, { kind: "note", title: `note ${i}`, tags: [i % 2 ? "odd" : "even"] })).id);
  for (const sort of ["new", "old", "activity", "expiring", "verified", "pow"]) {
    const seen: string[] = [];
    let cursor: string | null = "";
    while (cursor !== null) {
      const { status, body }: { status: number; body: ListBody } = await board.get<ListBody>(
        `/api/messages?limit=7&sort=${sort}${cursor && `&cursor=${cursor}`}`,
      );
      expect(status, JSON.stringify(body)).toBe(200);
      seen.push(...body.messages.map((one) => one.id));
      cursor = body.next_cursor;
    }
    expect(seen.toSorted()).toEqual(ids.toSorted());
    if (sort === "new") expect(seen).toEqual(ids);
  }
  const odd = await board.get<ListBody>("/api/messages?tag=odd&limit=200");
  expect(odd.body.messages.length).toBe(12);
});

test("work that only another agent may claim is left out if the caller names its agent, and otherwise shown", async () => {
  await using board = await TestBoard.start();
  const [asker, worker, other] = [board.agent(), board.agent(), board.agent()];
  let tasks = 0;
  const put = (more: object) => board.put(asker, { kind: "task", title: `work ${tasks++}`, tags: ["one"], ...more });
  const [free, own, foreign] = [await put({ needs: ["net"] }), await put({ to: worker.id }), await put({ to: other.id, needs: ["net"] })];
  const listed = async (query: string) => (await board.get<ListBody>(`/api/work?${query}`)).body.messages.map(({ id }) => id);
  expect(await listed("")).toEqual([free.id, own.id, foreign.id]);
  const same = (ids: readonly string[]) => new Set(ids);
  expect(same(await listed(`as=${worker.id}`))).toEqual(same([own.id, free.id]));
  expect(await listed(`as=${worker.id}&offers=net&tags=one`)).toEqual([free.id, own.id]);
  expect(same(await listed(`as=${other.id}&needs=net`))).toEqual(same([foreign.id, free.id]));
  expect(await listed(`as=${worker.id}&needs=net`)).toEqual([free.id]);
  const first = await board.get<ListBody>(`/api/work?as=${worker.id}&limit=1`);
  const second = await listed(`as=${worker.id}&limit=1&cursor=${first.body.next_cursor}`);
  expect(same([...first.body.messages.map(({ id }) => id), ...second])).toEqual(same([own.id, free.id]));
  expectRefusal(await board.get(`/api/work?as=${other.id}&limit=1&cursor=${first.body.next_cursor}`), 400, "cursor_mismatch");
  expectRefusal(await board.get("/api/work?as=nobody-here"), 400, "invalid_parameter");
  const page = await (await fetch(`${board.url}/work?as=${worker.id}`, { headers: { accept: "text/html" } })).text();
  expect([own, free, foreign].map(({ id }) => page.includes(`/m/${id.slice(0, 12)}`))).toEqual([true, true, false]);
  // An agent that claims too late gets other work that it may claim.
  await board.put(other, { kind: "claim", refs: [{ rel: "claims", id: free.id }] });
  const another = await put({});
  const late = await board.post(worker, { kind: "claim", refs: [{ rel: "claims", id: free.id }] });
  const alternatives = expectRefusal(late, 409, "already_claimed").details?.["alternatives"] as { id: string }[];
  expect(alternatives.toSorted(byId)).toEqual(
    [own, another].map(({ id, meta }) => ({ id, title: meta.title, needs: [], untrusted: true })).toSorted(byId),
  );
});

test("work, inbox and expiring show what they promise", async () => {
  await using board = await TestBoard.start();
  const [asker, worker] = [board.agent(), board.agent()];
  const plain = await board.put(asker, { kind: "task", title: "anything" });
  const german = await board.put(asker, { kind: "question", title: "deutsch", needs: ["german", "patience"], tags: ["docs"] });
  const mine = await board.put(worker, { kind: "note", title: "for you", to: asker.id, ttl: "1h" });
  const reply = await board.put(worker, { kind: "note", title: "re", refs: [{ rel: "reply", id: plain.id }] });
  await board.put(asker, { kind: "note", title: "self", refs: [{ rel: "reply", id: plain.id }] });

  const work = await board.get<ListBody>("/api/work?offers=German,dutch&limit=1");
  expect(work.body.messages.map((one) => [one.id, one.match])).toEqual([[german.id, { needs: ["german"], of: 2 }]]);
  expect(work.headers.get("link")).toContain('rel="next"');
  const rest = await board.get<ListBody>(`/api/work?offers=German,dutch&limit=1&cursor=${work.body.next_cursor}`);
  expect(rest.body.messages.map((one) => one.id)).toEqual([plain.id]);
  expect(rest.body.next_cursor).toBeNull();

  const inbox = await board.get<ListBody>(`/api/inbox/${asker.id}`);
  expect(inbox.body.messages.map((one) => [one.id, one.reason])).toEqual([
    [reply.id, "reply"],
    [mine.id, "addressed"],
  ]);
  const expiring = await board.get<ListBody>("/api/expiring?within=2h");
  expect(expiring.body.messages.map((one) => one.id)).toEqual([mine.id]);
});

test("an unchanged board answers a repeated question with 304", async () => {
  await using board = await TestBoard.start();
  const agent = board.agent();
  await board.put(agent, { kind: "note", title: "one" });
  const first = await board.get("/api/messages");
  const etag = first.headers.get("etag") ?? "";
  expect(etag).toMatch(/^W\/"/);
  expect((await board.get("/api/messages", { headers: { "if-none-match": etag } })).status).toBe(304);
  await board.put(agent, { kind: "note", title: "two" });
  expect((await board.get("/api/messages", { headers: { "if-none-match": etag } })).status).toBe(200);
});

test("work whose answers were rejected is back in the list at once, with what was rejected, and gone again with a good answer", async () => {
  await using board = await TestBoard.start();
  const [asker, worker, checker, other] = [board.agent(), board.agent(), board.agent(), board.agent()];
  const task = await board.put(asker, { kind: "task", title: "Count the rows" });
  const work = async () => (await board.get<ListBody>("/api/work")).body.messages.map(({ id, match }) => ({ id, match }));
  const answer = (body: string) => board.put(worker, { kind: "result", body, refs: [{ rel: "answers", id: task.id }] });
  const vote = (agent: Agent, rel: "verifies" | "refutes", id: string) =>
    board.put(agent, { kind: "verification", body: "checked", refs: [{ rel, id }] });
  expect(await work()).toEqual([{ id: task.id, match: { needs: [], of: 0 } }]);
  const first = await answer("seven");
  expect(await work()).toEqual([]);
  await vote(checker, "refutes", first.id);
  expect((await work())[0]).toMatchObject({ id: task.id, match: { needs: [], of: 0, reopened: true, rejected: [first.id] } });
  const second = await answer("eight");
  await vote(checker, "verifies", second.id);
  expect(await work()).toEqual([]);
  // The asker has the last word.
  await vote(asker, "refutes", second.id);
  expect((await work())[0]?.match).toMatchObject({ rejected: [first.id, second.id] });
  expect((await board.record(task.id)).derived).toMatchObject({ status: "open", answers: 0, rejected: 2 });
  await vote(asker, "verifies", first.id);
  await vote(other, "refutes", first.id);
  expect(await work()).toEqual([]);
  expect((await board.record(task.id)).derived).toMatchObject({ status: "answered", answers: 1, rejected: 1 });
  const changes = (await board.get<{ changes: { type: string; id: string; detail: string }[] }>("/api/changes")).body.changes;
  const moves = changes.filter(({ type, id }) => type === "status" && id === task.id).map(({ detail }) => JSON.parse(detail) as object);
  expect(moves).toEqual([
    { from: "open", to: "answered" },
    { from: "answered", to: "open" },
    { from: "open", to: "answered" },
    { from: "answered", to: "verified" },
    { from: "verified", to: "open" },
    { from: "open", to: "answered" },
  ]);
});

test("an agent that takes work that came back learns why: the last objection to each answer, if it is still in force", async () => {
  await using board = await TestBoard.start();
  const [asker, worker, checker, other] = [board.agent(), board.agent(), board.agent(), board.agent()];
  const task = await board.put(asker, { kind: "task", title: "Count the rows" });
  const answer = (body: string) => board.put(worker, { kind: "result", body, refs: [{ rel: "answers", id: task.id }] });
  const vote = (agent: Agent, rel: "verifies" | "refutes", to: { id: string }, body: string) =>
    board.put(agent, { kind: "verification", body, refs: [{ rel, id: to.id }] });
  const refutations = async () => (await board.get<ListBody>("/api/work")).body.messages[0]?.match?.refutations;
  const [seven, eight] = [await answer("seven"), await answer("eight")];
  const long = await vote(checker, "refutes", seven, "x".repeat(300));
  const first = { id: long.id, answer: seven.id, author: checker.id, preview: "x".repeat(280), untrusted: true };
  await vote(checker, "refutes", eight, "One too few.");
  const title = await board.put(other, { kind: "verification", body: "Two", title: "", refs: [{ rel: "refutes", id: eight.id }] });
  expect(await refutations()).toEqual([first, { id: title.id, answer: eight.id, author: other.id, preview: "Two", untrusted: true }]);
  // Objections that were withdrawn, or replaced by another vote, are not shown.
  await vote(other, "verifies", eight, "Right after all.");
  const word = await vote(asker, "refutes", eight, "It is nine.");
  expect(await refutations()).toMatchObject([first, { id: word.id, preview: "It is nine." }]);
  await board.put(asker, { kind: "retraction", refs: [{ rel: "retracts", id: word.id }] });
  const again = await vote(asker, "refutes", eight, "Nine, and I looked twice.");
  expect(await refutations()).toMatchObject([first, { id: again.id }]);
  const { body: shown } = await board.get<string>("/api/work?format=md");
  const [, inside = ""] = /<<<DATA \w+\n(.*)\nDATA/s.exec(shown) ?? [];
  expect(inside).toContain(`why ${eight.id.slice(0, 12)} was rejected, by ${asker.id}: Nine, and I looked twice.`);
  expect((await board.get<ListBody>("/api/work?view=skeleton")).body.messages[0]?.match).toBeUndefined();
});

test("an agent that claims too late gets similar work: by its offers, its earlier claims, and what it wanted", async () => {
  await using board = await TestBoard.start();
  const [asker, holder, late] = [board.agent(), board.agent(), board.agent()];
  const task = (title: string, more: object = {}) => board.put(asker, { kind: "task", title, ...more });
  const claim = (agent: Agent, id: string) => board.post(agent, { kind: "claim", body: id, refs: [{ rel: "claims", id }] });
  const wanted = await task("wanted", { tags: ["Docs"] });
  const before = await task("before", { needs: ["German"] });
  const like = [
    await task("docs", { tags: ["docs"] }),
    await task("german", { needs: ["german"] }),
    await task("maths", { needs: ["maths", "docs"] }),
  ];
  for (let i = 0; i < 5; i++) await task(`anything ${i}`);
  await claim(late, before.id);
  await board.put(late, { kind: "offer", offers: ["Maths"] });
  await claim(holder, wanted.id);
  // Work that its author has taken away from the agent is not offered to it.
  const lost = await task("maths and docs", { needs: ["maths"], tags: ["docs"] });
  const taken = await claim(late, lost.id);
  await board.put(asker, { kind: "signal", signal: "stale", refs: [{ rel: "on", id: taken.body.id }] });
  const { details } = expectRefusal(await claim(late, wanted.id), 409, "already_claimed");
  const [best, ...rest] = (details?.["alternatives"] ?? []) as { id: string }[];
  expect(best).toEqual({ id: like[2]!.id, title: "maths", needs: ["maths", "docs"], untrusted: true });
  // Among equal work, each agent starts at another piece.
  expect(rest.toSorted(byId)).toEqual(
    [
      { id: like[1]!.id, title: "german", needs: ["german"], untrusted: true },
      { id: like[0]!.id, title: "docs", needs: [], untrusted: true },
    ].toSorted(byId),
  );
  // Work that needs only unknown skills is no alternative; then the answer says how to wait.
  await using bare = await TestBoard.start();
  const [boss, quick, slow] = [bare.agent(), bare.agent(), bare.agent()];
  const only = await bare.put(boss, { kind: "task", title: "only" });
  await bare.put(boss, { kind: "task", title: "strange", needs: ["zz"] });
  await bare.put(quick, { kind: "claim", refs: [{ rel: "claims", id: only.id }] });
  const none = expectRefusal(await bare.post(slow, { kind: "claim", refs: [{ rel: "claims", id: only.id }] }), 409, "already_claimed");
  expect(none.details?.["alternatives"]).toEqual([]);
  expect(none.hint).toContain("/api/work?wait=30");
});

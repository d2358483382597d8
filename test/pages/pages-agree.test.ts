// What pages say about a thread, its votes, answers and names agrees with the rules of the board.
import { expect, test } from "vitest";
import { nameIn } from "../../src/core/view/name-in-profile-title.ts";
import { TestBoard } from "../support/board.ts";
import { hashOf, type KeyAct, signed } from "../support/key-stage.ts";

const BROWSER = { accept: "text/html" };
const plain = (text: string): string =>
  text
    .replaceAll(/<svg[^]*?<\/svg>|<[^>]*>/g, "")
    .replaceAll(/\s+/g, " ")
    .trim();
const pageOf = async (board: TestBoard, path: string): Promise<string> => (await board.get<string>(path, { headers: BROWSER })).body;
const stateOf = (page: string): string => plain(/data-state[^>]*>([^]*?)<\/p>/.exec(page)?.[1] ?? "none");

test("feed: one text cannot make it unreadable", async () => {
  await using board = await TestBoard.start();
  await board.put(board.agent(), { kind: "note", title: "a\uFFFEb", body: "c\uFFFFd" });
  const { body } = await board.get<string>("/feed.atom");
  expect(body).not.toMatch(/[\uFFFE\uFFFF]/);
});

test("a vote counts on the page whatever the kind of its message", async () => {
  await using board = await TestBoard.start();
  const finding = await board.put(board.agent(), { kind: "finding", title: "f", body: "x" });
  await board.put(board.agent(), { kind: "note", body: "I checked", refs: [{ rel: "verifies", id: finding.id }] });
  expect((await board.record(finding.id)).derived.status).toBe("verified");
  expect(stateOf(await pageOf(board, `/m/${finding.id}`))).toMatch(/^confirmed by ag_\w+\.$/);
});

test("a vote that its agent has changed is told once, and an author's own vote not at all", async () => {
  await using board = await TestBoard.start();
  const [author, checker] = [board.agent(), board.agent()];
  const { id } = await board.put(author, { kind: "finding", title: "f", body: "x" });
  await board.put(author, { kind: "verification", body: "mine", refs: [{ rel: "verifies", id }] });
  expect(stateOf(await pageOf(board, `/m/${id}`))).toBe("Nobody has checked this yet.");
  await board.put(checker, { kind: "verification", body: "I checked", refs: [{ rel: "verifies", id }] });
  await board.put(checker, { kind: "verification", body: "oh no", refs: [{ rel: "refutes", id }] });
  expect((await board.record(id)).derived).toMatchObject({ status: "disputed", verifies: 0, refutes: 1 });
  expect(stateOf(await pageOf(board, `/m/${id}`))).toMatch(/^disputed by ag_\w+\.$/);
});

test("the parts of a task are those that the board counts", async () => {
  await using board = await TestBoard.start();
  const a = board.agent();
  const { id } = await board.put(a, { kind: "task", title: "root" });
  const part = { rel: "subtask_of", id } as const;
  const old = await board.put(a, { kind: "subtask", title: "old part", refs: [part] });
  await board.put(a, { kind: "subtask", title: "new part", refs: [part, { rel: "supersedes", id: old.id }] });
  await board.put(a, { kind: "task", title: "part as a task", refs: [part] });
  const table = /<table class="parts">([^]*?)<\/table>/.exec(await pageOf(board, `/m/${id}`))?.[1] ?? "";
  expect(plain(table)).toBe("Part Status Who Result new part Open part as a task Open");
});

test("a report of fewer than 4,000 characters with line breaks is taken from the form", async () => {
  await using board = await TestBoard.start();
  const { id } = await board.put(board.agent(), { kind: "note", body: "x" });
  // 3,740 characters for the browser and the board's limit, as browsers send them.
  const explanation = "0123456789\r\n".repeat(340);
  const body = new URLSearchParams({ target: id, category: "spam", explanation }).toString();
  const headers = { ...BROWSER, "content-type": "application/x-www-form-urlencoded" };
  expect((await board.get("/report", { method: "POST", headers, body })).status).toBe(201);
});

test("who has rotated the key finds the buttons for everything that is still theirs", async () => {
  await using board = await TestBoard.start();
  const [old, next] = [board.agent(), board.agent()];
  const operate = async (signer: typeof old, act: KeyAct): Promise<void> => {
    board.clock.advance(2000);
    const sent = signed(signer, old, act, await board.name(), board.clock.now());
    expect((await board.send(JSON.stringify(sent), "/api/keys")).status).toBe(201);
  };
  const own = await board.put(old, { kind: "task", title: "work" });
  const other = await board.put(board.agent(), { kind: "task", title: "work of another" });
  const claim = await board.put(old, { kind: "claim", refs: [{ rel: "claims", id: other.id }] });
  await operate(old, { op: "commit", next: hashOf(next) });
  await operate(next, { op: "rotate" });
  const factIn = async (id: string, name: string): Promise<string | undefined> =>
    new RegExp(`<div\\s+class="state [^>]*data-${name}="([^"]*)"`).exec(await pageOf(board, `/m/${id}`))?.[1];
  // The script shows "Mark as done", "Withdraw" and "Reopen" to the author or owner, and "Release" where the claim is known.
  expect(await factIn(own.id, "owner")).toBe(next.id);
  expect(await factIn(other.id, "claim")).toBe(claim.id);
  const closing = await board.put(next, { kind: "signal", signal: "resolved", refs: [{ rel: "on", id: own.id }] });
  expect(await factIn(own.id, "closing")).toBe(closing.id);
});

test("a name cannot look like an alias", async () => {
  for (const before of ["\u200D", "\u200C", "\uFE0F", "\u2800", "\u200D \u200D"]) expect(nameIn(`${before}@alice`)).toBe("alice");
});

test("a title of joiners counts as none", async () => {
  await using board = await TestBoard.start();
  const { id } = await board.put(board.agent(), { kind: "note", title: "\u200D\uFE0F\u200D", body: "the text" });
  const { body } = await board.get<string>("/", { headers: BROWSER });
  const heading = /<h3[^>]*>([^]*?)<\/h3>/.exec(body.slice(body.indexOf(`data-id="${id}"`)))?.[1] ?? "";
  expect(plain(heading)).toBe("the text");
});

test("a name that shows nothing is none", () => expect(nameIn("\u200D\uFE0F")).toBeUndefined());
test("a filter in the title of the page is cut between characters", async () => {
  await using board = await TestBoard.start();
  const { body } = await board.get<string>(`/?near=${encodeURIComponent(`a${"😀".repeat(40)}`)}`, { headers: BROWSER });
  expect(/<title>[^<]*/.exec(body)?.[0]).not.toContain("\uFFFD");
});

test("an answer that was rejected or replaced is told as no answer", async () => {
  await using board = await TestBoard.start();
  const [a, b, c] = [board.agent(), board.agent(), board.agent()];
  const { id } = await board.put(a, { kind: "question", title: "q" });
  const one = await board.put(b, { kind: "answer", body: "wrong", refs: [{ rel: "answers", id }] });
  await board.put(a, { kind: "verification", body: "no", refs: [{ rel: "refutes", id: one.id }] });
  const s1 = [(await board.record(id)).derived.status, stateOf(await pageOf(board, `/m/${id}`))];
  await board.put(c, { kind: "answer", body: "right", refs: [{ rel: "answers", id }] });
  const s2 = [(await board.record(id)).derived.status, stateOf(await pageOf(board, `/m/${id}`))];
  const task = await board.put(a, { kind: "task", title: "t" });
  const p = await board.put(a, { kind: "subtask", title: "p", refs: [{ rel: "subtask_of", id: task.id }] });
  const r = await board.put(b, { kind: "result", title: "bad result", body: "bad", refs: [{ rel: "answers", id: p.id }] });
  await board.put(a, { kind: "verification", body: "no", refs: [{ rel: "refutes", id: r.id }] });
  const table = plain(/<table class="parts">([^]*?)<\/table>/.exec(await pageOf(board, `/m/${task.id}`))?.[1] ?? "");
  const sup = await board.put(a, { kind: "question", title: "q2" });
  const x = await board.put(b, { kind: "answer", body: "v1", refs: [{ rel: "answers", id: sup.id }] });
  await board.put(b, {
    kind: "answer",
    body: "v2",
    refs: [
      { rel: "answers", id: sup.id },
      { rel: "supersedes", id: x.id },
    ],
  });
  const s3 = [(await board.record(sup.id)).derived.status, stateOf(await pageOf(board, `/m/${sup.id}`))];
  expect(s1).toEqual(["open", "Open again. What was answered before was rejected."]);
  expect(s2).toEqual(["answered", `${c.id.slice(0, 11)} answered. Nobody has checked it yet.`]);
  expect(table).toBe("Part Status Who Result p Open");
  expect(s3).toEqual(["answered", `${b.id.slice(0, 11)} answered. Nobody has checked it yet.`]);
});

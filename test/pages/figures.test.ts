// The pages about the state of the board: whether work gets done, who does it, and what happened, in words.
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Agent } from "../support/agent.ts";
import { TestBoard } from "../support/board.ts";
import { BoardStage, hashOf } from "../support/key-stage.ts";

const BROWSER = { accept: "text/html" };
const MINUTE = 60_000;

let board: TestBoard;
let asker: Agent;
let worker: Agent;
let checker: Agent;
beforeAll(async () => {
  board = await TestBoard.start();
  [asker, worker, checker] = [board.agent(), board.agent(), board.agent()];
  await board.put(worker, { kind: "profile", title: "Sable", body: "I work.", offers: ["sql"] });
  const wanted = await board.put(asker, { kind: "task", title: "Count the rows", needs: ["sql"] });
  const open = await board.put(asker, { kind: "question", title: "Which <b>mirror</b>?", needs: ["sql", "german"] });
  board.clock.advance(10 * MINUTE);
  await board.put(worker, { kind: "claim", refs: [{ rel: "claims", id: wanted.id }] });
  board.clock.advance(20 * MINUTE);
  const result = await board.put(worker, { kind: "result", body: "42", refs: [{ rel: "answers", id: wanted.id }] });
  await board.put(checker, { kind: "verification", body: "Counted.", refs: [{ rel: "verifies", id: result.id }] });
  board.clock.advance(30 * MINUTE);
  await board.put(asker, { kind: "signal", signal: "resolved", refs: [{ rel: "on", id: wanted.id }] });
  await board.put(checker, { kind: "claim", refs: [{ rel: "claims", id: open.id }] });
  await board.put(asker, { kind: "task", title: "Still open", needs: ["german", "sql"] });
});
afterAll(() => board[Symbol.asyncDispose]());

const page = async (path: string): Promise<string> => (await board.get<string>(path, { headers: BROWSER })).body;
const plain = (text: string): string =>
  text
    .replaceAll(/<svg[^]*?<\/svg>|<[^>]*>/g, " ")
    .replaceAll(/\s+/g, " ")
    .replaceAll(/ (?=[,.;])/g, "");

test("statistics say whether work gets done: how much, how fast, and which needed skills nobody offers", async () => {
  const text = plain(await page("/stats"));
  expect(text).toContain("3 pieces of work asked for; 1 open, 1 in progress.");
  expect(text).toContain("33 % answered, 1 of 3; half of them within 30 min.");
  expect(text).toContain("50 % of what was claimed was delivered, 1 of 2; half was claimed within 35 min.");
  expect(text).toContain(
    "100 % of what was answered was confirmed by somebody else, 1 of 1; 1 closed by their author, half of them within 1 h.",
  );
  expect(text).toMatch(/sql 1 1/);
  expect(text).toMatch(/german 1 nobody/);
});

test("work that is closed or answered by the next key of who asked or claimed is counted as closed and delivered", async () => {
  await using rotating = await TestBoard.start();
  const stage = await BoardStage.on(rotating);
  const [first, second, former, next] = [rotating.agent(), rotating.agent(), rotating.agent(), rotating.agent()];
  expect(await stage.act(first, first, { op: "commit", next: hashOf(second) })).toBe("counted");
  expect(await stage.act(second, first, { op: "rotate" })).toBe("counted");
  expect(await stage.act(former, former, { op: "commit", next: hashOf(next) })).toBe("counted");
  const { id } = await rotating.put(second, { kind: "task", title: "Count the rows" });
  await rotating.put(former, { kind: "claim", refs: [{ rel: "claims", id }] });
  expect(await stage.act(next, former, { op: "rotate" })).toBe("counted");
  await rotating.put(next, { kind: "result", body: "42", refs: [{ rel: "answers", id }] });
  await rotating.put(second, { kind: "signal", signal: "resolved", refs: [{ rel: "on", id }] });
  const pageText = async (path: string): Promise<string> => plain((await rotating.get<string>(path, { headers: BROWSER })).body);
  expect(await pageText("/stats")).toContain("1 closed by their author");
  expect(await pageText(`/a/${former.id}`)).toContain("1 of 1 claimed and delivered");
});

test("the front page and the statistics count the same threads", async () => {
  const [, counted] = /All threads (\d+)/.exec(plain(await page("/"))) ?? [];
  expect(plain(await page("/stats"))).toContain(` ${counted} threads `);
});

test("what took no time at all is not shown as zero seconds", async () => {
  await using quick = await TestBoard.start();
  const { id } = await quick.put(quick.agent(), { kind: "question", title: "What is it?" });
  const answerer = quick.agent();
  await quick.put(answerer, { kind: "answer", body: "This.", refs: [{ rel: "answers", id }] });
  const pageText = async (path: string): Promise<string> => plain((await quick.get<string>(path, { headers: BROWSER })).body);
  expect(await pageText("/stats")).toContain("100 % answered, 1 of 1; half of them within a second.");
  for (const path of [`/a/${answerer.id}`, "/agents"]) expect(await pageText(path), path).toContain("&lt; 1 s");
});

test("statistics of an empty board ask for work", async () => {
  await using empty = await TestBoard.start();
  const { body } = await empty.get<string>("/stats", { headers: BROWSER });
  expect(plain(body)).toContain("Nobody has asked for work in the last seven days.");
});

test("agents are a table that can be sorted, with what they delivered and how fast", async () => {
  const rows = async (sort: string): Promise<string[]> =>
    [...(await page(`/agents?sort=${sort}`)).matchAll(/<th scope="row">([^]*?)<\/tr>/g)].map(([, row = ""]) => plain(row));
  const [first = ""] = await rows("time");
  expect(first).toMatch(/Sable ·\w{4}.*1 of 1 1 of 1 30 min/);
  expect((await rows("delivered"))[0]).toContain("Sable");
  expect((await rows("active")).at(-1)).toContain("Sable");
  expect((await board.get("/agents?sort=nonsense", { headers: BROWSER })).status).toBe(400);
  expect(plain(await page(`/a/${worker.id}`))).toContain(
    "1 of 1 claimed and delivered 1 of 1 checks confirmed 30 min median time to answer",
  );
});

test("an agent is found by the beginning of its id, as pages show it", async () => {
  expect(plain(await page(`/a/${worker.id.slice(0, 11)}`))).toContain("I work.");
  expect((await board.get("/a/ag_00000000", { headers: BROWSER })).status).toBe(404);
});

test("the log shows what happened in words and names, with the check before the hashes", async () => {
  const text = await page("/log");
  const rows = [...text.matchAll(/<tr data-seq="\d+">([^]*?)<\/tr>/g)].map(([, row = ""]) => plain(row));
  expect(rows.find((row) => row.includes("Sable"))).toMatch(/Sable ·\w{4} delivered a result for Count the rows/);
  expect(rows.some((row) => row.includes("Count the rows went from Open to Claimed"))).toBe(true);
  // The result was judged, not the task that has the title.
  expect(rows.some((row) => row.includes("confirmed a result in Count the rows"))).toBe(true);
  expect(rows.some((row) => row.includes("a result in Count the rows went from Open to Confirmed"))).toBe(true);
  expect(rows.some((row) => row.includes("Which &lt;b&gt;mirror&lt;/b&gt;?"))).toBe(true);
  expect(text.indexOf("data-check-log")).toBeLessThan(text.indexOf("Signed payload"));
});

test("work that fits the reader's skills says so, and a report shows the reported message", async () => {
  const text = plain(await page("/work?offers=SQL,rust"));
  expect(text).toMatch(/Still open .* fits: sql/);
  expect(plain(await page("/work"))).not.toContain("fits:");
  const { body } = await board.get<{ messages: { id: string }[] }>("/api/messages?kind=result");
  const id = body.messages[0]?.id ?? "";
  for (const target of [id, id.slice(0, 12), `http://board.test/m/${id.slice(0, 12)}`])
    expect(plain(await page(`/report?target=${encodeURIComponent(target)}`))).toMatch(/Sable ·\w{4} result .*42/);
  expect((await board.get(`/report?target=${"f".repeat(64)}`, { headers: BROWSER })).status).toBe(200);
});

test("tags are a list of words with their counts, and needs lead to the work", async () => {
  expect(plain(await page("/tags?field=need"))).toMatch(/sql 3 .*german 2/);
  // Skills in demand are those that open work needs, with the same number on every page.
  for (const path of ["/", "/work"])
    expect(plain(await page(path)), path).toMatch(/(Needed most|In demand:) (sql 1 german 1|german 1 sql 1)/);
  expect(await page("/tags?field=need")).toContain('href="/work?needs=sql"');
});

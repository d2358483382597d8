// Plays the table of lists: an agent that knows only the contract finds what it says, in that order, page by page.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { OTHER_PARAMETERS, PARAMETERS, SINGLE, SORTS } from "./lists-table.ts";
import { Scene } from "./scene.ts";
import { type Answer, filled, type Listed, type Message, said, Talk } from "./talk.ts";

let scene: Scene;
let talk: Talk;
beforeAll(async () => {
  scene = await Scene.start();
  talk = scene.talk;
});
afterAll(() => scene[Symbol.asyncDispose]());

const here = (text: string): string => filled(text, scene.values);
const list = (query: string): Promise<Answer<Listed>> => talk.get<Listed>(here(`/api/messages?${query}`));
const idOf = (name: string): string => scene.values[name] ?? name;

interface Found {
  readonly messages?: { readonly id: string }[];
  readonly nodes?: { readonly id: string }[];
  readonly agents?: { readonly id: string }[];
  readonly aliases?: { readonly alias: string }[];
  readonly tags?: { readonly tag: string }[];
  readonly changes?: { readonly seq: number; readonly type: string }[];
}
/** The items of an answer, of any kind. */
const foundBy = (body: Found): string[] => [
  ...scene.namesOf(body.messages ?? body.nodes ?? body.agents ?? []),
  ...(body.aliases ?? []).map((one) => one.alias),
  ...(body.tags ?? []).map((one) => one.tag),
  ...(body.changes ?? []).map((one) => `${one.seq} ${one.type}`),
];

describe("lists", () => {
  test.concurrent.for(PARAMETERS)("%s: %s finds %j", async ([, good, finds]) => {
    const answer = await list(good.includes("limit=") ? good : `${good}&limit=200`);
    expect(said(answer)).toBe("200");
    expect(scene.namesOf(answer.body.messages).toSorted()).toEqual([...finds].toSorted());
    expect(answer.body.latest_seq).toBe(Number(scene.values["head"]));
  });
  test.concurrent.for(PARAMETERS.filter(([, , , bad]) => bad !== undefined))(
    "%s: %s finds %j, but not %s",
    async ([name, , , bad = ""]) => {
      const answer = await list(bad);
      expect(said(answer)).toBe("400 invalid_parameter");
      expect(JSON.stringify(answer.body.error)).toContain(name);
    },
  );
  test.concurrent.for(Object.entries(SINGLE))("%s given twice is a mistake", async ([name, value]) => {
    expect(said(await list(`${name}=${value}`))).toBe("200");
    expect(said(await list(`${name}=${value}&${name}=${value}`))).toBe("400 invalid_parameter");
  });
  test.concurrent.for(SORTS)("sorted by %s: %s: %j", async ([sort, query, first]) => {
    const { body } = await list(sort === "" ? query : `${query}&sort=${sort}`);
    expect(scene.namesOf(body.messages).slice(0, first.length)).toEqual(first);
  });
  test.concurrent.for(OTHER_PARAMETERS)("%s finds %j", async ([good, finds, bad]) => {
    const answer = await talk.get<Found>(here(good));
    expect(said(answer)).toBe("200");
    expect(foundBy(answer.body).toSorted()).toEqual(finds.map(here).toSorted());
    if (bad !== undefined) expect(said(await talk.get(here(bad)))).toBe("400 invalid_parameter");
  });
  test.for([
    ["/api/messages", "limt", "limit"],
    ["/api/messages", "knd", "kind"],
    ["/api/messages", "tags", "tag"],
    ["/api/stream", "autor", "author"],
    ["/api/work", "need", "needs"],
    ["/api/messages/{note}", "includes", "include"],
    ["/api/messages/{note}/graph", "dept", "depth"],
    ["/api/changes", "afer", "after"],
    ["/api/tags", "prefx", "prefix"],
  ] as const)("%s?%s= is told of %s", async ([path, wrong, right]) => {
    const answer = await talk.get(here(`${path}?${wrong}=1`));
    expect(said(answer)).toBe("400 unknown_parameter");
    expect(answer.body.error?.hint).toContain(`\`${right}\``);
  });

  test("near finds what is alike, a text or a message, best first and without itself", async () => {
    const byText = (await list("near=Paint+the+boat")).body.messages;
    expect(scene.namesOf(byText)[0]).toBe("task");
    for (const { score } of byText) expect([(score ?? -1) > 0, (score ?? 2) <= 1]).toEqual([true, true]);
    const scores = byText.map((one) => one.score ?? 0);
    expect(scores).toEqual(scores.toSorted((a, b) => b - a));
    for (const near of ["{task}", here("{task}").slice(0, 12)]) {
      const answer = await list(`near=${near}`);
      expect(said(answer)).toBe("200");
      expect(scene.namesOf(answer.body.messages)).not.toContain("task");
    }
  });
  test("relevance scores lie between 0 and 1", async () => {
    const scores = (await list("q=keeper")).body.messages.map(({ score }) => score !== undefined && score >= 0 && score <= 1);
    expect(scores).toEqual([true, true]);
    expect((await list("kind=note")).body.messages[0]).not.toHaveProperty("score");
  });
  test.for([
    ["/api/messages/{finding}", ["body", "data"]],
    ["/api/messages/{finding}?include=", []],
    ["/api/messages/{finding}?include=data", ["data"]],
    ["/api/messages?kind=finding", ["preview"]],
    ["/api/messages?kind=finding&include=", []],
    ["/api/messages?kind=finding&include=body,raw", ["body", "raw"]],
    ["/api/messages?kind=finding&include=body&include=data", ["body", "data"]],
  ] as const)("%s has %j", async ([path, parts]) => {
    const { body } = await talk.get<Message & Listed>(here(path));
    const record = body.messages?.[0] ?? body;
    const shown = ["body", "data", "preview"].filter((part) => part in record.content);
    expect([...shown, ...("raw" in record ? ["raw"] : [])]).toEqual(parts);
  });
  test.for([
    ["meta.kind", { meta: { kind: "finding" } }],
    ["content.chars,derived.status", { content: { chars: 13 }, derived: { status: "verified" } }],
    ["id", {}],
  ] as const)("fields=%s is all there is", async ([fields, parts]) => {
    const { body } = await list(`kind=finding&fields=${fields}`);
    expect(body.messages).toEqual([{ id: idOf("finding"), ...parts }]);
  });
  test("fields takes whole blocks", async () => {
    const { body } = await list("kind=finding&fields=server.author");
    expect(body.messages).toMatchObject([{ server: { author: { id: idOf("bob") } } }]);
    expect(Object.keys(body.messages[0]?.server ?? {})).toEqual(["author"]);
  });
  test("an ended message says why it ended, and a withdrawn one has no content", async () => {
    const { body } = await list("include_superseded=1&include_removed=1&include=body,raw&limit=200");
    const find = (name: string) => body.messages.find(({ id }) => id === idOf(name));
    expect(find("old")).toMatchObject({ server: { gone: { reason: "superseded" } }, derived: { superseded_by: idOf("version") } });
    expect(find("withdrawn")).toMatchObject({ server: { gone: { reason: "retracted" } } });
    expect(JSON.stringify(find("withdrawn"))).not.toContain("A slip");
    expect(find("note")?.server).not.toHaveProperty("gone");
  });
  test("offers puts work first whose needs are met, and says which", async () => {
    const { body } = await talk.get<Listed>("/api/work?offers=RUST,sql");
    expect(body.messages.map((one) => one.match)).toEqual([
      { needs: ["Rust", "SQL"], of: 2 },
      { needs: [], of: 1 },
    ]);
    expect((await talk.get<Listed>("/api/work?offers=rust")).body.messages[0]?.match).toEqual({ needs: ["Rust"], of: 2 });
  });
  test("an inbox says why a message is in it", async () => {
    const { body } = await talk.get<Listed>(here("/api/inbox/{ann}"));
    const reasons = Object.fromEntries(body.messages.map((one) => [scene.namesOf([one])[0], one.reason]));
    expect(reasons).toEqual({ question: "addressed", claim: "reply", doubt: "vote", reply: "reply" });
  });
});

describe("pages", () => {
  test("a cursor continues where a page ended, and so does the link", async () => {
    const whole = scene.namesOf((await list("limit=200")).body.messages);
    const paged: string[] = [];
    let next = "/api/messages?limit=7";
    for (;;) {
      const answer = await talk.get<Listed>(next);
      paged.push(...scene.namesOf(answer.body.messages));
      const link = /^<([^>]+)>; rel="next"/.exec(answer.headers.get("link") ?? "")?.[1];
      expect(link === undefined).toBe(answer.body.next_cursor === null);
      if (link === undefined || answer.body.next_cursor === null) break;
      const { pathname, search, searchParams } = new URL(link, talk.board.url);
      expect([pathname, searchParams.get("cursor")]).toEqual(["/api/messages", answer.body.next_cursor]);
      next = pathname + search;
    }
    expect(paged).toEqual(whole);
    expect(whole.length).toBeGreaterThan(14);
  });
  test("a cursor of other filters, and one that was changed, are refused", async () => {
    const cursor = (await list("limit=1")).body.next_cursor ?? "";
    expect(said(await list(`limit=1&cursor=${cursor}`))).toBe("200");
    expect(said(await list(`limit=1&kind=note&cursor=${cursor}`))).toBe("400 cursor_mismatch");
    const middle = Math.floor(cursor.length / 2);
    const changed = cursor.slice(0, middle) + (cursor[middle] === "A" ? "B" : "A") + cursor.slice(middle + 1);
    expect(said(await list(`limit=1&cursor=${changed}`))).toBe("400 invalid_cursor");
  });
  test("beyond the head there is nothing but the head", async () => {
    const head = Number(scene.values["head"]);
    expect((await list("after_seq=999999")).body).toMatchObject({ messages: [], latest_seq: head });
    expect((await talk.get("/api/changes?after=999999")).body).toMatchObject({ changes: [], latest_seq: head, more: false });
    expect((await talk.get(`/api/changes?after=${head - 1}`)).body).toMatchObject({
      changes: [{ seq: head }],
      next_after: head,
      more: false,
    });
  });
});

describe("a thread and a graph", () => {
  test("the whole tree, depth first", async () => {
    const { body } = await talk.get<Listed & { edges: object[]; open: string[] }>(here("/api/messages/{reply}/thread"));
    expect(body).toMatchObject({ root: idOf("note"), focus: idOf("reply"), complete: true, total: 3, next_cursor: null, open: [] });
    expect(scene.namesOf(body.messages)).toEqual(["note", "doubt", "reply"]);
    expect(body.messages).toMatchObject([
      { depth: 0, parent: null, parent_rel: null },
      { depth: 1, parent: idOf("note"), parent_rel: "refutes" },
      { depth: 1, parent: idOf("note"), parent_rel: "reply" },
    ]);
    expect(body.edges).toEqual(
      expect.arrayContaining([
        { from: idOf("doubt"), to: idOf("note"), rel: "refutes" },
        { from: idOf("reply"), to: idOf("note"), rel: "reply" },
      ]),
    );
  });
  test("open work of a thread is named", async () => {
    expect((await talk.get<{ open: string[] }>(here("/api/messages/{task}/thread"))).body.open).toEqual([idOf("task")]);
  });
  test("a prefix of an id is enough, if it fits one message", async () => {
    expect((await talk.record(idOf("note").slice(0, 12))).id).toBe(idOf("note"));
  });
});

test("limit counts messages, however long they are", async () => {
  await using other = await Talk.start();
  const by = other.signer();
  const numbers = Array.from({ length: 60 }, (_, at) => at);
  await Promise.all(numbers.map((n) => other.put(by, { kind: "note", title: `long ${n}`, body: "x".repeat(20_000) })));
  for (const query of ["limit=200&fields=id", "limit=200", "limit=200&include=body", "limit=60&include=raw"]) {
    const { body } = await other.get<Listed>(`/api/messages?${query}`);
    expect([body.messages.length, body.next_cursor], query).toEqual([60, null]);
  }
  const root = (await other.get<Listed>("/api/messages?limit=1&sort=old")).body.messages[0]?.id;
  for (let n = 0; n < 3; n++) await other.put(by, { kind: "note", title: `reply ${n}`, refs: [{ rel: "reply", id: root }] });
  expect((await other.get(`/api/messages/${root}/thread?include=body`)).body).toMatchObject({ complete: true, total: 4 });
});

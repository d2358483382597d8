// Search by words and by similarity over HTTP.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { z } from "zod";
import { MINUTE_MS } from "../../src/core/durations.ts";
import type { dryRunBody } from "../../src/operations/bodies/messages.ts";
import type { Agent, Fields } from "../support/agent.ts";
import { type PostBody, TestBoard } from "../support/board.ts";
import { type ListBody, page } from "../support/listing.ts";
import { expectRefusal } from "../support/refusal.ts";
import { noVectors, vectorJson, WITH_VECTORS } from "../support/vectors.ts";

type DryRun = z.infer<typeof dryRunBody>;

let board: TestBoard;
let agent: Agent;
const posted = new Map<string, PostBody>();
const TEXTS: Readonly<Record<string, Omit<Fields, "kind">>> = {
  universities: { title: "Universities are running quickly", body: "Three of them rebuilt their indexes." },
  running: { title: "A shard", body: "It was running for days before somebody rebuilt the index of universities." },
  cafe: { title: "Das Café an der Straße", body: "Überprüfung der Größe: naïve Schätzung, façade, Ångström" },
  code: { title: "node.js and c++", body: "Use foo-bar, not foo bar; call it don't-care. E-mail: ann@example.org", tags: ["c#"] },
  tagged: { title: "Only the label", body: "nothing else", tags: ["zeppelin"] },
  data: { title: "Only the figures", data: { list: [{ deep: "quokka" }], count: 42 } },
  chinese: { title: "天气预报", body: "今天北京的天气很好,我们去公园散步。" },
  japanese: { title: "東京の天気予報", body: "今日は図書館で本を読みます。コンピューター" },
  thai: { title: "พยากรณ์อากาศ", body: "วันนี้อากาศดีมาก เราไปสวนสาธารณะ" },
};
const WORDS = Object.keys(TEXTS);

beforeAll(async () => {
  board = await TestBoard.start();
  agent = board.agent();
  for (const [name, fields] of Object.entries(TEXTS)) posted.set(name, await board.put(agent, { kind: "note", ...fields }));
});
afterAll(() => board[Symbol.asyncDispose]());

const nameOf = (id: string): string => [...posted].find(([, one]) => one.id === id)?.[0] ?? id;
const find = async (q: string, more = ""): Promise<string[]> => {
  const { messages } = await page(board, `/api/messages?q=${encodeURIComponent(q)}${more}`);
  for (const { score } of messages) expect(score !== undefined && score >= 0 && score <= 1, String(score)).toBe(true);
  expect(messages.map((one) => one.score)).toEqual(messages.map((one) => one.score).toSorted((a, b) => (b ?? 0) - (a ?? 0)));
  return messages.map((one) => nameOf(one.id));
};

describe("an agent finds a message by", () => {
  test.each([
    ["a word, whatever its case", "SHARD", ["running"]],
    ["all words, in any order and any field", "rebuilt universities", ["universities", "running"]],
    ["the forms of an English word", "run university index", ["universities", "running"]],
    ["a phrase", '"rebuilt the index"', ["running"]],
    ["a phrase of other forms", '"running quick"', ["universities"]],
    ["a phrase in typographic quotes", "“rebuilt the index”", ["running"]],
    ["the beginning of a word", "zepp*", ["tagged"]],
    ["the beginning of the last word of a phrase", '"das caf*"', ["cafe"]],
    ["a word without another", "rebuilt -shard", ["universities"]],
    ["a word without a phrase", 'rebuilt -"running quickly"', ["running"]],
    ["a word without its accents", "cafe strasse uberprufung naive", ["cafe"]],
    ["a word with accents it may lack", "CAFÉ", ["cafe"]],
    ["a compound name", "foo-bar", ["code"]],
    ["a name with a dot", "node.js", ["code"]],
    ["a name with signs", "c++", ["code"]],
    ["a word in a tag", "zeppelin", ["tagged"]],
    ["a string deep in data", "quokka", ["data"]],
    ["a Chinese word", "北京", ["chinese"]],
    ["a Japanese word", "図書館", ["japanese"]],
    ["a Thai word", "อากาศ", ["thai"]],
  ])("%s: %s", async (_what, q, expected) => {
    expect((await find(q)).toSorted()).toEqual(expected.toSorted());
  });
  test("a word shared by Chinese and Japanese", async () => {
    expect(new Set(await find("天気"))).toEqual(new Set(["japanese"]));
    expect(new Set(await find("天气"))).toEqual(new Set(["chinese"]));
  });
  test("any of several words if it says so, otherwise all of them", async () => {
    expect(await find("zeppelin quokka")).toEqual([]);
    expect(await find("zeppelin quokka", "&q_mode=all")).toEqual([]);
    expect((await find("zeppelin quokka", "&q_mode=any")).toSorted()).toEqual(["data", "tagged"]);
    expectRefusal(await board.get("/api/messages?q=a&q_mode=some"), 400, "invalid_parameter");
  });
  test("a word in the title before one in the body", async () => {
    expect(await find("universities")).toEqual(["universities", "running"]);
    expect(await find("running")).toEqual(["universities", "running"]);
  });
  test("excluded words", async () => {
    expect((await find("-rebuilt")).toSorted()).toEqual(WORDS.filter((name) => !["universities", "running"].includes(name)).toSorted());
  });
  test("its words among other filters, in another order", async () => {
    const day = await page(board, `/api/messages?q=rebuilt&author=${agent.id}&kind=note&sort=old`);
    expect(day.messages.map((one) => nameOf(one.id))).toEqual(["universities", "running"]);
    for (const { score } of day.messages) expect(score).toBeGreaterThan(0);
    expect((await page(board, `/api/messages?q=rebuilt&author=ag_${"0".repeat(20)}`)).messages).toEqual([]);
  });
  test.each([
    "AND",
    "rebuilt OR",
    "title:shard",
    "NEAR(rebuilt index)",
    "rebuilt^2",
    "{rebuilt}",
    "(rebuilt",
    '"rebuilt',
    "rebuilt'; DROP TABLE messages;--",
    "* rebuilt",
    "rebuilt ~1",
    "+rebuilt",
  ])("its words, though they look like an engine's operators: %s", async (q) => {
    const { status } = await board.get(`/api/messages?q=${encodeURIComponent(q)}`);
    expect(status).toBe(200);
  });
});

describe("an invalid query is refused with a clear text", () => {
  test.each([
    ["nothing", ""],
    ["blanks", "   "],
    ["signs alone", '"" - * !!! () ,.;'],
    ["257 characters", "a".repeat(257)],
    ["257 characters beyond the first plane", "😀".repeat(257)],
    ["17 terms", Array.from({ length: 17 }, (_, i) => `w${i}`).join(" ")],
    ["17 exclusions", Array.from({ length: 17 }, (_, i) => `-w${i}`).join(" ")],
  ])("%s", async (_what, q) => {
    for (const path of ["/api/messages", "/api/stream"])
      expectRefusal(await board.get(`${path}?q=${encodeURIComponent(q)}`), 400, "invalid_query");
  });
  test("256 characters and 16 terms are none too many", async () => {
    expect((await board.get(`/api/messages?q=${"a".repeat(256)}`)).status).toBe(200);
    expect((await board.get(`/api/messages?q=${Array.from({ length: 16 }, (_, i) => `w${i}`).join("%20")}`)).status).toBe(200);
  });
  test("relevance without anything to be relevant to", async () => {
    const error = expectRefusal(await board.get("/api/messages?sort=relevance"), 400, "invalid_parameter");
    expect(error.message).toContain("`q` or `near`");
  });
});

test.skipIf(noVectors)(`no naughty string breaks a search ${WITH_VECTORS}`, async () => {
  for (const one of vectorJson<string[]>("strings/blns.json")) {
    if (one.includes("\0")) continue;
    const value = encodeURIComponent(one.toWellFormed());
    const q = await board.get<ListBody>(`/api/messages?q=${value}`);
    expect([200, 400], one).toContain(q.status);
    if (q.status === 400) expectRefusal(q, 400, "invalid_query");
    const near = await board.get<ListBody>(`/api/messages?near=${value}`);
    expect(near.status, one).toBe(one === "" ? 400 : 200);
    const similar = await board.send(JSON.stringify({ text: one.toWellFormed() }), "/api/similar");
    expect(similar.status, one).toBe(one === "" ? 400 : 200);
  }
});

describe("an agent finds messages like", () => {
  const near = async (value: string, more = "") =>
    (await page(board, `/api/messages?near=${encodeURIComponent(value)}${more}`)).messages.map((one) => nameOf(one.id));
  const idOf = (name: string): string => posted.get(name)?.id ?? "";

  test("a text, the same one first", async () => {
    const { title = "", body = "" } = TEXTS["universities"] ?? {};
    expect((await near(`${title} ${body}`))[0]).toBe("universities");
    const { messages } = await page(board, `/api/messages?near=${encodeURIComponent(`${title} ${body}`)}`);
    expect(messages[0]?.score).toBeGreaterThan(0.9);
    for (const { score } of messages) expect(score).toBeGreaterThanOrEqual(0.35);
  });
  test("a message, by its id or a prefix, which is not like itself", async () => {
    const twin = await board.put(board.agent(), {
      kind: "note",
      title: "Universities are running quickly",
      body: "Three of them rebuilt indexes.",
    });
    posted.set("twin", twin);
    for (const [value, first, itself] of [
      [idOf("universities"), "twin", "universities"],
      [idOf("universities").slice(0, 10), "twin", "universities"],
      [twin.id, "universities", "twin"],
    ] as const) {
      for (const more of ["", "&sort=old", "&q=indexes"]) {
        const found = await near(value, more);
        expect(found, more).toContain(first);
        expect(found, more).not.toContain(itself);
      }
      expect((await near(value))[0]).toBe(first);
    }
    expect(await near(twin.id, "&q=zeppelin")).toEqual([]);
    expect(await near(twin.id, `&author_not=${agent.id}`)).toEqual([]);
  });
  test("nothing, if the id is unknown; a prefix that fits none is a text", async () => {
    const error = expectRefusal(await board.get(`/api/messages?near=${"f".repeat(64)}`), 400, "invalid_parameter");
    expect(error.details).toEqual({ parameter: "near" });
    expect(await near("ffffffffff")).toEqual([]);
    expectRefusal(await board.get("/api/messages?near="), 400, "invalid_parameter");
    const gone = await board.put(agent, { kind: "note", title: "a mistake about universities" });
    await board.put(agent, { kind: "retraction", refs: [{ rel: "retracts", id: gone.id }] });
    expectRefusal(await board.get(`/api/messages?near=${gone.id}`), 400, "invalid_parameter");
  });
});

describe("/api/similar", () => {
  const text = "Universities running quickly rebuilt their indexes";
  const post = (body: unknown, path = "/api/similar") => board.send(typeof body === "string" ? body : JSON.stringify(body), path);

  test("answers GET and POST alike, the most similar first", async () => {
    const got = await page(board, "/api/similar", { text });
    expect(
      got.messages
        .map((one) => nameOf(one.id))
        .slice(0, 2)
        .toSorted(),
    ).toEqual(["twin", "universities"]);
    expect((await post({ text })).body).toEqual(got);
    expect((await post({ text, limit: 1 })).body).toEqual(await page(board, "/api/similar", { text, limit: "1" }));
    const first = (await post({ text, limit: 1 })).body as unknown as ListBody;
    const second = (await post({ text, limit: 1, cursor: first.next_cursor })).body as unknown as ListBody;
    expect(second.messages.map((one) => one.id)).not.toEqual(first.messages.map((one) => one.id));
    for (const asked of [await post({ text }, "/api/similar?format=md"), await post({ text, format: "md" })])
      expect(asked.body).toContain("# Similar messages");
  });
  test("links to the next page if a URL can lead there, in headers that a reader accepts", async () => {
    expect((await board.get(`/api/similar?limit=1&text=${encodeURIComponent(text)}`)).headers.get("link")).toContain('rel="next"');
    expect((await post({ text, limit: 1 })).headers.get("link")).toBeNull();
    const long = Array.from({ length: 1100 }, (_, i) => `rebuilt.${i}`).join(".");
    const answer = await board.get<ListBody>(`/api/similar?limit=1&text=${text.replaceAll(" ", ".")}.${long}`);
    expect([answer.status, answer.headers.get("link")]).toEqual([200, null]);
    expect(answer.body.next_cursor).toEqual(expect.any(String));
  });
  test("takes a text of any length a body may have", async () => {
    expect((await post({ text: "universities ".repeat(2500) })).status).toBe(200);
    expectRefusal(await post({ text: "u".repeat(32_769) }), 400, "invalid_field");
    expect((await post({ text: "😀".repeat(32_768) })).status).toBe(200);
  });
  test.each([
    ["no text", "/api/similar", "invalid_parameter"],
    ["an empty text", "/api/similar?text=", "invalid_parameter"],
    ["a limit out of range", "/api/similar?text=a&limit=0", "invalid_parameter"],
    ["an unknown parameter", "/api/similar?text=a&tag=b", "unknown_parameter"],
    ["a format nobody knows", "/api/similar?text=a&format=xml", "invalid_parameter"],
  ] as const)("refuses %s", async (_what, path, code) => {
    expectRefusal(await board.get(path), 400, code);
  });
  test.each([
    ["what is not JSON", "text", "invalid_json"],
    ["a list", "[]", "invalid_field"],
    ["null", "null", "invalid_field"],
    ["no text", "{}", "invalid_field"],
    ["an empty text", '{"text":""}', "invalid_field"],
    ["a text that is a number", '{"text":1}', "invalid_field"],
    ["a limit out of range", '{"text":"a","limit":201}', "invalid_field"],
    ["a field nobody knows", '{"text":"a","tags":[]}', "unknown_field"],
    ["a cursor that is none", '{"text":"a","cursor":"x"}', "invalid_cursor"],
    ["two texts", '{"text":"a","text":"b"}', "duplicate_key"],
    ["half of a character", '{"text":"a\\ud800"}', "invalid_unicode"],
  ] as const)("refuses a body with %s", async (_what, body, code) => {
    expectRefusal(await post(body), 400, code);
  });
  test("refuses a body of another type, in other bytes, or too large", async () => {
    expectRefusal(await board.send("{}", "/api/similar", { "content-type": "text/plain" }), 415, "unsupported_media_type");
    expectRefusal(await board.send(Uint8Array.of(0x22, 0xff, 0x22), "/api/similar"), 400, "invalid_utf8");
    expectRefusal(await post({ text: "a".repeat(1_100_000) }), 413, "too_large");
    expectRefusal(await board.get("/api/similar", { method: "DELETE" }), 405, "method_not_allowed");
  });
});

test("a search knows a message as soon as its author does, and forgets it as soon as it ends", async () => {
  await using own = await TestBoard.start();
  const author = own.agent();
  const found = async (q: string) => (await page(own, `/api/messages?q=${q}`)).messages.map((one) => one.id);
  const like = async (text: string) => (await page(own, "/api/similar", { text })).messages.map((one) => one.id);
  for (let i = 0; i < 10; i++) {
    const one = await own.put(author, { kind: "note", title: `kangaroo ${i} hops`, ttl: i % 2 ? 60 : "1h" });
    expect(await found(`kangaroo%20${i}`)).toEqual([one.id]);
    expect(await like(`kangaroo ${i} hops`)).toContain(one.id);
    if (i % 2 === 0) {
      await own.put(author, { kind: "retraction", refs: [{ rel: "retracts", id: one.id }] });
    } else {
      own.clock.advance(MINUTE_MS);
    }
    expect(await found(`kangaroo%20${i}`)).toEqual([]);
    expect(await like(`kangaroo ${i} hops`)).not.toContain(one.id);
  }
  const old = await own.put(author, { kind: "note", title: "wombat one" });
  const fresh = await own.put(author, { kind: "note", title: "wombat two", refs: [{ rel: "supersedes", id: old.id }] });
  expect(await found("wombat")).toEqual([fresh.id]);
  expect((await found("wombat&include_superseded=1")).toSorted()).toEqual([old.id, fresh.id].toSorted());
});

describe("a dry run", () => {
  const dry = async (fields: Fields, nonce?: string, by = agent): Promise<DryRun> => {
    const envelope = { ...by.envelope(fields), ...(nonce === undefined ? {} : { nonce }) };
    const { status, body } = await board.send(JSON.stringify(envelope), "/api/messages?dry_run=1");
    if (status !== 200) throw new Error(JSON.stringify(body));
    return body as unknown as DryRun;
  };
  const like = { kind: "note", title: "Universities running quickly", body: "They rebuilt their indexes.", tags: ["t"] };

  test("shows up to three messages that say much the same, the most similar first", async () => {
    const { similar, warnings, result } = await dry(like);
    expect(result).toBe("valid");
    expect(similar.length).toBeGreaterThanOrEqual(2);
    expect(similar.length).toBeLessThanOrEqual(3);
    for (const { id, score, title } of similar) {
      expect(title).toBe((await board.record(id)).derived.display_title);
      expect(score).toBeGreaterThanOrEqual(0.35);
      expect(score).toBeLessThanOrEqual(1);
    }
    expect(similar.map((one) => one.score)).toEqual(similar.map((one) => one.score).toSorted((a, b) => b - a));
    expect(warnings).toEqual([]);
    expect((await dry({ ...like, title: "xylophone", body: "marimba" })).similar).toEqual([]);
    expect((await dry({ kind: "x-empty" })).similar).toEqual([]);
    expect((await dry({ kind: "note", title: "f".repeat(64), tags: ["t"] })).similar).toEqual([]);
  });
  test("warns of likely mistakes of its author", async () => {
    const target = await board.put(agent, { kind: "note", title: "short lived", ttl: 60 });
    const unknown = "e".repeat(64);
    const refs = [
      { rel: "reply" as const, id: unknown },
      { rel: "cites" as const, id: target.id },
    ];
    expect((await dry({ ...like, refs })).warnings).toEqual([
      { code: "target_lost", message: `The target of reply, ${unknown}, is not known here.` },
    ]);
    board.clock.advance(MINUTE_MS);
    expect((await dry({ ...like, refs })).warnings[1]?.message).toBe(`The target of cites, ${target.id}, is expired.`);
    expect((await dry({ kind: "task", title: "no tags" })).warnings).toMatchObject([{ code: "no_tags" }]);
    expect((await dry({ ...like, lease: "1h" })).warnings).toMatchObject([{ code: "lease_without_claim" }]);
    const work = await board.put(agent, { kind: "task", title: "to be claimed", tags: ["t"] });
    expect((await dry({ kind: "claim", lease: "1h", body: "mine", refs: [{ rel: "claims", id: work.id }] })).warnings).toEqual([]);
    expect((await dry(like, "")).warnings).toMatchObject([{ code: "work_unchecked" }]);
    const unix = Math.floor(board.clock.now() / 1000);
    expect((await dry({ ...like, ts: unix - 3000 })).warnings).toEqual([
      { code: "clock_off", message: "`ts` is 3000 s behind the board's clock; see /api/time." },
    ]);
    expect((await dry({ ...like, ts: unix + 200 })).warnings).toEqual([
      { code: "clock_off", message: "`ts` is 200 s ahead of the board's clock; see /api/time." },
    ]);
    expect((await dry({ kind: "x-empty" })).warnings).toMatchObject([{ code: "empty" }]);
  });
  test("writes nothing", async () => {
    const before = (await board.get("/api/checkpoint")).body["seq"];
    await dry({ ...like, title: "never written" });
    expect((await board.get("/api/checkpoint")).body["seq"]).toBe(before);
    expect(await find("never written")).toEqual([]);
  });
});

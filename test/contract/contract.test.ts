// Plays the table of endpoints: an agent that knows only the contract is answered as it says, at each of them.
import { gunzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openStream } from "../support/event-stream.ts";
import { RELS, SIGNALS, STATUSES } from "./effects-table.ts";
import { ATTACHED, Scene } from "./scene.ts";
import { faults } from "./shape.ts";
import { agentIdOf, bitsOf, sha256, signedBy, Signer } from "./signer.ts";
import { FILTERS, NOT_ON_STREAM, PARAMETERS } from "./lists-table.ts";
import { CATEGORIES, CODES, CREATED, DRY_RUN, ENDPOINTS, REFUSALS, type Endpoint } from "./table.ts";
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

describe("the log", () => {
  interface Entry {
    readonly seq: number;
    readonly at: string;
    readonly type: string;
    readonly id: string;
    readonly detail: string | null;
    readonly digest: string;
    readonly prev: string;
    readonly hash: string;
    readonly assisted?: boolean;
    readonly raw?: { readonly payload: string; readonly sig: string; readonly nonce: string } | null;
  }

  test("has no gap, and its chain can be checked down to the signed head", async () => {
    const { changes } = (await talk.get<{ changes: Entry[] }>("/api/changes?include=raw&limit=1000")).body;
    let prev = "0".repeat(64);
    for (const [at, one] of changes.entries()) {
      expect([one.seq, one.prev]).toEqual([at + 1, prev]);
      const text = [prev, one.seq, Date.parse(one.at), one.type, one.id, one.digest].map((line) => `${line}\n`).join("");
      expect(one.hash).toBe(sha256(text));
      if (one.type !== "create") expect(one.digest).toBe(one.detail === null ? "-" : sha256(one.detail));
      else if (one.raw) expect(one.digest).toBe(sha256(`${one.raw.payload}\n${one.raw.sig}\n${one.raw.nonce}`));
      prev = one.hash;
    }
    const { body } = await talk.get<Record<"payload" | "sig" | "pk" | "board" | "hash", string> & { seq: number }>("/api/checkpoint");
    expect([body.seq, body.hash]).toEqual([changes.length, prev]);
    expect(signedBy(body.pk, body.payload, body.sig)).toBe(true);
    expect(body.board).toBe(agentIdOf(body.pk));
    const { v, seq, hash } = JSON.parse(body.payload) as { v: number; seq: number; hash: string };
    expect([v, seq, hash]).toEqual([1, body.seq, body.hash]);
    expect(body.payload).toMatch(/^\{"v":1,"origin":"http:\/\/board\.test","seq":\d+,"hash":"[0-9a-f]{64}","ts":\d+\}$/);
  });
  test("says of every message whether the board signed it, and of every change what it was", async () => {
    const { changes } = (await talk.get<{ changes: Entry[] }>("/api/changes?limit=1000&include=raw")).body;
    const find = (type: string, name: string) => changes.find((one) => one.type === type && one.id === idOf(name));
    expect([find("create", "note")?.assisted, find("create", "helped")?.assisted]).toEqual([false, true]);
    expect(find("create", "withdrawn")?.raw).toBeNull();
    expect(find("retract", "withdrawn")).toBeDefined();
    expect(find("supersede", "old")).toBeDefined();
    expect(find("alias_claim", "ann-of-the-sea")).toBeDefined();
    expect(JSON.parse(find("status", "taken")?.detail ?? "")).toMatchObject({ from: "open", to: "claimed" });
    expect(changes.filter((one) => one.type !== "create").some((one) => "assisted" in one)).toBe(false);
  });
  test("a dump is every live message with what was signed, by seq", async () => {
    const plain = await talk.get<string>("/api/dump.jsonl");
    const lines = plain.body.trim().split("\n");
    const records = lines.map((line) => JSON.parse(line) as Message);
    expect(Number(plain.headers.get("blackboard-seq"))).toBe(await talk.head());
    expect(records.map((one) => one.seq)).toEqual(records.map((one) => one.seq).toSorted((a, b) => a - b));
    const live = (await list("include_superseded=1&limit=200")).body.messages;
    expect(scene.namesOf(records).toSorted()).toEqual(scene.namesOf(live).toSorted());
    for (const one of records) {
      expect(one.id).toBe(sha256(one.raw?.payload ?? ""));
      expect(["body" in one.content, "data" in one.content]).toEqual([false, false]);
    }
    expect(records.find(({ id }) => id === idOf("old"))).toMatchObject({ server: { gone: { reason: "superseded" } } });
    const packed = await fetch(`${talk.board.url}/api/dump.jsonl.gz`);
    expect(gunzipSync(await packed.arrayBuffer()).toString()).toBe(plain.body);
  });
});

describe("the vocabulary", () => {
  interface Named {
    readonly name: string;
    readonly example: Readonly<Record<string, unknown>> & { readonly refs?: { readonly rel: string }[] };
  }
  type Kinds = Readonly<Record<"kinds" | "rels" | "signals" | "statuses", Named[]>> & { readonly report_categories: string[] };

  test("names every kind, rel, signal, status and category", async () => {
    const { body } = await talk.get<Kinds>("/api/kinds");
    const names = (list: readonly Named[]) => list.map((one) => one.name).toSorted();
    const kinds = "note finding task question subtask answer result claim verification summary offer profile signal retraction email";
    expect(names(body.kinds)).toEqual(expect.arrayContaining(kinds.split(" ")));
    expect(names(body.rels)).toEqual(RELS.map((one) => one.rel).toSorted());
    expect(names(body.signals)).toEqual([...SIGNALS].toSorted());
    expect(names(body.statuses)).toEqual([...STATUSES].toSorted());
    expect(body.report_categories.toSorted()).toEqual(CATEGORIES.toSorted());
  });
  test("its examples would be accepted from an agent that signs them and has messages to refer to", async () => {
    const { kinds, rels, signals, statuses } = (await talk.get<Kinds>("/api/kinds")).body;
    const own = new Set(["retracts", "supersedes"]);
    const taken = async ({ name, example }: Named): Promise<void> => {
      const [by, other] = [talk.signer(), talk.signer()];
      const mine = example.refs?.some(({ rel }) => own.has(rel)) === true;
      const target = example.refs === undefined ? "" : (await talk.put(mine ? by : other, { kind: "task", title: "target" })).id;
      const refs = example.refs?.map(({ rel }) => ({ rel, id: target }));
      const answer = await talk.send(
        JSON.stringify(by.seal(by.text({ ...example, refs, pk: by.pk, ts: by.now() }))),
        "/api/messages?dry_run=1",
      );
      expect([answer.status, answer.body.result], `${name}: ${JSON.stringify(answer.body)}`).toEqual([200, "valid"]);
    };
    await Promise.all([...kinds.filter((one) => one.name !== "email"), ...rels, ...signals, ...statuses].map(taken));
  });
  test.for(Object.entries(CODES))("%s is the status of %s", async ([status, codes]) => {
    const { body } = await talk.get<{ errors: { code: string; status: number }[] }>("/api/kinds");
    const listed = body.errors.filter((one) => one.status === Number(status)).map((one) => one.code);
    expect(listed).toEqual(expect.arrayContaining(codes.split(" ")));
  });
  test("tags are counted folded and shown as most write them", async () => {
    const by = talk.signer();
    await talk.put(by, { kind: "note", title: "third", tags: ["harbour"] });
    const find = async (query: string) =>
      (await talk.get<{ field: string; tags: { tag: string; count: number }[] }>(`/api/tags?${query}`)).body;
    expect(await find("prefix=HARB")).toMatchObject({ field: "tag", tags: [{ tag: "harbour", count: 3 }] });
    expect(await find("field=need&prefix=ru")).toMatchObject({ field: "need", tags: [{ tag: "Rust", count: 1 }] });
    expect(await find("field=offer&prefix=RU")).toMatchObject({ field: "offer", tags: [{ tag: "Rust", count: 1 }] });
  });
  test("the example of work can be counted again", async () => {
    const { example } = (await talk.get<{ example: Record<"payload" | "id" | "nonce" | "hash", string> & { bits: number } }>("/api/pow"))
      .body;
    const { payload, id, nonce, hash, bits } = example;
    expect([sha256(payload), sha256(`${id}:${nonce}`), bitsOf(id, nonce)]).toEqual([id, hash, bits]);
  });
  test("the clock says which ts it would take", async () => {
    const { body } = await talk.get<{ now: string; unix: number; unix_ms: number; accept_ts: { min: number; max: number } }>("/api/time");
    expect(body.unix_ms).toBe(talk.board.clock.now());
    expect([Date.parse(body.now), body.unix]).toEqual([body.unix_ms, Math.floor(body.unix_ms / 1000)]);
    expect(body.accept_ts).toEqual({ min: body.unix - 3600, max: body.unix + 300 });
  });
  test("statistics cover a week of hours and every status", async () => {
    const { body } = await talk.get<{ hourly: object[]; live: { by_status: object } }>("/api/stats");
    expect(body.hourly).toHaveLength(168);
    expect(Object.keys(body.live.by_status).toSorted()).toEqual([...STATUSES].toSorted());
  });
  test("an attachment is plain text and never sniffed", async () => {
    const { body, headers } = await talk.get<string>(here("/api/blobs/{blob}"));
    expect([body, headers.get("x-content-type-options")]).toEqual([ATTACHED, "nosniff"]);
  });
  test("agents come by their last act, the newest first", async () => {
    const { agents } = (await talk.get<{ agents: { last_seen: string }[] }>("/api/agents")).body;
    const times = agents.map((one) => one.last_seen);
    expect(times).toEqual(times.toSorted().toReversed());
    expect(new Set(times).size).toBeGreaterThan(2);
  });
  test("a dry run shows what would happen, and similar messages", async () => {
    const by = talk.signer();
    const envelope = by.seal(by.text({ kind: "task", title: "Paint the boat", tags: ["boat"] }));
    const { status, body } = await talk.send(JSON.stringify(envelope), "/api/messages?dry_run=true");
    expect(status).toBe(200);
    expect(faults(DRY_RUN, body)).toEqual([]);
    expect(body).toMatchObject({ id: sha256(envelope.payload), pow_bits: bitsOf(sha256(envelope.payload), envelope.nonce) });
    expect(JSON.stringify(body)).toContain(idOf("task"));
  });
  test("a created message is answered with its record", async () => {
    expect(faults(CREATED, await talk.put(talk.signer(), { kind: "note", title: "new" }))).toEqual([]);
  });
});

const request = ({ method, path, body }: Endpoint): [string, RequestInit] => [
  here(path),
  method === undefined
    ? {}
    : {
        method,
        headers: { "content-type": "application/json", accept: "application/json, text/event-stream" },
        body: here(JSON.stringify(body)),
      },
];
const named = (one: Endpoint): readonly [string, Endpoint] => [`${one.method ?? "GET"} ${one.path}`, one];
/** Each path once, for any method. */
const PATHS = [...new Map(ENDPOINTS.map((one) => [`${one.method} ${one.path.split("?")[0]}`, one])).values()];
const withSlash = (path: string): string => path.replace(/(?=\?|$)/, "/");

describe("endpoints", () => {
  test.concurrent.for(ENDPOINTS.map(named))("%s", async ([, one]) => {
    const answer = await talk.get(...request(one));
    expect(said(answer), JSON.stringify(answer.body)).toBe(one.answer ?? "200");
    expect(answer.headers.get("content-type")).toContain(one.type ?? "application/json");
    expect(faults(one.shape ?? /./, answer.body)).toEqual([]);
  });
  test.concurrent.for(PATHS.filter((one) => one.method === undefined).map(named))("%s with a slash at the end", async ([, one]) => {
    const answer = await talk.get(withSlash(here(one.path)));
    expect(said(answer)).toBe("200");
    expect(answer.headers.get("content-type")).toContain(one.type ?? "application/json");
  });
  test.concurrent.for(PATHS.map(named))("%s says what else may be asked", async ([, one]) => {
    const options = await talk.get(here(one.path), { method: "OPTIONS" });
    expect(options.status).toBe(204);
    expect(options.headers.get("allow")).toContain(one.method ?? "GET");
    const wrong = await talk.get(here(one.path), { method: "DELETE" });
    expect(said(wrong)).toBe("405 method_not_allowed");
    expect(wrong.headers.get("allow")).toContain(one.method ?? "GET");
  });
  test.concurrent.for(PATHS.filter((one) => one.path.startsWith("/api/") && one.method === undefined).map(named))(
    "%s takes no other parameter",
    async ([, { path }]) => {
      expect(said(await talk.get(here(path + (path.includes("?") ? "&" : "?") + "zzzzzz=1")))).toBe("400 unknown_parameter");
    },
  );
  test.for(ENDPOINTS.filter((one) => one.markdown).map(named))("%s speaks Markdown to who asks for it", async ([, { path }]) => {
    const asked = await talk.get<string>(here(path + (path.includes("?") ? "&" : "?") + "format=md"));
    const accepted = await talk.get<string>(here(path), { headers: { accept: "text/markdown" } });
    // Each answer has a new marker.
    const marker = (text: string) => /`(<<<\S+ (\S+))`/.exec(text)?.[2] ?? "none";
    const plain = ({ body }: Answer<string>) => body.replaceAll(marker(body), "MARKER");
    for (const one of [asked, accepted]) expect(one.headers.get("content-type")).toContain("text/markdown");
    expect(plain(accepted)).toBe(plain(asked));
    expect(marker(accepted.body)).not.toBe(marker(asked.body));
  });
  test("text of strangers is between markers", async () => {
    const { body } = await talk.get<string>(here("/api/messages/{note}?format=md"));
    const outside = body.replaceAll(/^<<<.*$[^]*?^.*>>>$/gm, "");
    for (const text of ["Lighthouse", "stairs", "Harbour"]) expect([body.includes(text), outside.includes(text)]).toEqual([true, false]);
  });
  test.concurrent.for(REFUSALS)("%s: %s", async ([request, expected, body]) => {
    const [method = "", path = ""] = request.split(" ");
    const text = typeof body === "string" ? body : here(JSON.stringify(body ?? {}));
    expect(said(await (method === "POST" ? talk.send(text, here(path)) : talk.get(here(path))))).toBe(expected);
  });
  test.concurrent.for(CATEGORIES)("a report of %s", async (category) => {
    const report = { target: idOf("note").slice(0, 12), category, explanation: "x".repeat(4000), contact: "someone" };
    expect(said(await talk.send(JSON.stringify(report), "/api/reports"))).toBe("201");
  });
  test("a report names a message, its page, an agent, an alias or an attachment", async () => {
    const { url } = await talk.record(idOf("note"));
    for (const target of [idOf("note"), url, idOf("ann"), "ann-of-the-sea", idOf("blob")])
      expect(said(await talk.send(JSON.stringify({ target, category: "other", explanation: "y" }), "/api/reports")), target).toBe("201");
  });
  test("the assisted path is for HTTPS only", async () => {
    for (const path of ["keygen", "post", "alias"])
      expect(said(await talk.send("{}", `/api/assist/${path}`, { "x-forwarded-for": "192.0.2.1" }))).toBe("403 https_required");
  });
  test("an id that fits two messages names both", async () => {
    const [first, second] = twoAlike(talk.signer());
    const by = first.by;
    for (const one of [first, second]) expect(said(await talk.send(JSON.stringify(by.seal(one.payload))))).toBe("201");
    const prefix = sha256(first.payload).slice(0, 8);
    const answer = await talk.get(`/api/messages/${prefix}`);
    expect(said(answer)).toBe("404 ambiguous_id");
    expect(answer.body.error?.details?.["candidates"]).toEqual(expect.arrayContaining([first, second].map((one) => sha256(one.payload))));
  });
});

/** Two payloads whose ids begin with the same eight digits; by the birthday paradox, some hundred thousand tries are enough. */
function twoAlike(by: Signer): [{ by: Signer; payload: string }, { by: Signer; payload: string }] {
  const [before = "", after = ""] = by.text({ kind: "note", title: "#" }).split("#");
  const seen = new Map<string, string>();
  for (let n = 0; ; n++) {
    const payload = before + n + after;
    const prefix = sha256(payload).slice(0, 8);
    const other = seen.get(prefix);
    if (other !== undefined)
      return [
        { by, payload: other },
        { by, payload },
      ];
    seen.set(prefix, payload);
  }
}

describe("the stream, and posts", () => {
  test("takes every filter of the list", async () => {
    const good = new Map(PARAMETERS.map(([name, query]) => [name, query]));
    good.set("near", "near=boat");
    for (const name of FILTERS) {
      await using stream = await openStream(talk.board, here(`/api/stream?${good.get(name) ?? ""}`));
      expect(stream.status, name).toBe(200);
      expect(stream.headers.get("content-type"), name).toContain("text/event-stream");
      const { event, data } = await stream.next();
      expect(event, name).toBe("hello");
      expect(faults({ seq: "int", filters: "object" }, data), name).toEqual([]);
    }
  });
  test.for([
    ["/api/stream", "GET"],
    ["/api/messages", "POST"],
    ["/api/aliases", "POST"],
  ] as const)("%s is allowed %s too", async ([path, method]) => {
    const options = await talk.get(path, { method: "OPTIONS" });
    expect([options.status, options.headers.get("allow")?.split(", ").includes(method)]).toEqual([204, true]);
  });
  test.for(NOT_ON_STREAM)("does not take %s", async (name) => {
    expect(said(await talk.get(`/api/stream?${name}=1`))).toBe("400 unknown_parameter");
  });
});

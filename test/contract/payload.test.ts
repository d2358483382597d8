// Plays the table of posts: a post that follows the contract is accepted, and one that breaks it is told which rule.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ENVELOPES, FIELDS, file, KINDS, ORDER } from "./payload-table.ts";
import { bitsOf, sha256 } from "./signer.ts";
import { type Answer, filled, type Listed, type Message, type Posted, said, Talk } from "./talk.ts";

let talk: Talk;
const names: Record<string, string> = {};
beforeAll(async () => {
  talk = await Talk.start();
  const [ann, bob] = [talk.signer(), talk.signer()];
  for (const kind of ["note", "task", "question"]) names[kind] = (await talk.put(ann, { kind, title: kind })).id;
  await talk.put(bob, { kind: "note", title: "attached", attachments: [file("kept")] }, { [sha256("kept")]: "kept" });
  names["bob"] = bob.id;
  names["board"] = (await talk.get<{ board: string }>("/api/checkpoint")).body.board;
});
afterAll(() => talk[Symbol.asyncDispose]());

const blobsOf = (texts: readonly string[] | Readonly<Record<string, string>> | undefined) =>
  Array.isArray(texts) ? Object.fromEntries(texts.map((one: string) => [sha256(one), one])) : (texts as Record<string, string> | undefined);

describe("fields", () => {
  test.concurrent.for(FIELDS)("%s: %s: %s", async ([, , expected, change, texts]) => {
    const by = talk.signer();
    const base = { kind: "note", title: "a title" };
    const text = typeof change === "function" ? change(by.text(base)) : by.text({ ...base, ...change });
    const answer = await talk.send(JSON.stringify(by.seal(filled(text, names), blobsOf(texts))));
    expect(said(answer)).toBe(expected);
    if (answer.status === 201) expect(answer.body).toMatchObject({ id: sha256(filled(text, names)), server: { author: { id: by.id } } });
  });
});

describe("kinds", () => {
  test.concurrent.for(KINDS)("%s with %s: %s", async ([kind, , expected, fields]) => {
    const by = talk.signer();
    const answer = await talk.send(JSON.stringify(by.seal(filled(by.text({ kind, ...fields }), names))));
    expect(said(answer)).toBe(expected);
    if (kind === "retraction" && expected !== "201" && "data" in fields) expect(answer.body.error?.hint).toContain(names["board"]);
  });
});

describe("envelopes", () => {
  test.concurrent.for(ENVELOPES)("%s: %s", async ([, expected, change]) => {
    const by = talk.signer();
    const sent = change({ ...by.seal(by.text({ kind: "note", title: "enveloped" })) });
    const body = typeof sent === "string" || sent instanceof Uint8Array ? sent : JSON.stringify(sent);
    expect(said(await talk.send(body as string))).toBe(expected);
  });
  test.for(ORDER)("%s: %s", async ([, expected, fields, change]) => {
    const by = talk.signer();
    let text = by.text({ kind: "note", title: "two faults", ...fields });
    // A nonce without work must never pass by luck.
    for (let n = 0; bitsOf(sha256(text), "lazy") > 0; n++) text = by.text({ kind: "note", title: `two faults ${n}`, ...fields });
    expect(said(await talk.send(JSON.stringify({ ...by.seal(text), ...change })))).toBe(expected);
  });
  test("a slash at the end of the path changes nothing", async () => {
    const by = talk.signer();
    expect(said(await talk.send(JSON.stringify(by.seal(by.text({ kind: "note", title: "slash" }))), "/api/messages/"))).toBe("201");
  });
  test.for([
    ["text/plain", {}, "415 unsupported_media_type"],
    ["application/json", { "content-encoding": "gzip" }, "415 unsupported_media_type"],
    ["application/json; charset=utf-8", {}, "201"],
  ] as const)("sent as %s %o: %s", async ([type, headers, expected]) => {
    const by = talk.signer();
    const body = JSON.stringify(by.seal(by.text({ kind: "note", title: "typed" })));
    expect(said(await talk.send(body, "/api/messages", { "content-type": type, ...headers }))).toBe(expected);
  });
});

describe("an accepted message", () => {
  test("is shown as it was written, under the id of its payload", async () => {
    const by = talk.signer();
    const fields = { kind: "finding", title: "T", body: "B", body_format: "plain", data: { a: 1 }, data_schema: "s@1", confidence: 0.5 };
    const more = { tags: ["Ä b", "ä B", "c"], needs: ["X"], offers: ["Y"], refs: [{ rel: "cites", id: names["note"] }] };
    const rest = { lease: "2h", ttl: "3h", to: names["bob"], lang: "pt-BR" };
    const envelope = by.seal(by.text({ ...fields, ...more, ...rest }));
    const created = await talk.send(JSON.stringify(envelope));
    expect(said(created)).toBe("201 lease_without_claim");
    const { body } = await talk.get<Message>(`/api/messages/${sha256(envelope.payload)}?include=body,data,raw`);
    expect(body.raw).toEqual({ payload: envelope.payload, sig: envelope.sig, nonce: envelope.nonce });
    expect(body.content).toMatchObject({ untrusted: true, chars: 1, has_data: true, body: "B", data: { a: 1 } });
    const { body: _body, data: _data, ...signed } = { ...fields, ...more, ...rest };
    // Repeated labels count once, in their first spelling.
    expect(body.meta).toMatchObject({ ...signed, tags: ["Ä b", "c"] });
    for (const field of ["v", "pk", "ts", "body", "data"]) expect(body.meta).not.toHaveProperty(field);
    expect(Date.parse(body.server.expires_at) - Date.parse(body.server.received_at)).toBe(3 * 3_600_000);
    expect(body).toMatchObject({ server: { sig_valid: true, assisted: false, pow_bits: bitsOf(body.id, envelope.nonce) } });
  });

  test("by default lives for seven days, and has tags and nothing else", async () => {
    const { id } = await talk.put(talk.signer(), { kind: "note" });
    const { server, meta } = await talk.record(id);
    expect(Date.parse(server.expires_at) - Date.parse(server.received_at)).toBe(7 * 86_400_000);
    expect(Object.keys(meta).toSorted()).toEqual(["created_at", "kind", "tags"]);
  });

  test("with padded pk and sig is by the same agent, and raw has them as sent", async () => {
    const by = talk.signer();
    const payload = by.text({ kind: "note", title: "padded", pk: `${by.pk}=` });
    const envelope = by.seal(payload);
    const sent = { ...envelope, sig: `${envelope.sig}==` };
    expect((await talk.send(JSON.stringify(sent))).body.server.author.id).toBe(by.id);
    expect((await talk.get<Message>(`/api/messages/${sha256(payload)}?include=raw`)).body.raw).toEqual(sent);
    expect((await talk.get<{ pk: string }>(`/api/agents/${by.id}`)).body.pk).toBe(by.pk);
  });

  test("sent again is the same message, whatever its nonce", async () => {
    const by = talk.signer();
    const envelope = by.seal(by.text({ kind: "note", title: "twice" }));
    const first = await talk.send(JSON.stringify(envelope));
    const again = await talk.send(JSON.stringify({ ...envelope, nonce: "another" }));
    expect([said(first), first.body.result, said(again), again.body.result]).toEqual(["201", "created", "200", "exists"]);
    expect([again.body.id, again.body.seq]).toEqual([first.body.id, first.body.seq]);
  });

  test.for([
    ["a title", { title: "A title", body: "B" }, "A title"],
    ["the first line", { body: "One line\nanother" }, "One line"],
    ["80 code points of it", { body: "é".repeat(81) }, /^é{79,80}…?$/],
    ["kind and agent", {}, /^note by ag_[0-9a-f]{20}$/],
  ] as const)("is called by %s", async ([, fields, title]) => {
    const { derived } = await talk.put(talk.signer(), { kind: "note", ...fields });
    if (typeof title === "string") expect(derived["display_title"]).toBe(title);
    else expect(derived["display_title"]).toMatch(title);
  });

  test("is found by its tags in any case and width, and shown as written", async () => {
    const { id } = await talk.put(talk.signer(), {
      kind: "note",
      title: "t",
      tags: ["Crème Brûlée", "ＷＩＤＥ Ⅷ"],
      needs: ["Ünit"],
      offers: ["Ωmega"],
    });
    for (const query of ["tag=cRÈME brûlée", "tag_any=wide viii,none", "needs=üNIT", "offers=ωmega"]) {
      const { body } = await talk.get<Listed>(`/api/messages?${encodeURI(query)}`);
      expect(
        body.messages.map((one) => [one.id, one.meta["tags"]]),
        query,
      ).toEqual([[id, ["Crème Brûlée", "ＷＩＤＥ Ⅷ"]]]);
    }
  });
});

describe("work", () => {
  test("too little of it is refused with both numbers, and a dry run takes an empty nonce", async () => {
    const by = talk.signer();
    const payload = by.text({ kind: "note", title: "lazy" });
    const { required_bits } = (await talk.get<{ required_bits: number }>("/api/pow")).body;
    let n = 0;
    while (bitsOf(sha256(payload), String(n)) >= 1) n++;
    const lazy = await talk.send(JSON.stringify({ ...by.seal(payload), nonce: String(n) }));
    expect(said(lazy)).toBe("400 pow_insufficient");
    expect(lazy.body.error?.details).toMatchObject({ required_bits, pow_bits: 0 });
    const dry: Answer<Posted> = await talk.send(JSON.stringify({ ...by.seal(payload), nonce: "" }), "/api/messages?dry_run=1");
    expect([dry.status, dry.body.result, dry.body.id]).toEqual([200, "valid", sha256(payload)]);
    expect(said(await talk.get(`/api/messages/${sha256(payload)}`))).toBe("404 not_found");
  });
});

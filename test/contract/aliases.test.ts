// Names for agents: which names are allowed, who gets them, and what happens when the same operation is sent again.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ALIAS_BITS, mine, sha256 } from "./signer.ts";
import { said, Talk } from "./talk.ts";

let talk: Talk;
let board: string;
beforeAll(async () => {
  talk = await Talk.start();
  board = (await talk.get<{ board: string }>("/api/checkpoint")).body.board;
});
afterAll(() => talk[Symbol.asyncDispose]());

interface Alias {
  readonly alias: string;
  readonly email: string;
  readonly agent: string;
  readonly expires_at: string;
}
const LONGEST = `a${"b".repeat(31)}`;

test.for([
  ["abc", "201"],
  ["a1.b-2", "201"],
  [LONGEST, "201"],
  ["ab", "400 invalid_alias"],
  [`${LONGEST}b`, "400 invalid_alias"],
  ["1abc", "400 invalid_alias"],
  ["abc-", "400 invalid_alias"],
  ["a..b", "400 invalid_alias"],
  ["a-.b", "400 invalid_alias"],
  ["a_b", "400 invalid_alias"],
  ["Abc", "400 invalid_alias"],
  ["äbc", "400 invalid_alias"],
  ["postmaster", "403 alias_reserved"],
  ["abuse", "403 alias_reserved"],
  ["webmaster", "403 alias_reserved"],
  ["hostmaster", "403 alias_reserved"],
  ["security", "403 alias_reserved"],
  ["root", "403 alias_reserved"],
  ["admin", "403 alias_reserved"],
] as const)("the name %s: %s", async ([alias, expected]) => {
  expect(said(await talk.alias(talk.signer(), "claim", alias))).toBe(expected);
});

test.for([
  ["as it is", {}, "201"],
  ["for this board", { board: "{board}" }, "201"],
  ["for another board", { board: `ag_${"0".repeat(20)}` }, "400 wrong_board"],
  ["another op", { op: "steal" }, "400 invalid_field"],
  ["no op", { op: undefined }, "400 invalid_field"],
  ["another field", { colour: "red" }, "400 unknown_field"],
  ["another version", { v: 2 }, "400 unsupported_version"],
  ["too old", { ts: 1_000_000_000 }, "400 ts_out_of_range"],
  ["a key of low order", { pk: Buffer.from([1, ...Array<number>(31).fill(0)]).toString("base64url") }, "403 bad_key"],
] as const)("a claim %s: %s", async ([what, fields, expected]) => {
  const more = "board" in fields && fields.board === "{board}" ? { board } : fields;
  expect(said(await talk.alias(talk.signer(), "claim", `n${sha256(what).slice(0, 12)}`, more))).toBe(expected);
});

test.for([
  ["of another text", { sig: "A".repeat(86) }, "403 bad_signature"],
  ["padded", {}, "201"],
] as const)("a signature %s: %s", async ([what, change, expected]) => {
  const by = talk.signer();
  const envelope = by.seal(by.text({ op: "claim", alias: `s${sha256(what).slice(0, 12)}` }), undefined, ALIAS_BITS);
  expect(said(await talk.send(JSON.stringify({ ...envelope, sig: `${envelope.sig}==`, ...change }), "/api/aliases"))).toBe(expected);
});

test("an operation takes three bits more than a message", async () => {
  const { alias_bits, required_bits } = (await talk.get<{ alias_bits: number; required_bits: number }>("/api/pow")).body;
  expect(alias_bits).toBe(required_bits + 3);
  const by = talk.signer();
  const payload = by.text({ op: "claim", alias: "lazy-bones" });
  const lazy = { payload, sig: by.sign(payload), nonce: mine(sha256(payload), alias_bits - 1) };
  const answer = await talk.send(JSON.stringify(lazy), "/api/aliases");
  expect(said(answer)).toBe("400 pow_insufficient");
  expect(answer.body.error?.details).toMatchObject({ required_bits: alias_bits, pow_bits: alias_bits - 1 });
});

describe("an alias", () => {
  test("is its owner's until released, and look-ups fold case", async () => {
    const [ann, bob] = [talk.signer(), talk.signer()];
    const claimed = await talk.alias<Alias>(ann, "claim", "sea-mew");
    expect(said(claimed)).toBe("201");
    expect(claimed.body).toMatchObject({ op: "claim", alias: "sea-mew", email: "sea-mew@localhost", agent: ann.id });
    for (const name of ["sea-mew", "Sea-MEW", "sea-mew@localhost"])
      expect((await talk.get(`/api/aliases/${name}`)).body, name).toMatchObject({
        alias: "sea-mew",
        email: "sea-mew@localhost",
        agent: ann.id,
      });
    expect(said(await talk.alias(bob, "claim", "sea-mew"))).toBe("409 alias_taken");
    expect(said(await talk.alias(bob, "release", "sea-mew"))).toBe("403 not_owner");
    const released = await talk.alias<Alias>(ann, "release", "sea-mew");
    expect(said(released)).toBe("201");
    expect(released.body).toMatchObject({ op: "release", alias: "sea-mew", agent: ann.id });
    expect(said(await talk.get("/api/aliases/sea-mew"))).toBe("404 alias_unknown");
  });

  test("may be claimed, released and claimed in one second; an older operation comes too late", async () => {
    const by = talk.signer();
    expect(said(await talk.alias(by, "claim", "quick-one"))).toBe("201");
    expect(said(await talk.alias(by, "release", "quick-one"))).toBe("201");
    expect(said(await talk.alias(by, "claim", "quick-one", { board }))).toBe("201");
    expect(said(await talk.alias(by, "release", "quick-one", { ts: by.now() - 1 }))).toBe("409 stale_alias_op");
    expect((await talk.get("/api/aliases/quick-one")).body).toMatchObject({ agent: by.id });
  });

  test("the same operation again is answered as before and changes nothing", async () => {
    const by = talk.signer();
    const envelope = JSON.stringify(by.seal(by.text({ op: "claim", alias: "said-twice" }), undefined, ALIAS_BITS));
    const first = await talk.send<Alias>(envelope, "/api/aliases");
    const head = await talk.head();
    const again = await talk.send<Alias>(envelope, "/api/aliases");
    expect([said(first), said(again), await talk.head()]).toEqual(["201", "201", head]);
    expect(again.body).toEqual(first.body);
  });

  test("is renewed by claiming it, and lives thirty days after its owner's last act", async () => {
    const by = talk.signer();
    const first = await talk.alias<Alias>(by, "claim", "long-lived");
    expect(Date.parse(first.body.expires_at)).toBe(talk.board.clock.now() + 30 * 86_400_000);
    talk.pass(60);
    const second = await talk.alias<Alias>(by, "claim", "long-lived");
    expect(Date.parse(second.body.expires_at) - Date.parse(first.body.expires_at)).toBe(60_000);
  });

  test("is one of five at most", async () => {
    const by = talk.signer();
    for (let n = 1; n <= 5; n++) expect(said(await talk.alias(by, "claim", `many-${n}`))).toBe("201");
    expect(said(await talk.alias(by, "claim", "many-6"))).toBe("409 too_many_aliases");
    const { aliases } = (await talk.get<{ aliases: Alias[] }>(`/api/aliases?agent=${by.id}`)).body;
    expect(aliases.map((one) => one.alias).toSorted()).toEqual(["many-1", "many-2", "many-3", "many-4", "many-5"]);
    await talk.alias(by, "release", "many-1");
    expect(said(await talk.alias(by, "claim", "many-6"))).toBe("201");
  });
});

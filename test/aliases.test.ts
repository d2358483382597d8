import { beforeAll, afterAll, describe, expect, test } from "vitest";
import { DAY_MS } from "../src/core/spans.ts";
import type { Agent } from "./support/agent.ts";
import { ALIAS_BITS } from "./support/agent.ts";
import { type Answer, TestBoard } from "./support/board.ts";
import { openBeside, plantAgent, rowCounts } from "./support/database.ts";
import { expectRefusal } from "./support/refusal.ts";

interface AliasAnswer {
  op: string;
  alias: string;
  email: string;
  agent: string;
  expires_at: string;
  error: { code: string; details?: Record<string, unknown> };
}

let board: TestBoard;
beforeAll(async () => {
  board = await TestBoard.start({ flags: ["--mail-domain", "board.example"] });
});
afterAll(() => board[Symbol.asyncDispose]());

let tick = 0;
/** Operations on one alias need rising times, so each takes a second of its own. */
async function operate(
  agent: Agent,
  op: "claim" | "release",
  alias: string,
  more: Record<string, unknown> = {},
  on: TestBoard = board,
): Promise<Answer<AliasAnswer>> {
  tick++;
  on.clock.advance(1000);
  const payload = JSON.stringify({ v: 1, pk: agent.pk, ts: Math.floor(on.clock.now() / 1000), op, alias, ...more });
  return (await on.send(JSON.stringify(agent.seal(payload, undefined, ALIAS_BITS)), "/api/aliases")) as unknown as Answer<AliasAnswer>;
}
const fresh = (): string => `name-${tick}x`;

describe("aliases", () => {
  test("a claimed alias resolves to its owner, everywhere an agent id is taken", async () => {
    const [owner, friend] = [board.agent(), board.agent()];
    const alias = fresh();
    const claimed = await operate(owner, "claim", alias);
    expect(claimed.status).toBe(201);
    expect(claimed.body).toEqual({
      op: "claim",
      alias,
      email: `${alias}@board.example`,
      agent: owner.id,
      expires_at: new Date(board.clock.now() + 30 * DAY_MS).toISOString(),
    });
    for (const name of [alias, alias.toUpperCase(), `${alias}@board.example`]) {
      expect((await board.get(`/api/aliases/${name}`)).body).toMatchObject({ alias, agent: owner.id });
    }
    expect((await board.get(`/api/aliases/${alias}@elsewhere.example`)).status).toBe(404);
    const note = await board.put(friend, { kind: "note", title: "to you", to: owner.id });
    const own = await board.put(owner, { kind: "note", title: "mine" });
    const ids = async (path: string) => (await board.get<{ messages: { id: string }[] }>(path)).body.messages.map((one) => one.id);
    expect(await ids(`/api/inbox/${alias}`)).toEqual([note.id]);
    expect(await ids(`/api/messages?to=${alias}`)).toEqual([note.id]);
    expect(await ids(`/api/messages?author=${alias}`)).toEqual([own.id]);
    expect((await board.get(`/api/agents/${alias}`)).body).toMatchObject({
      id: owner.id,
      aliases: [{ alias, email: `${alias}@board.example` }],
    });
    expect((await board.get<{ aliases: object[] }>(`/api/aliases?agent=${owner.id}`)).body.aliases).toHaveLength(1);
    expect((await board.get<{ aliases: object[] }>(`/api/aliases?q=${alias}`)).body.aliases).toMatchObject([{ alias, agent: owner.id }]);
  });

  test("nobody takes a name that another holds, and only its holder gives it up", async () => {
    const [owner, other] = [board.agent(), board.agent()];
    const alias = fresh();
    await operate(owner, "claim", alias);
    expect((await operate(other, "claim", alias)).body.error.code).toBe("alias_taken");
    const refused = await operate(other, "release", alias);
    expect([refused.status, refused.body.error.code]).toEqual([403, "not_owner"]);
    expect((await operate(owner, "claim", alias)).status).toBe(201);
    expect((await operate(owner, "release", alias)).status).toBe(201);
    expect((await board.get(`/api/aliases/${alias}`)).status).toBe(404);
    expect((await operate(other, "claim", alias)).status).toBe(201);
  });

  test("who releases a name that nobody holds is told that there is nothing to do, not to find another key", async () => {
    const answer = await operate(board.agent(), "release", fresh());
    expect(expectRefusal(answer, 403, "not_owner").hint).toBe("Nobody holds it: there is nothing to release.");
    const [owner, other, alias] = [board.agent(), board.agent(), fresh()];
    await operate(owner, "claim", alias);
    expect(expectRefusal(await operate(other, "release", alias), 403, "not_owner").hint).toContain("Sign with the key");
  });

  test("a name that nobody holds is not found as an address, malformed as a name that cannot be one, and a wrong value in a filter", async () => {
    const alias = fresh();
    for (const place of ["agents", "inbox"]) {
      expectRefusal(await board.get(`/api/${place}/${alias}`), 404, "alias_unknown");
      for (const name of ["x", "Not%20a%20name", "double..dot", `${alias}@elsewhere.example`])
        expect(expectRefusal(await board.get(`/api/${place}/${name}`), 400, "invalid_parameter").details).toEqual({
          parameter: "agent_id",
        });
    }
    const filtered = expectRefusal(await board.get(`/api/messages?author=${alias}`), 400, "invalid_parameter");
    expect(filtered.details).toEqual({ parameter: "author" });
  });

  test("an operation without its envelope is answered with the envelope, and with the way for those who cannot sign", async () => {
    const error = expectRefusal(await board.send('{"op":"claim","alias":"someone"}', "/api/aliases"), 400, "invalid_field");
    expect(error.message).toBe("`payload` is missing.");
    expect(error.hint).toMatch(/\{payload, sig, nonce\}.*\/api\/assist\/alias/);
  });

  test("an old operation cannot be played back", async () => {
    const owner = board.agent();
    const alias = fresh();
    board.clock.advance(1000);
    const payload = JSON.stringify({ v: 1, pk: owner.pk, ts: Math.floor(board.clock.now() / 1000), op: "claim", alias });
    const envelope = JSON.stringify(owner.seal(payload, undefined, ALIAS_BITS));
    expect((await board.send(envelope, "/api/aliases")).status).toBe(201);
    await operate(owner, "release", alias);
    const again = await board.send(envelope, "/api/aliases");
    expect([again.status, again.body.error.code]).toEqual([409, "stale_alias_op"]);
  });

  test("a silent owner loses a name after thirty days, and may have it back for thirty more", async () => {
    const [owner, other] = [board.agent(), board.agent()];
    const alias = fresh();
    await operate(owner, "claim", alias);
    board.clock.advance(20 * DAY_MS);
    await board.put(owner, { kind: "note", title: "still here" });
    board.clock.advance(29 * DAY_MS);
    expect((await board.get(`/api/aliases/${alias}`)).status).toBe(200);
    board.clock.advance(2 * DAY_MS);
    expect((await board.get(`/api/aliases/${alias}`)).status).toBe(404);
    expect((await operate(other, "claim", alias)).body.error.code).toBe("alias_taken");
    const { body } = await board.get<{ changes: { type: string; id: string; detail: string }[] }>(`/api/changes?limit=1000`);
    expect(body.changes.filter((one) => one.id === alias).map((one) => [one.type, one.detail])).toEqual([
      ["alias_expire", JSON.stringify({ agent: owner.id })],
    ]);
    board.clock.advance(30 * DAY_MS);
    expect((await operate(other, "claim", alias)).status).toBe(201);
  });

  test("of fifty who want the same name at once one gets it", async () => {
    const alias = fresh();
    board.clock.advance(1000);
    const ts = Math.floor(board.clock.now() / 1000);
    const answers = await Promise.all(
      Array.from({ length: 50 }, () => {
        const agent = board.agent();
        const payload = JSON.stringify({ v: 1, pk: agent.pk, ts, op: "claim", alias });
        return board.send(JSON.stringify(agent.seal(payload, undefined, ALIAS_BITS)), "/api/aliases");
      }),
    );
    expect(answers.filter((one) => one.status === 201)).toHaveLength(1);
    expect(answers.filter((one) => one.status === 409)).toHaveLength(49);
  });

  test("bad operations are refused with the code written for them", async () => {
    const owner = board.agent();
    const code = async (alias: string, more: Record<string, unknown> = {}) => {
      const { status, body } = await operate(owner, "claim", alias, more);
      return [status, body.error.code];
    };
    for (const bad of ["ab", "Upper", "1abc", "a..b", "-abc", "abc-", "a_b", "x".repeat(33), "a.-b"])
      expect(await code(bad), bad).toEqual([400, "invalid_alias"]);
    for (const reserved of ["postmaster", "abuse", "admin", "no-reply"]) expect(await code(reserved)).toEqual([403, "alias_reserved"]);
    expect(await code(fresh(), { op: "steal" })).toEqual([400, "invalid_field"]);
    expect(await code(fresh(), { v: 2 })).toEqual([400, "unsupported_version"]);
    expect(await code(fresh(), { more: 1 })).toEqual([400, "unknown_field"]);
    expect(await code(fresh(), { ts: 1 })).toEqual([400, "ts_out_of_range"]);
    const payload = JSON.stringify({ v: 1, pk: owner.pk, ts: Math.floor(board.clock.now() / 1000), op: "claim", alias: fresh() });
    const { sig: _sig, ...rest } = owner.seal(payload, undefined, ALIAS_BITS);
    const forged = await board.send(JSON.stringify({ ...rest, sig: board.agent().sign(payload) }), "/api/aliases");
    expect([forged.status, forged.body.error.code]).toEqual([403, "bad_signature"]);
    for (let i = 0; i < 5; i++) expect((await operate(owner, "claim", fresh())).status).toBe(201);
    expect(await code(fresh())).toEqual([409, "too_many_aliases"]);
  });

  test("a reserved name is known as such to who looks it up, and to who has done no work for it yet", async () => {
    for (const path of ["/api/aliases/Postmaster", "/api/agents/postmaster", "/api/inbox/postmaster@board.example"]) {
      const { message, hint } = expectRefusal(await board.get(path), 404, "alias_unknown");
      expect(message).toMatch(/^Nobody holds "postmaster" as an alias\.$/i);
      expect(hint).toContain("reserved");
    }
    expect(expectRefusal(await board.get(`/api/aliases/${fresh()}`), 404, "alias_unknown").hint).not.toContain("reserved");
    const owner = board.agent();
    const payload = JSON.stringify({ v: 1, pk: owner.pk, ts: Math.floor(board.clock.now() / 1000), op: "claim", alias: "postmaster" });
    const envelope = { payload, sig: owner.sign(payload), nonce: owner.weakNonce(payload) };
    expectRefusal(await board.send(JSON.stringify(envelope), "/api/aliases"), 403, "alias_reserved");
  });

  test("an alias operation needs three bits more work than a message", async () => {
    const owner = board.agent();
    const payload = JSON.stringify({ v: 1, pk: owner.pk, ts: Math.floor(board.clock.now() / 1000), op: "claim", alias: fresh() });
    const envelope = { payload, sig: owner.sign(payload), nonce: owner.weakNonce(payload) };
    const answer = await board.send(JSON.stringify(envelope), "/api/aliases");
    expect([answer.status, answer.body.error.code, answer.body.error.details]).toEqual([
      400,
      "pow_insufficient",
      { required_bits: ALIAS_BITS, pow_bits: ALIAS_BITS - 1 },
    ]);
  });
});

interface Page {
  readonly aliases: readonly { alias: string; email: string; agent: string; claimed_at: string; expires_at: string }[];
  readonly next_cursor: string | null;
}
interface Change {
  readonly type: string;
  readonly id: string;
  readonly detail: string;
}

describe("the list of aliases", () => {
  let full: TestBoard;
  const owners: Agent[] = [];
  const all: string[] = [];
  beforeAll(async () => {
    full = await TestBoard.start();
    for (let i = 0; i < 42; i++) {
      const owner = full.agent();
      owners.push(owner);
      for (let n = 0; n < 5; n++) {
        const alias = `${n === 0 ? "first" : "later"}.${String(i * 5 + n).padStart(3, "0")}`;
        expect((await operate(owner, "claim", alias, {}, full)).status).toBe(201);
        all.push(alias);
      }
    }
    all.sort();
  });
  afterAll(() => full[Symbol.asyncDispose]());
  const page = async (query: string): Promise<Page> => (await full.get<Page>(`/api/aliases${query}`)).body;
  const walk = async (query: string): Promise<string[]> => {
    const found: string[] = [];
    for (let cursor: string | null = ""; cursor !== null;) {
      const { aliases, next_cursor: next } = await page(`?${query}${cursor === "" ? "" : `&cursor=${encodeURIComponent(cursor)}`}`);
      found.push(...aliases.map((one) => one.alias));
      cursor = next;
    }
    return found;
  };

  test("shows each live one once, in order, however it is paged", async () => {
    expect((await page("")).aliases).toHaveLength(50);
    const most = await page("?limit=200");
    expect(most.aliases.map((one) => one.alias)).toEqual(all.slice(0, 200));
    expect(most.next_cursor).not.toBeNull();
    expect(await walk("limit=200")).toEqual(all);
    expect(await walk("limit=7")).toEqual(all);
    const link = (await full.get("/api/aliases?limit=7")).headers.get("link") ?? "";
    expect(link).toMatch(/^<[^>]+limit=7[^>]*cursor=[^>]+>; rel="next"$/);
    const one = most.aliases[0];
    expect(one).toMatchObject({ alias: all[0], email: `${all[0]}@localhost`, agent: owners[0]?.id });
    expect(Date.parse(one?.expires_at ?? "")).toBeGreaterThan(Date.parse(one?.claimed_at ?? ""));
  });

  test("finds names by their beginning, in any case, and nothing else by it", async () => {
    expect(await walk("q=first")).toEqual(all.filter((one) => one.startsWith("first")));
    expect(await walk("q=LATER.10&limit=3")).toEqual(all.filter((one) => one.startsWith("later.10")));
    expect(await walk("q=later.101")).toEqual(["later.101"]);
    for (const none of ["ater", "later.1010", "%25", "_", "*", "%00"]) expect(await walk(`q=${none}`), none).toEqual([]);
  });

  test("of one agent, by its id or by one of its names", async () => {
    const [owner] = owners;
    const own = all.filter((one) => ["000", "001", "002", "003", "004"].includes(one.slice(-3)));
    for (const agent of [owner?.id, "first.000", "LATER.001", "later.002@localhost"])
      expect(await walk(`agent=${agent}&limit=2`)).toEqual(own);
    expect(await walk(`agent=${owner?.id}&q=first`)).toEqual(["first.000"]);
    expect(await walk(`agent=ag_${"0".repeat(20)}`)).toEqual([]);
    expectRefusal(await full.get("/api/aliases?agent=nobody-at-all"), 400, "invalid_parameter");
  });

  test("refuses what it cannot answer", async () => {
    for (const limit of ["0", "201", "x", "-1", "1.5"])
      expectRefusal(await full.get(`/api/aliases?limit=${limit}`), 400, "invalid_parameter");
    expectRefusal(await full.get("/api/aliases?prefix=a"), 400, "unknown_parameter");
    expectRefusal(await full.get("/api/aliases?cursor=made-up"), 400, "invalid_cursor");
    const { next_cursor: cursor } = await page("?q=first&limit=2");
    expectRefusal(await full.get(`/api/aliases?q=later&limit=2&cursor=${cursor}`), 400, "cursor_mismatch");
  });

  test("goes on where it was when names come and go between pages", async () => {
    const { aliases, next_cursor: cursor } = await page("?limit=2");
    const [gone, last] = aliases;
    const owner = owners.find((one) => one.id === last?.agent);
    if (owner === undefined || last === undefined || gone === undefined) throw new Error("The list is empty.");
    await operate(owner, "release", last.alias, {}, full);
    expect((await page(`?limit=1&cursor=${cursor}`)).aliases[0]?.alias).toBe(all[2]);
    await operate(owner, "claim", last.alias, {}, full);
  });
});

describe("what an alias is worth", () => {
  test("every change of it stands in the log, with whose it is", async () => {
    await using own = await TestBoard.start();
    const [owner, other] = [own.agent(), own.agent()];
    for (const [agent, op] of [
      [owner, "claim"],
      [owner, "claim"],
      [owner, "release"],
      [other, "claim"],
    ] as const)
      await operate(agent, op, "helper", {}, own);
    const { changes } = (await own.get<{ changes: Change[] }>("/api/changes")).body;
    const says = ({ id }: Agent) => JSON.stringify({ agent: id });
    expect(changes.map(({ type, id, detail }) => [type, id, detail])).toEqual([
      ["alias_claim", "helper", says(owner)],
      ["alias_claim", "helper", says(owner)],
      ["alias_release", "helper", says(owner)],
      ["alias_claim", "helper", says(other)],
    ]);
  });

  test("a renewal keeps the day of the claim, and any signed act moves the end", async () => {
    const owner = board.agent();
    const alias = fresh();
    await operate(owner, "claim", alias);
    const before = (await board.get<Page["aliases"][number]>(`/api/aliases/${alias}`)).body;
    await operate(owner, "claim", alias);
    const renewed = (await board.get<Page["aliases"][number]>(`/api/aliases/${alias}`)).body;
    expect(renewed.claimed_at).toBe(before.claimed_at);
    expect(Date.parse(renewed.expires_at)).toBe(board.clock.now() + 30 * DAY_MS);
    board.clock.advance(DAY_MS);
    await board.put(owner, { kind: "note", title: "a sign of life" });
    expect((await board.get(`/api/aliases/${alias}`)).body).toMatchObject({
      claimed_at: before.claimed_at,
      expires_at: new Date(board.clock.now() + 30 * DAY_MS).toISOString(),
    });
  });

  test("its old owner, and nobody else, gets it back for thirty days after it ran out", async () => {
    const [owner, other] = [board.agent(), board.agent()];
    const alias = fresh();
    await operate(owner, "claim", alias);
    board.clock.advance(59 * DAY_MS);
    expect((await operate(other, "claim", alias)).body.error).toMatchObject({ code: "alias_taken" });
    expect((await operate(owner, "claim", alias)).status).toBe(201);
    expect((await board.get(`/api/aliases/${alias}`)).body).toMatchObject({
      agent: owner.id,
      claimed_at: new Date(board.clock.now()).toISOString(),
    });
  });

  test("a name that ran out stands for nobody: not in filters, not in the inbox, not among its owner's names", async () => {
    const owner = board.agent();
    const alias = fresh();
    await operate(owner, "claim", alias);
    board.clock.advance(30 * DAY_MS);
    expectRefusal(await board.get(`/api/messages?author=${alias}`), 400, "invalid_parameter");
    expectRefusal(await board.get(`/api/aliases/${alias}`), 404, "alias_unknown");
    expectRefusal(await board.get(`/api/inbox/${alias}`), 404, "alias_unknown");
    expect((await board.get<Page>(`/api/aliases?agent=${owner.id}`)).body.aliases).toEqual([]);
    expect((await board.get(`/api/agents/${owner.id}`)).body).toMatchObject({ aliases: [] });
  });

  test("filters take names wherever they take agents", async () => {
    const [owner, voter] = [board.agent(), board.agent()];
    const [mine, theirs] = [fresh(), `${fresh()}y`];
    await operate(owner, "claim", mine);
    await operate(voter, "claim", theirs);
    const finding = await board.put(owner, { kind: "finding", body: "so it is", tags: [mine] });
    const vote = await board.put(voter, {
      kind: "verification",
      body: "I looked",
      tags: [mine],
      refs: [{ rel: "verifies", id: finding.id }],
    });
    const ids = async (query: string) =>
      (await board.get<{ messages: { id: string }[] }>(`/api/messages?tag=${mine}&${query}`)).body.messages.map((one) => one.id);
    expect(await ids(`verified_by=${theirs}`)).toEqual([finding.id]);
    expect(await ids(`author_not=${mine}`)).toEqual([vote.id]);
    expect(await ids(`author=${mine},${theirs}&sort=old`)).toEqual([finding.id, vote.id]);
    expect(await ids(`inbox=${mine}@board.example`)).toEqual([vote.id]);
    expect(await ids(`replies_to=${mine.toUpperCase()}`)).toEqual([vote.id]);
  });

  test("a restart loses none", async () => {
    const first = await TestBoard.start();
    const owner = first.agent();
    await operate(owner, "claim", "helper", {}, first);
    await first.stop();
    await using again = await TestBoard.start({ data: first.data, clock: first.clock });
    expect((await again.get("/api/aliases/helper")).body).toMatchObject({ agent: owner.id });
    expect((await operate(again.agent(), "claim", "helper", {}, again)).body.error.code).toBe("alias_taken");
  });

  test("a blocked key gets none, and a refused operation leaves nothing behind", async () => {
    const blocked = board.agent();
    const db = openBeside(board.data);
    plantAgent(db, blocked.id, blocked.pk, true);
    const before = rowCounts(db);
    expectRefusal(await operate(blocked, "claim", fresh()), 451, "blocked_key");
    expectRefusal(await operate(board.agent(), "claim", "abuse"), 403, "alias_reserved");
    expectRefusal(await operate(board.agent(), "release", fresh()), 403, "not_owner");
    expect(rowCounts(db)).toEqual(before);
    db.close();
  });

  test("what it costs is published, and counts against the agent's pace like any post", async () => {
    await using paced = await TestBoard.start({ flags: ["--rate-limits", "on"] });
    expect((await paced.get("/api/pow")).body).toMatchObject({ alias_bits: ALIAS_BITS });
    const owner = paced.agent();
    const payload = (n: number) =>
      JSON.stringify({ v: 1, pk: owner.pk, ts: Math.floor(paced.clock.now() / 1000) + n, op: "claim", alias: "helper" });
    const send = async (n: number) => paced.send(JSON.stringify(owner.seal(payload(n), undefined, ALIAS_BITS)), "/api/aliases");
    for (let n = 0; n < 20; n++) expect((await send(n)).status).toBe(201);
    expect(expectRefusal(await send(20), 429, "rate_limited").details).toMatchObject({ scope: "agent_writes" });
  });

  test("a read-only board says so", async () => {
    await using still = await TestBoard.start({ flags: ["--read-only", "on"] });
    expectRefusal(await operate(still.agent(), "claim", "helper", {}, still), 503, "read_only");
  });
});

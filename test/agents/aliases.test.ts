// Aliases of agents: who gets a name, who releases it, and what is refused.
import { beforeAll, afterAll, describe, expect, test } from "vitest";
import { DAY_MS } from "../../src/core/durations.ts";
import { ALIAS_BITS } from "../support/agent.ts";
import { freshAlias, operateAlias } from "../support/aliases.ts";
import { TestBoard } from "../support/board.ts";
import { expectRefusal } from "../support/refusal.ts";

let board: TestBoard;
beforeAll(async () => {
  board = await TestBoard.start({ flags: ["--mail-domain", "board.example"] });
});
afterAll(() => board[Symbol.asyncDispose]());

describe("aliases", () => {
  test("a claimed alias resolves to its owner, everywhere an agent id is taken", async () => {
    const [owner, friend] = [board.agent(), board.agent()];
    const alias = freshAlias();
    const claimed = await operateAlias(board, owner, "claim", alias);
    expect(claimed.status).toBe(201);
    expect(claimed.body).toEqual({
      op: "claim",
      alias,
      email: `${alias}@board.example`,
      agent: owner.id,
      expires_at: new Date(board.clock.now() + 30 * DAY_MS).toISOString(),
      seq: expect.any(Number),
      proof_url: expect.stringMatching(/\/api\/changes\/[0-9]+\/proof$/),
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
    const alias = freshAlias();
    await operateAlias(board, owner, "claim", alias);
    expect((await operateAlias(board, other, "claim", alias)).body.error.code).toBe("alias_taken");
    const refused = await operateAlias(board, other, "release", alias);
    expect([refused.status, refused.body.error.code]).toEqual([403, "not_owner"]);
    expect((await operateAlias(board, owner, "claim", alias)).status).toBe(201);
    expect((await operateAlias(board, owner, "release", alias)).status).toBe(201);
    expect((await board.get(`/api/aliases/${alias}`)).status).toBe(404);
    expect((await operateAlias(board, other, "claim", alias)).body.error.code).toBe("alias_taken");
    board.clock.advance(3 * DAY_MS);
    expect((await operateAlias(board, other, "claim", alias)).status).toBe(201);
  });

  test("releasing a name that nobody holds is answered with nothing to do, not with the advice to find another key", async () => {
    const answer = await operateAlias(board, board.agent(), "release", freshAlias());
    expect(expectRefusal(answer, 403, "not_owner").hint).toBe("There is nothing to release.");
    const [owner, other, alias] = [board.agent(), board.agent(), freshAlias()];
    await operateAlias(board, owner, "claim", alias);
    expect(expectRefusal(await operateAlias(board, other, "release", alias), 403, "not_owner").hint).toContain("Sign with the key");
  });

  test("a name that nobody holds is not found as an address, malformed as a name that cannot be one, and a wrong value in a filter", async () => {
    const alias = freshAlias();
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

  test("an operation without its envelope is answered with the form of the envelope, and with the assisted way for callers that cannot sign", async () => {
    const error = expectRefusal(await board.send('{"op":"claim","alias":"someone"}', "/api/aliases"), 400, "invalid_field");
    expect(error.message).toBe("`payload` is missing.");
    expect(error.hint).toMatch(/\{payload, sig, nonce\}.*\/api\/assist\/alias/);
  });

  test("an old operation cannot be played back", async () => {
    const owner = board.agent();
    const alias = freshAlias();
    board.clock.advance(1000);
    const payload = JSON.stringify({ v: 1, pk: owner.pk, ts: Math.floor(board.clock.now() / 1000), op: "claim", alias });
    const envelope = JSON.stringify(owner.seal(payload, undefined, ALIAS_BITS));
    expect((await board.send(envelope, "/api/aliases")).status).toBe(201);
    await operateAlias(board, owner, "release", alias);
    const again = await board.send(envelope, "/api/aliases");
    expect([again.status, again.body.error.code]).toEqual([409, "stale_alias_op"]);
  });

  test("the last operation is answered as before, however much later it is sent again", async () => {
    const owner = board.agent();
    const payload = JSON.stringify({ v: 1, pk: owner.pk, ts: Math.floor(board.clock.now() / 1000), op: "claim", alias: "sent-again" });
    const envelope = owner.seal(payload, undefined, ALIAS_BITS);
    const first = await board.send(JSON.stringify(envelope), "/api/aliases");
    board.clock.advance(2 * DAY_MS);
    const again = await board.send(JSON.stringify({ ...envelope, nonce: "0" }), "/api/aliases");
    expect([again.status, again.body]).toEqual([201, first.body]);
    const forged = { ...envelope, sig: board.agent().sign(payload) };
    expectRefusal(await board.send(JSON.stringify(forged), "/api/aliases"), 403, "bad_signature");
  });

  test("a silent owner loses a name after thirty days, and may have it back for thirty more", async () => {
    const [owner, other] = [board.agent(), board.agent()];
    const alias = freshAlias();
    await operateAlias(board, owner, "claim", alias);
    board.clock.advance(20 * DAY_MS);
    await board.put(owner, { kind: "note", title: "still here" });
    board.clock.advance(29 * DAY_MS);
    expect((await board.get(`/api/aliases/${alias}`)).status).toBe(200);
    board.clock.advance(2 * DAY_MS);
    expect((await board.get(`/api/aliases/${alias}`)).status).toBe(404);
    expect((await operateAlias(board, other, "claim", alias)).body.error.code).toBe("alias_taken");
    const { body } = await board.get<{ changes: { type: string; id: string; detail: string }[] }>(`/api/changes?limit=1000`);
    expect(body.changes.filter((one) => one.id === alias).map((one) => [one.type, one.detail])).toEqual([
      // The content of old entries is erased.
      ["alias_claim", null],
      ["alias_expire", JSON.stringify({ agent: owner.id })],
    ]);
    board.clock.advance(30 * DAY_MS);
    expect((await operateAlias(board, other, "claim", alias)).status).toBe(201);
  });

  test("if fifty agents want the same name at once, one gets it", async () => {
    const alias = freshAlias();
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
      const { status, body } = await operateAlias(board, owner, "claim", alias, more);
      return [status, body.error.code];
    };
    for (const bad of ["ab", "Upper", "1abc", "a..b", "-abc", "abc-", "a_b", "x".repeat(33), "a.-b"])
      expect(await code(bad), bad).toEqual([400, "invalid_alias"]);
    for (const reserved of ["postmaster", "abuse", "admin", "no-reply"]) expect(await code(reserved)).toEqual([403, "alias_reserved"]);
    expect(await code(freshAlias(), { op: "steal" })).toEqual([400, "invalid_field"]);
    expect(await code(freshAlias(), { v: 2 })).toEqual([400, "unsupported_version"]);
    expect(await code(freshAlias(), { more: 1 })).toEqual([400, "unknown_field"]);
    expect(await code(freshAlias(), { ts: 1 })).toEqual([400, "ts_out_of_range"]);
    const payload = JSON.stringify({ v: 1, pk: owner.pk, ts: Math.floor(board.clock.now() / 1000), op: "claim", alias: freshAlias() });
    const { sig: _sig, ...rest } = owner.seal(payload, undefined, ALIAS_BITS);
    const forged = await board.send(JSON.stringify({ ...rest, sig: board.agent().sign(payload) }), "/api/aliases");
    expect([forged.status, forged.body.error.code]).toEqual([403, "bad_signature"]);
    for (let i = 0; i < 5; i++) expect((await operateAlias(board, owner, "claim", freshAlias())).status).toBe(201);
    expect(await code(freshAlias())).toEqual([409, "too_many_aliases"]);
  });

  test("a reserved name is shown as reserved when it is looked up, and before any work is done for it", async () => {
    for (const path of ["/api/aliases/Postmaster", "/api/agents/postmaster", "/api/inbox/postmaster@board.example"]) {
      const { message, hint } = expectRefusal(await board.get(path), 404, "alias_unknown");
      expect(message).toMatch(/^Nobody holds "postmaster" as an alias\.$/i);
      expect(hint).toContain("reserved");
    }
    expect(expectRefusal(await board.get(`/api/aliases/${freshAlias()}`), 404, "alias_unknown").hint).not.toContain("reserved");
    const owner = board.agent();
    const payload = JSON.stringify({ v: 1, pk: owner.pk, ts: Math.floor(board.clock.now() / 1000), op: "claim", alias: "postmaster" });
    const envelope = { payload, sig: owner.sign(payload), nonce: owner.weakNonce(payload) };
    expectRefusal(await board.send(JSON.stringify(envelope), "/api/aliases"), 403, "alias_reserved");
  });

  test("an alias operation needs three bits more work than a message", async () => {
    const owner = board.agent();
    const payload = JSON.stringify({ v: 1, pk: owner.pk, ts: Math.floor(board.clock.now() / 1000), op: "claim", alias: freshAlias() });
    const envelope = { payload, sig: owner.sign(payload), nonce: owner.weakNonce(payload) };
    const answer = await board.send(JSON.stringify(envelope), "/api/aliases");
    expect([answer.status, answer.body.error.code, answer.body.error.details]).toEqual([
      400,
      "pow_insufficient",
      { required_bits: ALIAS_BITS, pow_bits: ALIAS_BITS - 1 },
    ]);
  });
});

import { beforeAll, afterAll, describe, expect, test } from "vitest";
import type { Agent } from "./support/agent.ts";
import { ALIAS_BITS } from "./support/agent.ts";
import { TestBoard } from "./support/board.ts";

const DAY = 86_400_000;

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
): Promise<{ status: number; body: AliasAnswer }> {
  tick++;
  board.clock.advance(1000);
  const payload = JSON.stringify({ v: 1, pk: agent.pk, ts: Math.floor(board.clock.now() / 1000), op, alias, ...more });
  const { status, body } = await board.send(JSON.stringify(agent.seal(payload, undefined, ALIAS_BITS)), "/api/aliases");
  return { status, body: body as unknown as AliasAnswer };
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
      expires_at: new Date(board.clock.now() + 30 * DAY).toISOString(),
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
    board.clock.advance(20 * DAY);
    await board.put(owner, { kind: "note", title: "still here" });
    board.clock.advance(29 * DAY);
    expect((await board.get(`/api/aliases/${alias}`)).status).toBe(200);
    board.clock.advance(2 * DAY);
    expect((await board.get(`/api/aliases/${alias}`)).status).toBe(404);
    expect((await operate(other, "claim", alias)).body.error.code).toBe("alias_taken");
    const { body } = await board.get<{ changes: { type: string; id: string; detail: string }[] }>(`/api/changes?limit=1000`);
    expect(body.changes.filter((one) => one.id === alias).map((one) => [one.type, one.detail])).toEqual([
      ["alias_expire", JSON.stringify({ agent: owner.id })],
    ]);
    board.clock.advance(30 * DAY);
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

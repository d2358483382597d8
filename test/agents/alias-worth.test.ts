// The value of an alias: how long it lasts, where it can be used, and that a restart does not lose it.
import { beforeAll, afterAll, expect, test } from "vitest";
import { DAY_MS } from "../../src/core/durations.ts";
import { type Agent, ALIAS_BITS } from "../support/agent.ts";
import { type AliasPage, freshAlias, operateAlias } from "../support/aliases.ts";
import { TestBoard } from "../support/board.ts";
import { openBeside, plantAgent, rowCounts } from "../support/database.ts";
import { expectRefusal } from "../support/refusal.ts";

interface Change {
  readonly type: string;
  readonly id: string;
  readonly detail: string;
}

let board: TestBoard;
beforeAll(async () => {
  board = await TestBoard.start({ flags: ["--mail-domain", "board.example"] });
});
afterAll(() => board[Symbol.asyncDispose]());

test("every change of an alias is in the log, with its owner", async () => {
  await using own = await TestBoard.start();
  const [owner, other] = [own.agent(), own.agent()];
  for (const [agent, op] of [
    [owner, "claim"],
    [owner, "claim"],
    [owner, "release"],
    [other, "claim"],
  ] as const) {
    // A released name is reserved for its owner for 72 hours.
    if (agent === other) own.clock.advance(3 * DAY_MS);
    await operateAlias(own, agent, op, "helper");
  }
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
  const alias = freshAlias();
  await operateAlias(board, owner, "claim", alias);
  const before = (await board.get<AliasPage["aliases"][number]>(`/api/aliases/${alias}`)).body;
  await operateAlias(board, owner, "claim", alias);
  const renewed = (await board.get<AliasPage["aliases"][number]>(`/api/aliases/${alias}`)).body;
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
  const alias = freshAlias();
  await operateAlias(board, owner, "claim", alias);
  board.clock.advance(59 * DAY_MS);
  expect((await operateAlias(board, other, "claim", alias)).body.error).toMatchObject({ code: "alias_taken" });
  expect((await operateAlias(board, owner, "claim", alias)).status).toBe(201);
  expect((await board.get(`/api/aliases/${alias}`)).body).toMatchObject({
    agent: owner.id,
    claimed_at: new Date(board.clock.now()).toISOString(),
  });
});

test("an expired name resolves to nobody: not in filters, not in the inbox, not among its owner's names", async () => {
  const owner = board.agent();
  const alias = freshAlias();
  await operateAlias(board, owner, "claim", alias);
  board.clock.advance(30 * DAY_MS);
  expectRefusal(await board.get(`/api/messages?author=${alias}`), 400, "invalid_parameter");
  expectRefusal(await board.get(`/api/aliases/${alias}`), 404, "alias_unknown");
  expectRefusal(await board.get(`/api/inbox/${alias}`), 404, "alias_unknown");
  expect((await board.get<AliasPage>(`/api/aliases?agent=${owner.id}`)).body.aliases).toEqual([]);
  expect((await board.get(`/api/agents/${owner.id}`)).body).toMatchObject({ aliases: [] });
});

test("filters take names wherever they take agents", async () => {
  const [owner, voter] = [board.agent(), board.agent()];
  const [mine, theirs] = [freshAlias(), `${freshAlias()}y`];
  await operateAlias(board, owner, "claim", mine);
  await operateAlias(board, voter, "claim", theirs);
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
  expect(await ids(`author=@${mine}`)).toEqual([finding.id]);
  expect(await ids(`author=${mine},${theirs}&sort=old`)).toEqual([finding.id, vote.id]);
  expect(await ids(`inbox=${mine}@board.example`)).toEqual([vote.id]);
  expect(await ids(`replies_to=${mine.toUpperCase()}`)).toEqual([vote.id]);
});

test("a restart loses none", async () => {
  const first = await TestBoard.start();
  const owner = first.agent();
  await operateAlias(first, owner, "claim", "helper");
  await first.stop();
  await using again = await TestBoard.start({ data: first.data, clock: first.clock });
  expect((await again.get("/api/aliases/helper")).body).toMatchObject({ agent: owner.id });
  expect((await operateAlias(again, again.agent(), "claim", "helper")).body.error.code).toBe("alias_taken");
});

test("a blocked key gets none, and a refused operation leaves nothing behind", async () => {
  const blocked = board.agent();
  const db = openBeside(board.data);
  plantAgent(db, blocked.id, blocked.pk, true);
  const before = rowCounts(db);
  expectRefusal(await operateAlias(board, blocked, "claim", freshAlias()), 451, "blocked_key");
  expectRefusal(await operateAlias(board, board.agent(), "claim", "abuse"), 403, "alias_reserved");
  expectRefusal(await operateAlias(board, board.agent(), "release", freshAlias()), 403, "not_owner");
  expect(rowCounts(db)).toEqual(before);
  db.close();
});

test("its cost is published, and it counts against the agent's rate like any post", async () => {
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
  expectRefusal(await operateAlias(still, still.agent(), "claim", "helper"), 503, "read_only");
});

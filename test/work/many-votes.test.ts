// A message on which very many agents vote: its end is short, however many they are, and nobody's count is lost.
import { expect, test } from "vitest";
import { checkConfigured } from "../../src/cli/operate/check.ts";
import { VOTES_KEPT, VOTES_TAKEN_BACK } from "../../src/core/message/message-state.ts";
import { DAY_MS, HOUR_MS } from "../../src/core/durations.ts";
import { TestBoard } from "../support/board.ts";
import { configAt } from "../support/operator.ts";

const vote = (id: string, rel: "verifies" | "refutes" = "verifies", more: object = {}) => ({
  kind: "verification" as const,
  body: rel,
  refs: [{ rel, id }],
  ...more,
});
const votesOf = async (board: TestBoard, id: string) => (await board.get<{ votes: unknown }>(`/api/agents/${id}`)).body.votes;
const findingsOf = async (board: TestBoard) => (await checkConfigured(configAt(board.data), board.clock.now())).findings;

test("votes on a message that very many voted on are taken back one by one, when they end themselves", async () => {
  await using board = await TestBoard.start();
  const author = board.agent();
  const [few, many] = [
    await board.put(author, { kind: "finding", title: "few" }),
    await board.put(author, { kind: "finding", title: "many" }),
  ];
  const voters = Array.from({ length: VOTES_TAKEN_BACK + 4 }, () => board.agent());
  const [first] = voters;
  for (const voter of voters) await board.put(voter, vote(many.id, "verifies", { ttl: voter === first ? "1d" : "2d" }));
  await board.put(first!, vote(few.id, "refutes", { ttl: "1d" }));
  expect(await votesOf(board, author.id)).toMatchObject({ received: { verifies: voters.length, refutes: 1 } });
  const withdrawal = author.envelope({ kind: "retraction", refs: [{ rel: "retracts", id: many.id }] });
  expect((await board.send(JSON.stringify(withdrawal), "/api/messages?dry_run=1")).status).toBe(200);
  expect(await votesOf(board, author.id)).toMatchObject({ received: { verifies: voters.length, refutes: 1 } });
  for (const { id } of [few, many]) await board.put(author, { kind: "retraction", refs: [{ rel: "retracts", id }] });
  expect(await votesOf(board, author.id)).toEqual({ given: { verifies: 0, refutes: 0 }, received: { verifies: 0, refutes: 0 } });
  expect(await votesOf(board, first!.id)).toMatchObject({ given: { verifies: 1, refutes: 0 } });
  expect(await findingsOf(board)).toEqual([]);
  board.clock.advance(DAY_MS + HOUR_MS);
  await board.get("/api/messages");
  expect(await votesOf(board, first!.id)).toMatchObject({ given: { verifies: 0, refutes: 0 } });
  expect(await votesOf(board, voters[1]!.id)).toMatchObject({ given: { verifies: 1, refutes: 0 } });
  board.clock.advance(DAY_MS);
  await board.get("/api/messages");
  for (const one of [voters[1]!, voters.at(-1)!])
    expect(await votesOf(board, one.id)).toMatchObject({ given: { verifies: 0, refutes: 0 } });
  expect(await findingsOf(board)).toEqual([]);
});

test("of many votes of one agent on one message the newest counts, and the ones before it if that is withdrawn", async () => {
  await using board = await TestBoard.start();
  const [author, voter] = [board.agent(), board.agent()];
  const { id } = await board.put(author, { kind: "finding", title: "disputed" });
  const votes = [];
  for (let i = 0; i < VOTES_KEPT + 3; i++)
    votes.push(await board.put(voter, vote(id, i % 2 === 0 ? "verifies" : "refutes", { body: `${i}` })));
  const counts = async () => (await board.record(id)).derived;
  for (const [i, one] of votes.toReversed().slice(0, VOTES_KEPT).entries()) {
    expect(await counts()).toMatchObject(i % 2 === 0 ? { verifies: 1, refutes: 0 } : { verifies: 0, refutes: 1 });
    await board.put(voter, { kind: "retraction", refs: [{ rel: "retracts", id: one.id }] });
  }
  expect(await counts()).toMatchObject({ verifies: 0, refutes: 0 });
  expect(await findingsOf(board)).toEqual([]);
});

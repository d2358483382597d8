// Listings by who stands by a message: found by way of the voter's own messages, and the same as what the votes say.
import { afterEach, beforeEach, expect, test } from "vitest";
import { AGENTS } from "../../../test/support/acts.ts";
import { BareBoard, postAct } from "../../../test/support/bare-board.ts";
import { agentId, messageId } from "../../core/protocol/message-and-agent-ids.ts";
import { hasAny } from "../../core/query/condition.ts";
import { ORDERS } from "../../core/query/order.ts";
import type { ListQuery } from "../../ports/store.ts";
import { SqliteMessageCache } from "./message-cache.ts";
import { SqliteLister } from "./list.ts";

const NOW = 1000;
let board: BareBoard;
let lister: SqliteLister;
beforeEach(() => {
  board = new BareBoard();
  lister = new SqliteLister(board.db, new SqliteMessageCache(board.db));
});
afterEach(() => board[Symbol.dispose]());

const text = (agent: number, fields: object): string => JSON.stringify({ v: 1, pk: AGENTS[agent]!.pk, ts: 1, ...fields });
function post(agent: number, fields: object): string {
  const payload = text(agent, fields);
  expect(board.post(payload, NOW)).toBe("created");
  return messageId(payload);
}
const vote = (agent: number, rel: "verifies" | "refutes", id: string): string =>
  post(agent, { kind: "verification", body: `${rel} ${id}`, refs: [{ rel, id }] });
const query = (...agents: readonly number[]): ListQuery => ({
  condition: hasAny(
    "verifiedBy",
    agents.map((agent) => agentId(AGENTS[agent]!.pk)),
  ),
  order: ORDERS.new,
  after: undefined,
  limit: 50,
  removed: false,
  only: undefined,
});
const listedNow = (...agents: readonly number[]): unknown =>
  lister.listNow(query(...agents))?.map((one) => ("stored" in one ? one.stored.state.id : undefined));

test("what somebody stands by is found at once behind thousands of newer messages, and is what the last votes say", async () => {
  const [unchanged, changed, twice, withdrawn, both] = [1, 2, 3, 4, 5].map((n) => post(0, { kind: "finding", title: `finding ${n}` }));
  for (const id of [unchanged!, changed!, twice!, both!]) vote(1, "verifies", id);
  vote(1, "refutes", changed!);
  vote(1, "refutes", twice!);
  post(1, { kind: "verification", body: "after all", refs: [{ rel: "verifies", id: twice! }] });
  const taken = vote(1, "verifies", withdrawn!);
  post(1, { kind: "retraction", refs: [{ rel: "retracts", id: taken }] });
  vote(2, "verifies", both!);
  vote(2, "verifies", withdrawn!);
  const notes = Array.from({ length: 3000 }, (_, i) => postAct(text(3, { kind: "note", body: `note ${i}` })));
  board.run(notes, NOW);
  expect(listedNow(1)).toEqual([both, twice, unchanged]);
  expect(listedNow(1, 2)).toEqual([both, withdrawn, twice, unchanged]);
  expect(listedNow(2)).toEqual([both, withdrawn]);
  expect(listedNow(3)).toEqual([]);
  // In any order, and where so much is the voter's that the messages are walked instead.
  expect((await lister.list({ ...query(1), order: ORDERS.verified })).length).toBe(3);
  board.run(
    Array.from({ length: 5001 }, (_, i) => postAct(text(1, { kind: "note", body: `note ${i}` }))),
    NOW,
  );
  // Counts are kept for some seconds.
  lister = new SqliteLister(board.db, new SqliteMessageCache(board.db));
  expect(listedNow(1)).toBeUndefined();
  expect(await lister.seqs(query(1))).toHaveLength(3);
});

test("a voter of few messages with many votes in each is walked in turns, so that nobody waits for its list", async () => {
  const findings = Array.from({ length: 400 }, (_, i) => text(0, { kind: "finding", body: `finding ${i}` }));
  board.run(
    findings.map((one) => postAct(one)),
    NOW,
  );
  const ids = findings.map(messageId);
  const votes = Array.from({ length: 400 }, (_, i) => {
    const refs = Array.from({ length: 16 }, (__, j) => ({ rel: "verifies", id: ids[(i + j * 25) % ids.length] }));
    return postAct(text(1, { kind: "verification", body: `all of these ${i}`, refs }));
  });
  const notes = Array.from({ length: 3000 }, (_, i) => postAct(text(3, { kind: "note", body: `note ${i}` })));
  board.run([...votes, ...notes], NOW);
  expect(listedNow(1)).toBeUndefined();
  expect(await lister.seqs(query(1))).toHaveLength(50);
});

test("messages of several voters are not counted where they may be very many", () => {
  const one = post(0, { kind: "finding", title: "one" });
  for (const voter of [1, 2]) vote(voter, "verifies", one);
  board.run(
    Array.from({ length: 3000 }, (_, i) => postAct(text(3, { kind: "note", body: `note ${i}` }))),
    NOW,
  );
  expect(listedNow(1, 2)).toEqual([one]);
  board.db.exec("UPDATE agents SET messages = 200");
  lister = new SqliteLister(board.db, new SqliteMessageCache(board.db));
  expect(listedNow(1, 2)).toBeUndefined();
});

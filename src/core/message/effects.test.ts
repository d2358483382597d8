// Cases that random histories meet too seldom; the rules as a whole are held against a model in test/sqlite/model.test.ts.
import { afterEach, beforeEach, expect, test } from "vitest";
import { AGENTS } from "../../../test/support/acts.ts";
import { arrivalOf, BareBoard, postAct } from "../../../test/support/bare-board.ts";
import { agentId, messageId } from "../protocol/message-and-agent-ids.ts";
import { MINUTE_MS } from "../durations.ts";

const START = 1_767_225_600_000;
let board: BareBoard;
let now: number;
beforeEach(() => {
  board = new BareBoard();
  now = START;
});
afterEach(() => board[Symbol.dispose]());

const written = (agent: number, fields: object) => JSON.stringify({ v: 1, pk: AGENTS[agent]!.pk, ts: 1, body: "text", ...fields });

/** Posts what must be accepted; its id. */
function put(agent: number, fields: object): string {
  const text = written(agent, fields);
  expect(board.post(text, now)).toBe("created");
  return messageId(text);
}
function state(id: string) {
  const found = board.reader.find(id, now);
  if (found === undefined || "tombstone" in found) throw new Error(`${id} is not live.`);
  return found.stored.state;
}

test("an answer and the vote on it that end in the same sweep are counted out once", () => {
  const task = put(0, { kind: "task", title: "work" });
  const first = put(1, { kind: "answer", refs: [{ rel: "answers", id: task }], ttl: "2m" });
  put(2, { kind: "verification", refs: [{ rel: "refutes", id: first }], ttl: "1m" });
  expect(state(task)).toMatchObject({ status: "open", answers: 0, rejected: 1 });
  now += 3 * MINUTE_MS;
  board.sweep(now);
  expect(state(task)).toMatchObject({ status: "open", answers: 0, rejected: 0 });
  const second = put(1, { kind: "answer", body: "better", refs: [{ rel: "answers", id: task }] });
  expect(state(task)).toMatchObject({ status: "answered", answers: 1, rejected: 0 });
  put(2, { kind: "verification", body: "still wrong", refs: [{ rel: "refutes", id: second }] });
  expect(state(task)).toMatchObject({ status: "open", answers: 0, rejected: 1 });
});

test("the holder of a lease that ended with many others is notified, also if something happens to the work before the sweep comes to it", () => {
  const work = Array.from({ length: 60 }, (_, i) => put(0, { kind: "task", title: `work ${i}` }));
  const holders = work.map((_, i) => Buffer.alloc(32, i).toString("base64url"));
  for (const [i, id] of work.entries()) put(1, { pk: holders[i], kind: "claim", lease: "1m", refs: [{ rel: "claims", id }] });
  now += 2 * MINUTE_MS;
  // All in one transaction, whose sweep ends a part of the leases.
  const others = [
    (id: string) => written(2, { kind: "verification", refs: [{ rel: "verifies", id }] }),
    (id: string) => written(2, { pk: Buffer.from(id, "hex").toString("base64url"), kind: "claim", refs: [{ rel: "claims", id }] }),
    (id: string) => written(0, { kind: "signal", signal: "resolved", refs: [{ rel: "on", id }] }),
  ];
  board.run(
    work.map((id, i) => postAct(others[i % others.length]!(id))),
    now,
  );
  board.sweepAll(now);
  const notified = board.db.prepare("SELECT agent, reason FROM inbox_changes WHERE became = 'open'").all();
  const wanted = [...work.map(() => AGENTS[0]!.id), ...holders.map(agentId)];
  expect(notified.map(({ agent, reason }) => `${String(agent)} ${String(reason)}`).sort()).toEqual(
    wanted.map((agent) => `${agent} lease`).sort(),
  );
});

test("a message joins the thread of its first ref as written, even where a later vote overrides that one", () => {
  const one = put(0, { kind: "finding", title: "one" });
  const two = put(0, { kind: "finding", title: "two" });
  const refs = [
    { rel: "verifies", id: one },
    { rel: "reply", id: two },
    { rel: "refutes", id: one },
  ];
  const vote = put(1, { kind: "verification", refs });
  expect(state(vote).root).toBe(one);
  expect(state(one)).toMatchObject({ verifies: 0, refutes: 1 });
});

test("replies that came before their target are counted, and gone where their author withdrew them in that very message", () => {
  const text = written(0, { kind: "retraction", data: { scope: "all" } });
  put(0, { kind: "note", title: "mine", refs: [{ rel: "reply", id: messageId(text) }] });
  put(1, { kind: "note", title: "theirs", refs: [{ rel: "reply", id: messageId(text) }] });
  const [outcome] = board.run([{ type: "post", arrival: arrivalOf(text), dryRun: false }], now).outcomes;
  expect(outcome).toMatchObject({ result: "created", state: { replies: 1 } });
  expect(state(messageId(text)).replies).toBe(1);
});

test("a dry run judges like a post and leaves nothing behind", () => {
  const task = put(0, { kind: "task", title: "work" });
  const before = board.changes();
  const dry = (text: string) => board.run([{ type: "post", arrival: arrivalOf(text), dryRun: true }], now).outcomes[0];
  const claim = written(1, { kind: "claim", refs: [{ rel: "claims", id: task }] });
  expect(dry(claim)).toMatchObject({ result: "valid" });
  expect(dry(written(1, { kind: "note", refs: [{ rel: "retracts", id: task }] }))).toMatchObject({ refused: { code: "not_author" } });
  expect(dry(written(0, { kind: "retraction", data: { scope: "all" } }))).toMatchObject({ result: "valid" });
  expect(board.changes()).toEqual(before);
  expect(state(task).status).toBe("open");
  expect(board.post(claim, now)).toBe("created");
  expect(dry(claim)).toMatchObject({ result: "exists" });
});

test("the author of the work can reject an answer alone or keep one that others reject; changing that vote takes effect at once", () => {
  const task = put(0, { kind: "task", title: "work" });
  const answer = put(1, { kind: "result", refs: [{ rel: "answers", id: task }] });
  const vote = (agent: number, rel: string, body: string) => put(agent, { kind: "verification", body, refs: [{ rel, id: answer }] });
  vote(2, "verifies", "fine");
  expect(state(task)).toMatchObject({ status: "verified", answers: 1, rejected: 0 });
  vote(0, "refutes", "not what I asked for");
  expect(state(task)).toMatchObject({ status: "open", answers: 0, rejected: 1 });
  vote(0, "verifies", "it is, after all");
  vote(2, "refutes", "not fine");
  vote(3, "refutes", "nor to me");
  expect(state(task)).toMatchObject({ status: "answered", answers: 1, rejected: 0 });
});

test("a stale signal of the author of the work ends the lease for good and bars the agent for a day, whatever happens to claim and signal", () => {
  const task = put(0, { kind: "task", title: "work" });
  const claim = (agent: number, body: string) => written(agent, { kind: "claim", body, refs: [{ rel: "claims", id: task }] });
  const first = claim(1, "mine");
  expect(board.post(first, now)).toBe("created");
  const renewed = put(1, { kind: "claim", body: "still mine", refs: [{ rel: "claims", id: task }] });
  const stale = (agent: number) => ({ kind: "signal", signal: "stale", refs: [{ rel: "on", id: renewed }], title: `by ${agent}` });
  put(2, stale(2));
  expect(state(task)).toMatchObject({ status: "claimed", claimedBy: AGENTS[1]!.id });
  const said = put(0, stale(0));
  expect(state(task)).toMatchObject({ status: "open", claimedBy: null, leaseUntil: null });
  expect(board.post(claim(1, "again"), now)).toBe("reserved");
  put(0, { kind: "retraction", refs: [{ rel: "retracts", id: said }] });
  put(1, { kind: "retraction", refs: [{ rel: "retracts", id: renewed }] });
  expect(state(task).status).toBe("open");
  expect(board.post(claim(1, "again"), now)).toBe("reserved");
  expect(board.post(claim(2, "for me then"), now)).toBe("created");
  now += 24 * 60 * MINUTE_MS;
  board.sweep(now);
  expect(board.post(claim(1, "a day later"), now)).toBe("created");
});

test("an agent holds eight leases and no ninth, may renew each, and the refusal lists them", () => {
  const tasks = Array.from({ length: 9 }, (_, n) => put(0, { kind: "task", title: `work ${n}` }));
  const claim = (n: number, body: string) => written(1, { kind: "claim", body, refs: [{ rel: "claims", id: tasks[n]! }] });
  for (let n = 0; n < 8; n++) expect(board.post(claim(n, "first"), now)).toBe("created");
  const [ninth] = board.run([{ type: "post", arrival: arrivalOf(claim(8, "too many")), dryRun: false }], now).outcomes;
  expect(ninth).toMatchObject({ refused: { code: "too_many_leases" } });
  const { leases } = (ninth as unknown as { refused: { details: { leases: { id: string }[] } } }).refused.details;
  expect(leases.map(({ id }) => id).toSorted()).toEqual(tasks.slice(0, 8).toSorted());
  expect(board.post(claim(3, "renewed"), now)).toBe("created");
  // What is superseded cannot be answered, and stands in no list of what the agent holds.
  put(0, { kind: "task", title: "work 5, better", refs: [{ rel: "supersedes", id: tasks[5]! }] });
  expect(board.post(claim(8, "room for one more"), now)).toBe("created");
});

test("a ref that cannot act is an edge with a warning: a vote on one's own message, an answer to a note, a part of it", () => {
  const note = put(0, { kind: "note", title: "note" });
  const text = written(0, { kind: "answer", refs: ["verifies", "answers", "subtask_of"].map((rel) => ({ rel, id: note })) });
  const [outcome] = board.run([{ type: "post", arrival: arrivalOf(text), dryRun: false }], now).outcomes;
  expect(outcome).toMatchObject({
    result: "created",
    warnings: [{ code: "self_vote" }, { code: "target_not_workable" }, { code: "target_not_workable" }],
  });
  expect(state(note)).toMatchObject({ status: "open", verifies: 0, answers: 0 });
  expect(state(messageId(text)).root).toBe(note);
});

// Cases that random histories meet too seldom; the rules as a whole are held against a model in test/model.test.ts.
import { afterEach, beforeEach, expect, test } from "vitest";
import { AGENTS } from "../../../test/support/acts.ts";
import { arrivalOf, BareBoard } from "../../../test/support/bare-board.ts";
import { messageId } from "../protocol/identity.ts";
import { MINUTE_MS } from "../spans.ts";

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
function standing(id: string) {
  const found = board.reader.find(id, now);
  if (found === undefined || "gone" in found) throw new Error(`${id} is not live.`);
  return found.card.standing;
}

test("an answer and the vote on it that end in the same sweep are counted out once", () => {
  const task = put(0, { kind: "task", title: "work" });
  const first = put(1, { kind: "answer", refs: [{ rel: "answers", id: task }], ttl: "2m" });
  put(2, { kind: "verification", refs: [{ rel: "refutes", id: first }], ttl: "1m" });
  expect(standing(task).status).toBe("disputed");
  now += 3 * MINUTE_MS;
  board.sweep(now);
  expect(standing(task)).toMatchObject({ status: "open", answers: 0, answersDisputed: 0 });
  const second = put(1, { kind: "answer", body: "better", refs: [{ rel: "answers", id: task }] });
  put(2, { kind: "verification", body: "still wrong", refs: [{ rel: "refutes", id: second }] });
  expect(standing(task).status).toBe("disputed");
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
  expect(standing(vote).root).toBe(one);
  expect(standing(one)).toMatchObject({ verifies: 0, refutes: 1 });
});

test("replies that came before their target are counted, and gone where their author withdrew them in that very message", () => {
  const text = written(0, { kind: "retraction", data: { scope: "all" } });
  put(0, { kind: "note", title: "mine", refs: [{ rel: "reply", id: messageId(text) }] });
  put(1, { kind: "note", title: "theirs", refs: [{ rel: "reply", id: messageId(text) }] });
  const [outcome] = board.run([{ type: "post", arrival: arrivalOf(text), dryRun: false }], now).outcomes;
  expect(outcome).toMatchObject({ result: "created", standing: { replies: 1 } });
  expect(standing(messageId(text)).replies).toBe(1);
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
  expect(standing(task).status).toBe("open");
  expect(board.post(claim, now)).toBe("created");
  expect(dry(claim)).toMatchObject({ result: "exists" });
});

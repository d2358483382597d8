// Waiting by the last change: a reader of a list learns of new statuses, votes, leases and reopened work, not only of new messages.
import { describe, expect, test } from "vitest";
import { messageId } from "../../src/core/protocol/message-and-agent-ids.ts";
import { acknowledge } from "../support/acks.ts";
import type { Agent } from "../support/agent.ts";
import { TestBoard } from "../support/board.ts";
import { eventually } from "../support/eventually.ts";
import { BoardStage, hashOf } from "../support/key-stage.ts";
import { Operator, reasons } from "../support/operator.ts";
import { expectRefusal } from "../support/refusal.ts";

interface Page {
  readonly messages: readonly {
    readonly id: string;
    readonly reason?: string;
    readonly derived: { readonly status: string; readonly changed_seq: number };
  }[];
  readonly next_cursor: string | null;
  readonly latest_seq: number;
}

const vote = (board: TestBoard, agent: Agent, rel: "verifies" | "refutes", id: string, body = "checked") =>
  board.put(agent, { kind: "verification", body, refs: [{ rel, id }] });
const head = async (board: TestBoard): Promise<number> => (await board.get<Page>("/api/messages?limit=1")).body.latest_seq;
const waits = (board: TestBoard) =>
  eventually("it waits", async () =>
    (await board.get<string>("/metrics")).body.includes("blackboard_stream_readers 1") ? true : undefined,
  );

test("every change that readers wait for is listed after the entry before it, and mere reply counts are not", async () => {
  await using board = await TestBoard.start();
  const [asker, worker, checker] = [board.agent(), board.agent(), board.agent()];
  const task = await board.put(asker, { kind: "task", title: "followed" });
  let seen = await head(board);
  /** The changes of the task since the last request. */
  const changed = async (): Promise<string | undefined> => {
    const { body } = await board.get<Page>(`/api/messages?kind=task&changed_after=${seen}`);
    seen = body.latest_seq;
    expect(body.messages.length).toBeLessThan(2);
    return body.messages[0]?.derived.status;
  };
  expect(await changed()).toBeUndefined();
  const claim = await board.put(worker, { kind: "claim", lease: "1h", refs: [{ rel: "claims", id: task.id }] });
  expect(await changed()).toBe("claimed");
  await board.put(worker, { kind: "claim", body: "again", lease: "2h", refs: [{ rel: "claims", id: task.id }] });
  expect(await changed(), "renewed").toBe("claimed");
  board.clock.advance(2 * 3600_000);
  expect(await changed(), "the lease ended").toBe("open");
  const answer = await board.put(worker, { kind: "result", body: "seven", refs: [{ rel: "answers", id: task.id }] });
  expect(await changed()).toBe("answered");
  await vote(board, checker, "refutes", answer.id);
  expect(await changed(), "reopened").toBe("open");
  await vote(board, board.agent(), "verifies", task.id);
  expect(await changed(), "a vote that moves no status").toBe("open");
  await board.put(checker, { kind: "note", body: "hm", refs: [{ rel: "reply", id: task.id }] });
  await board.put(checker, { kind: "signal", signal: "useful", refs: [{ rel: "on", id: task.id }] });
  expect(await changed(), "a reply and a signal").toBeUndefined();
  await board.put(worker, { kind: "retraction", refs: [{ rel: "retracts", id: claim.id }] });
  expect(await changed(), "a claim that had ended").toBeUndefined();
  await board.put(asker, { kind: "task", title: "followed, better", refs: [{ rel: "supersedes", id: task.id }] });
  const replaced = await board.get<Page>(`/api/messages?kind=task&changed_after=${seen}&include_superseded=1&sort=changed`);
  expect(replaced.body.messages.map(({ id }) => id)).toContain(task.id);
});

test("work whose last part is done is offered again to readers that wait for changes, also if the part just ends", async () => {
  await using board = await TestBoard.start();
  const [asker, worker] = [board.agent(), board.agent()];
  const whole = await board.put(asker, { kind: "task", title: "in parts" });
  const refs = [{ rel: "subtask_of" as const, id: whole.id }];
  const first = await board.put(asker, { kind: "subtask", title: "first part", refs });
  const second = await board.put(asker, { kind: "subtask", title: "second part", refs });
  const third = await board.put(asker, { kind: "subtask", title: "third part", refs, ttl: "1h" });
  const offered = async (after: number, wait = 0): Promise<readonly string[]> =>
    (await board.get<Page>(`/api/work?changed_after=${after}&wait=${wait}`)).body.messages.map(({ id }) => id);
  await board.put(worker, { kind: "result", body: "one", refs: [{ rel: "answers", id: first.id }] });
  await board.put(asker, { kind: "retraction", refs: [{ rel: "retracts", id: second.id }] });
  const seen = await head(board);
  expect(await offered(seen), "the third part is still to be done").toEqual([]);
  const waiting = offered(seen, 30);
  await waits(board);
  board.clock.advance(3600_000);
  expect(await waiting).toEqual([whole.id]);
  expect(await offered(await head(board)), "once").toEqual([]);
  const fourth = await board.put(asker, { kind: "subtask", title: "fourth part", refs });
  const before = await head(board);
  await board.put(worker, { kind: "result", body: "four", refs: [{ rel: "answers", id: fourth.id }] });
  expect(await offered(before)).toEqual([whole.id]);
  expect((await board.get(`/api/messages/${third.id}`)).status).toBe(410);
});

test("withdrawn and removed messages are listed after the entry that did it, for readers that ask for tombstones", async () => {
  await using board = await TestBoard.start();
  await using operator = await Operator.at(board);
  const author = board.agent();
  const notes = [];
  for (const title of ["stays", "taken back", "removed"]) notes.push(await board.put(author, { kind: "note", title }));
  const [, back, removed] = notes;
  let seen = await head(board);
  const changed = async (): Promise<readonly string[]> => {
    const { body } = await board.get<Page>(`/api/messages?kind=note&include_removed=1&changed_after=${seen}&sort=changed`);
    seen = body.latest_seq;
    return body.messages.map(({ id }) => id);
  };
  await board.put(author, { kind: "retraction", refs: [{ rel: "retracts", id: back?.id ?? "" }] });
  expect(await changed()).toEqual([back?.id]);
  await operator.decide({ do: "remove", target: removed?.id ?? "", reasons: reasons("unwanted"), keepAttachments: false });
  expect(await changed()).toEqual([removed?.id]);
  expect(await changed()).toEqual([]);
  expect((await board.get<Page>("/api/messages?kind=note&changed_after=0")).body.messages).toHaveLength(1);
});

test("in the order of changes nothing is passed over from page to page, and each record says when it changed", async () => {
  await using board = await TestBoard.start();
  const [author, voter] = [board.agent(), board.agent()];
  const findings: string[] = [];
  for (let i = 0; i < 9; i++) findings.push((await board.put(author, { kind: "finding", body: `finding ${i}` })).id);
  const before = await head(board);
  const order = [4, 0, 7, 2, 8];
  for (const i of order) await vote(board, voter, "verifies", findings[i] ?? "");
  const seen: Page["messages"][number][] = [];
  for (let cursor: string | null = ""; cursor !== null;) {
    const at: string = cursor === "" ? "" : `&cursor=${cursor}`;
    const { body } = await board.get<Page>(`/api/messages?kind=finding&changed_after=${before}&sort=changed&limit=2${at}`);
    seen.push(...body.messages);
    cursor = body.next_cursor;
  }
  expect(seen.map(({ id }) => findings.indexOf(id))).toEqual(order);
  expect(seen.every(({ derived }, i) => derived.changed_seq > (seen[i - 1]?.derived.changed_seq ?? before))).toBe(true);
  // The whole board in that order.
  const { body } = await board.get<Page>("/api/messages?kind=finding&sort=changed&limit=200");
  expect(body.messages.map(({ id }) => findings.indexOf(id))).toEqual([1, 3, 5, 6, ...order]);
  expect((await board.get<Page>(`/api/messages?changed_after=${body.latest_seq + 100}&wait=30`)).body.messages).toEqual([]);
});

describe("a waiting reader is woken", () => {
  test("by work that is open again when its lease ends", async () => {
    await using board = await TestBoard.start();
    const [asker, worker, other] = [board.agent(), board.agent(), board.agent()];
    const task = await board.put(asker, { kind: "task", title: "dropped" });
    const paths = [
      (after: number) => `/api/messages?kind=task&status=open&changed_after=${after}`,
      (after: number) => `/api/work?changed_after=${after}`,
      () => `/api/work?as=${other.id}`,
    ];
    for (const [i, path] of paths.entries()) {
      await board.put(worker, { kind: "claim", lease: "10s", body: `claim ${i}`, refs: [{ rel: "claims", id: task.id }] });
      const poll = board.get<Page>(`${path(await head(board))}&wait=30`);
      await waits(board);
      await board.put(other, { kind: "note", body: `no work ${i}` });
      board.clock.advance(10_000);
      expect(
        (await poll).body.messages.map(({ id }) => id),
        path(0),
      ).toEqual([task.id]);
    }
  });

  test("by a vote on what is in its inbox, and by what comes there", async () => {
    await using board = await TestBoard.start();
    const [me, other] = [board.agent(), board.agent()];
    const note = await board.put(other, { kind: "finding", body: "for you", to: me.id });
    const voted = board.get<Page>(`/api/inbox/${me.id}?changed_after=${await head(board)}&wait=30`);
    await waits(board);
    await vote(board, me, "verifies", note.id);
    expect((await voted).body.messages).toMatchObject([{ id: note.id, reason: "addressed", derived: { status: "verified" } }]);
    const came = board.get<Page>(`/api/inbox/${me.id}?after_seq=${await head(board)}&wait=30`);
    await waits(board);
    const next = await board.put(other, { kind: "note", body: "more", to: me.id });
    expect((await came).body.messages.map(({ id }) => id)).toEqual([next.id]);
    expectRefusal(await board.get(`/api/inbox/${me.id}?wait=3`), 400, "invalid_parameter");
    expectRefusal(await board.get("/api/messages?wait=3"), 400, "invalid_parameter");
  });

  test("at the end of its time, though nothing came", async () => {
    await using board = await TestBoard.start();
    const poll = board.get<Page>("/api/work?wait=30");
    await waits(board);
    board.clock.advance(30_000);
    expect((await poll).body).toMatchObject({ messages: [], next_cursor: null });
  });
});

describe("a caller that waits is woken when an older message comes to match", () => {
  const votes = {
    "by one vote more": (_voter: Agent) => "min_verifies=2",
    "by the vote of somebody": (voter: Agent) => `verified_by=${voter.id}`,
  };
  test.each(Object.entries(votes))("%s", async (_name, asked) => {
    await using board = await TestBoard.start();
    const [author, voter] = [board.agent(), board.agent()];
    const before = await head(board);
    const found = await board.put(author, { kind: "finding", body: "water is wet" });
    // It is verified from now on, so the next vote gives it no new status.
    await vote(board, board.agent(), "verifies", found.id);
    const poll = board.get<Page>(`/api/messages?kind=finding&after_seq=${before}&${asked(voter)}&wait=30`);
    await waits(board);
    await vote(board, voter, "verifies", found.id);
    expect((await poll).body.messages).toMatchObject([{ id: found.id }]);
  });

  test("by a vote that is taken back", async () => {
    await using board = await TestBoard.start();
    const [author, voter] = [board.agent(), board.agent()];
    const before = await head(board);
    const found = await board.put(author, { kind: "finding", body: "water is wet" });
    const refuted = await vote(board, voter, "refutes", found.id);
    for (let i = 0; i < 2; i++) await vote(board, board.agent(), "verifies", found.id);
    const poll = board.get<Page>(`/api/messages?kind=finding&after_seq=${before}&max_refutes=0&wait=30`);
    await waits(board);
    await board.put(voter, { kind: "retraction", refs: [{ rel: "retracts", id: refuted.id }] });
    expect((await poll).body.messages).toMatchObject([{ id: found.id }]);
  });

  test.each(["inbox", "replies_to"])("by the arrival of the message that it replies to: %s", async (filter) => {
    await using board = await TestBoard.start();
    const [me, other] = [board.agent(), board.agent()];
    const before = await head(board);
    const mine = me.envelope({ kind: "note", body: "mine" });
    const reply = await board.put(other, { kind: "note", body: "early", refs: [{ rel: "reply", id: messageId(mine.payload) }] });
    const poll = board.get<Page>(`/api/messages?after_seq=${before}&${filter}=${me.id}&wait=30`);
    await waits(board);
    expect((await board.send(JSON.stringify(mine))).status).toBe(201);
    expect((await poll).body.messages).toMatchObject([{ id: reply.id }]);
  });
});

test("a lease that passes to the next key of its holder wakes a caller that waits for changes", async () => {
  await using board = await TestBoard.start();
  const stage = await BoardStage.on(board);
  const [asker, worker, next] = [board.agent(), board.agent(), board.agent()];
  const task = await board.put(asker, { kind: "task", title: "held" });
  await board.put(worker, { kind: "claim", lease: "5h", refs: [{ rel: "claims", id: task.id }] });
  await stage.act(worker, worker, { op: "commit", next: hashOf(next) });
  const poll = board.get<Page>(`/api/messages?changed_after=${await head(board)}&wait=30`);
  await waits(board);
  expect(await stage.act(next, worker, { op: "rotate" })).toBe("counted");
  expect((await poll).body.messages).toMatchObject([{ id: task.id }]);
});

test("an inbox that waited says how far the agent has read by now", async () => {
  await using board = await TestBoard.start();
  const [me, other] = [board.agent(), board.agent()];
  const first = await board.put(other, { kind: "note", body: "one", to: me.id });
  await acknowledge(board, me, { seen: first.seq });
  const poll = board.get<{ seen: number }>(`/api/inbox/${me.id}?unread=1&wait=30`);
  await waits(board);
  const next = await board.put(other, { kind: "note", body: "not for you" });
  await acknowledge(board, me, { seen: next.seq });
  await board.put(other, { kind: "note", body: "two", to: me.id });
  expect((await poll).body.seen).toBe(next.seq);
});

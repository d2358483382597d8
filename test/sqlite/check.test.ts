// `operate check` as an operator relies on it: silent on a correct board with any history, and loud about each planted corruption.
import { cpSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { array, asyncProperty, assert } from "fast-check";
import { beforeAll, describe, expect, test } from "vitest";
import { LocalIndex } from "../../src/adapters/search/local-index.ts";
import { embedderOf } from "../../src/adapters/search/meaning-table.ts";
import { MEANING_TABLE } from "../../src/adapters/system/package-files.ts";
import { pace } from "../../src/adapters/search/pace.ts";
import { openHoldings } from "../../src/adapters/sqlite/non-message-rows.ts";
import { databasePath } from "../../src/adapters/sqlite/open.ts";
import { openSqliteStore } from "../../src/adapters/sqlite/store.ts";
import { checkConfigured } from "../../src/cli/operate/check.ts";
import { type CheckReport, checkBoard } from "../../src/cli/operate/check/check-board.ts";
import { ReplayedBoard } from "../../src/cli/operate/check/replayed-board.ts";
import { documentOf } from "../../src/core/search/document.ts";
import type { OperatorCommand } from "../../src/core/message/execute-operator-commands.ts";
import { readConfig } from "../../src/config.ts";
import { acknowledge } from "../support/acks.ts";
import { OPENING, step } from "../support/acts.ts";
import { type Agent, ALIAS_BITS, sha256 } from "../support/agent.ts";
import { BareBoard } from "../support/bare-board.ts";
import { TestBoard } from "../support/board.ts";
import { BusyBoard } from "../support/busy-board.ts";
import { BoardStage, hashOf } from "../support/key-stage.ts";
import { Model } from "../support/model.ts";
import { Operator, reasons } from "../support/operator.ts";
import { play } from "../support/play.ts";
import { emptyDirectory } from "../support/process.ts";
import { Random, SEED } from "../support/random.ts";

const check = (data: string, now: number): Promise<CheckReport> => checkConfigured(readConfig(["--data", data], {}), now);

describe(`a board with a life behind it (SEED=${SEED})`, () => {
  let data: string;
  let now: number;
  const ids: Record<string, string> = {};

  beforeAll(async () => {
    const board = await TestBoard.start();
    const busy = new BusyBoard(board, new Random(SEED), 5);
    await busy.fill(120);
    board.clock.advance(61_000);
    await busy.fill(60);
    const [author, other] = [board.agent(), board.agent()];
    // An agent that claims a name before its first message is known from then on.
    const claim = JSON.stringify({ v: 1, pk: author.pk, ts: Math.floor(board.clock.now() / 1000), op: "claim", alias: "some-name" });
    await board.send(JSON.stringify(author.seal(claim, undefined, ALIAS_BITS)), "/api/aliases");
    board.clock.advance(1000);
    const task = await board.put(author, { kind: "task", title: "to be done", tags: ["planted"], needs: ["hands"] });
    const answer = await board.put(other, { kind: "result", body: "done", refs: [{ rel: "answers", id: task.id }] });
    await board.put(board.agent(), { kind: "verification", body: "checked", refs: [{ rel: "verifies", id: answer.id }] });
    await board.put(other, { kind: "signal", signal: "useful", refs: [{ rel: "on", id: task.id }] });
    await board.put(other, { kind: "note", title: "a reply", refs: [{ rel: "reply", id: task.id }] });
    // A lease that the author of the work ended while the work was answered leaves no entry, and the signal that did it will be removed.
    const leased = await board.put(author, { kind: "task", title: "leased", tags: ["Held", "ﬁne"] });
    const held = await board.put(other, { kind: "claim", refs: [{ rel: "claims", id: leased.id }] });
    await board.put(other, { kind: "result", body: "half", refs: [{ rel: "answers", id: leased.id }] });
    const stale = await board.put(author, { kind: "signal", signal: "stale", refs: [{ rel: "on", id: held.id }] });
    const refuted = await board.put(other, { kind: "result", body: "wrong", refs: [{ rel: "answers", id: task.id }] });
    await board.put(author, { kind: "verification", body: "not so", refs: [{ rel: "refutes", id: refuted.id }] });
    const text = "attached";
    const attachments = [{ sha256: sha256(text), name: "a.txt", mime: "text/plain", size: text.length }];
    const bad = author.envelope({ kind: "note", title: "bad", attachments }, { [sha256(text)]: text });
    const { id: removed } = (await board.send(JSON.stringify(bad))).body;
    const attached = "kept";
    const live = [{ sha256: sha256(attached), name: "b.txt", mime: "text/plain", size: attached.length }];
    await board.put(author, { kind: "note", title: "good", attachments: live }, { [sha256(attached)]: attached });
    const wronged = author.envelope({ kind: "note", title: "wronged" });
    const { id: back } = (await board.send(JSON.stringify(wronged))).body;
    // The effect of a removed message on another one is in the log only as a status.
    const judged = await board.put(author, { kind: "task", title: "judged" });
    const wrong = await board.put(other, { kind: "result", body: "spam", refs: [{ rel: "answers", id: judged.id }] });
    {
      await using operator = await Operator.at(board);
      await operator.remove(removed);
      await operator.remove(stale.id);
      await operator.remove(wrong.id);
      await operator.remove(back);
      await operator.decide({ do: "restore", target: back });
      await operator.decide({ do: "block_key", agent: board.agent().id, reasons: reasons() });
      await operator.decide({ do: "block_key", agent: other.id, reasons: reasons() });
      await operator.decide({ do: "unblock_key", agent: other.id });
      await operator.decide({ do: "block_blob", sha256: sha256("another"), reasons: reasons() });
    }
    expect((await board.send(JSON.stringify(wronged))).status).toBe(201);
    const letter = await board.put(author, { kind: "task", title: "a letter", to: other.id });
    await acknowledge(board, other, { acted: [letter.id] });
    const late = author.envelope({ kind: "note", title: "late" });
    const early = await board.put(other, { kind: "note", title: "early", refs: [{ rel: "reply", id: sha256(late.payload) }] });
    await board.send(JSON.stringify(late));
    // A line with a rotation and a child; and one with a pending operation.
    const stage = await BoardStage.on(board);
    const [first, second, child, next] = Array.from({ length: 4 }, () => board.agent()) as [Agent, Agent, Agent, Agent];
    expect(await stage.act(first, first, { op: "commit", next: hashOf(second) })).toBe("counted");
    expect(await stage.act(second, first, { op: "rotate", next: hashOf(next) })).toBe("counted");
    const until = Math.floor(board.clock.now() / 1000) + 3600;
    expect(await stage.act(second, second, { op: "delegate", child: child.pk, until }, { child })).toBe("counted");
    await board.put(child, { kind: "note", title: "by a child" });
    expect(await stage.act(next, author, { op: "rotate" }, { old: author })).toBe("pending");
    await board.get("/api/checkpoint");
    // A search makes the index follow the log to its end.
    await board.get("/api/messages?q=planted");
    Object.assign(ids, {
      task: task.id,
      answer: answer.id,
      letter: letter.id,
      early: early.id,
      judged: judged.id,
      removed,
      first: first.id,
      second: second.id,
      child: child.id,
      author: author.id,
      other: other.id,
    });
    now = board.clock.now();
    await board.stop();
    data = board.data;
  });

  test("has no faults, and a check changes nothing", async () => {
    const before = readFileSync(databasePath(data));
    const checked = await check(data, now);
    expect(checked.findings).toEqual([]);
    expect(checked).toMatchObject({ faults: 0 });
    expect(checked.messages).toBeGreaterThan(60);
    expect(readFileSync(databasePath(data)).equals(before)).toBe(true);
  });

  const seqs = new Map<string, number>();
  const of = (name: string): number => seqs.get(name) ?? 0;
  const at = (name: string): string => `message ${ids[name]}`;
  type Plant = readonly [what: string, sql: string, said: RegExp];
  const planted = (what: string, sql: string, where: string, fault: string): Plant => [what, sql, new RegExp(`^${where} ${fault}`, "m")];
  const set = (table: string, change: string, where: string) => `UPDATE ${table} SET ${change} WHERE ${where}`;
  const onTask = (change: string, table = "messages") => set(table, change, `seq = ${of("task")}`);
  const onAnswer = (change: string, table = "messages") => set(table, change, `seq = ${of("answer")}`);

  /** Corruptions that do not hide each other are planted together; each must be named. */
  const GROUPS: Readonly<Record<string, () => readonly Plant[]>> = {
    "of keys": () => [
      planted(
        "a key that rose from the dead",
        set("keys", "state = json_set(state, '$.endedAt', NULL)", `agent = '${ids["first"]}'`),
        `key ${ids["first"]}`,
        "endedAt is null",
      ),
      planted(
        "a child that may do more",
        set("keys", "state = json_set(state, '$.delegation.claim', json('true'))", `agent = '${ids["child"]}'`),
        `key ${ids["child"]}`,
        "delegation is .*claim:true",
      ),
      planted(
        "a line in other hands",
        set("key_lines", `state = json_set(state, '$.current', '${ids["other"]}')`, `principal = '${ids["first"]}'`),
        `line of keys of ${ids["first"]}`,
        "current is",
      ),
      planted(
        "a line whose pending operation is forgotten",
        set("key_lines", "state = json_set(state, '$.pending', NULL)", `principal = '${ids["author"]}'`),
        `line of keys of ${ids["author"]}`,
        "pending is null",
      ),
      planted(
        "an operation that is not in the tree",
        set("key_ops", "prev = id", "type = 'key_commit'"),
        "key operation of entry \\d+",
        "differs from the tree's entry",
      ),
      planted(
        "an operation that nobody signed",
        set("key_ops", 'detail = replace(detail, \'"child_sig":"\', \'"child_sig":"AAAA\')', "type = 'key_delegate'"),
        "key operation of entry \\d+",
        "cannot be read",
      ),
      planted(
        "an operation with another signature",
        set(
          "key_ops",
          "detail = json_set(detail, '$.old_sig', json_extract(detail, '$.sig'))",
          "type = 'key_rotate' AND state = 'pending'",
        ),
        "key operation of entry \\d+",
        "has an invalid signature",
      ),
    ],
    "of content, and of counts": () => [
      planted(
        "a flipped byte",
        onTask("payload = replace(payload, 'to be done', 'to be dont')", "contents"),
        at("task"),
        "has a payload with another id",
      ),
      planted(
        "another signature",
        onAnswer(`sig = (SELECT sig FROM contents WHERE seq = ${of("task")})`, "contents"),
        at("answer"),
        "has an invalid signature",
      ),
      planted(
        "a tally of a tag",
        set("tallies", "count = count + 1", "field = 'tag' AND label = 'planted'"),
        'tag "planted"',
        "count is 2; the log says 1",
      ),
      planted("a tally of kinds", set("tallies", "count = count + 1", "field = 'kind' AND label = 'task'"), "counts", "byKind is"),
      planted("a tally of statuses", set("tallies", "count = count + 1", "field = 'status' AND label = 'open'"), "counts", "byStatus is"),
      planted("a tally of posts", set("tallies", "count = count + 1", "field = 'posted'"), "counts", "lastDay is"),
      planted(
        "an agent's tally",
        set("agent_tallies", "count = count + 1", `agent = '${ids["author"]}' AND label = 'task'`),
        `agent ${ids["author"]}`,
        "byKind is",
      ),
      planted("an agent's total", set("agents", "messages = messages + 1", `id = '${ids["other"]}'`), `agent ${ids["other"]}`, "total is"),
      planted(
        "a lost word of a new status",
        `DELETE FROM inbox_changes WHERE target = ${of("task")} AND became = 'verified'`,
        at("task"),
        "inbox_changes is .*; the log says .*status answered verified",
      ),
      planted(
        "a status nobody gave",
        `UPDATE inbox_changes SET became = 'resolved' WHERE target = ${of("judged")} AND became = 'answered'`,
        at("judged"),
        "inbox_changes is ag_\\w+ \\d+ \\d+ status open resolved; the log has no such entry",
      ),
      planted(
        "another word of an acknowledgement",
        `UPDATE inbox_changes SET became = 'declined' WHERE target = ${of("letter")}`,
        at("letter"),
        "inbox_changes is .*ack stored declined.*; the log says .*ack stored acted ag_",
      ),
      planted(
        "an early reply at another place",
        `UPDATE inbox_changes SET seq = seq + 1 WHERE target = ${of("early")}`,
        at("early"),
        "inbox_changes is .*reply - reply",
      ),
      planted(
        "word of a message that never was",
        `INSERT INTO inbox_changes VALUES ('${ids["author"]}', 1, 99999999, 1, 'status', 'open', 'resolved', NULL)`,
        `agent ${ids["author"]}`,
        "has an inbox item about message 99999999, which is not there",
      ),
      planted(
        "a lost place in an inbox",
        `DELETE FROM inbox WHERE agent = '${ids["author"]}'`,
        `agent ${ids["author"]}`,
        "inbox is \\[\\]",
      ),
      planted("a lost tag", "DELETE FROM labels WHERE label = 'planted'", 'tag "planted"', "messages is \\[\\]"),
      planted(
        "a thread's size",
        set("threads", "messages = messages + 1", `number = (SELECT thread FROM messages WHERE seq = ${of("task")})`),
        `thread of ${at("task")}`,
        "messages is",
      ),
      planted(
        "a thread's activity",
        set("threads", "last_activity = last_activity + 1", `number = (SELECT thread FROM messages WHERE seq = ${of("task")})`),
        `thread of ${at("task")}`,
        "lastActivity is",
      ),
      planted(
        "a statement of reasons",
        set("gone", "statement = replace(statement, 'advert', 'xx')", `id = '${ids["removed"]}'`),
        `tombstone of ${ids["removed"]}`,
        "statement is",
      ),
      planted(
        "a decision in other words",
        set("actions", "facts = 'poetry'", `target = '${ids["removed"]}'`),
        "decision sr_\\w+",
        'facts is "poetry"',
      ),
      planted(
        "a decision taken back",
        set("actions", "state = 'reversed'", "target LIKE 'ag_%'"),
        "decision sr_\\w+",
        'state is "reversed"; the log says "in_force"',
      ),
      planted("a stolen alias", `UPDATE aliases SET agent = '${ids["other"]}'`, "alias some-name", "agent is"),
    ],
    "of what is derived": () => [
      planted("a status", onTask("status = 'open'"), at("task"), 'status is "open"; the log says "verified"'),
      planted("a count of replies", onTask("replies = replies + 1"), at("task"), "replies is 2; the log says 1"),
      planted("signals", onTask("signals = NULL"), at("task"), "signals is \\{\\}; the log says \\{useful:1\\}"),
      planted("a longer life", onTask("expires_at = expires_at + 1"), at("task"), "expiresAt is"),
      planted("more work than there was", onTask("bits = 99"), at("task"), "bits is 99"),
      planted("a count of votes", onAnswer("verifies = 5"), at("answer"), "verifies is 5; the log says 1"),
      planted("another author", onAnswer(`author = '${ids["author"]}'`), at("answer"), "author is"),
      planted("another root", onAnswer("root = id"), at("answer"), "root is"),
      planted("a ref that nobody signed", onAnswer("rel = 'cites'", "refs"), at("answer"), "refs is"),
      planted("a lost vote", `DELETE FROM votes WHERE target = ${of("answer")}`, at("answer"), "verifiers is \\[\\]"),
      planted(
        "a key blocked no more",
        "DELETE FROM blocks WHERE what = 'key'",
        "decision sr_\\w+",
        "is in force, but the key is not blocked",
      ),
      planted(
        "another reason for an end",
        set("gone", "reason = 'expired'", `id = '${ids["removed"]}'`),
        `tombstone of ${ids["removed"]}`,
        'reason is "expired"; the log says "removed"',
      ),
    ],
    "of content that cannot be read": () => [
      planted("no JSON any more", onTask("payload = substr(payload, 2)", "contents"), at("task"), "has a payload that cannot be read"),
      planted(
        "another nonce",
        onAnswer("nonce = 'x' || nonce", "contents"),
        `entry ${of("answer")}`,
        "has a content that does not match its digest",
      ),
      planted(
        "a lost tombstone",
        `DELETE FROM gone WHERE id = '${ids["removed"]}'`,
        at("removed"),
        "of entry \\d+ has neither content nor tombstone",
      ),
      planted(
        "a lost decision",
        `DELETE FROM actions WHERE target = '${ids["removed"]}'`,
        "entry \\d+",
        `decides on ${ids["removed"]}, but no decision is stored`,
      ),
    ],
    "of the chain": () => [
      planted("another hash", onTask(`hash = '${"f".repeat(64)}'`, "log"), `entry ${of("task")}`, "has a hash that does not match"),
      planted("another type", onAnswer("type = 'expire'", "log"), `entry ${of("answer")}`, "has a hash that does not match"),
      planted("another time", set("log", "at = at - 100000000", "seq = 20"), "entry 20", "is older than the entry before it"),
      planted(
        "another detail",
        set("log", "detail = replace(detail, 'advert', 'xx')", `id = '${ids["removed"]}' AND type = 'remove'`),
        "entry \\d+",
        "has a detail that does not match its digest",
      ),
    ],
    "of attachments and blocks": () => [
      planted(
        "an attachment with another text",
        set("blobs", "text = 'Kept'", `sha256 = '${sha256("kept")}'`),
        `attachment ${sha256("kept")}`,
        "has a text with another hash",
      ),
      planted(
        "a blocked attachment that is still there",
        `INSERT INTO blobs (sha256, text, expires_at) VALUES ('${sha256("another")}', 'another', ${now + 1000})`,
        `attachment ${sha256("another")}`,
        "is blocked, but its text is still there",
      ),
      planted(
        "an attachment of nothing",
        `INSERT INTO blobs (sha256, text, expires_at) VALUES ('${sha256("loose")}', 'loose', ${now + 1000})`,
        `attachment ${sha256("loose")}`,
        "is stored, though no live message has it",
      ),
      planted(
        "a key still blocked after its reversal",
        "INSERT INTO blocks SELECT 'key', target, id FROM actions WHERE visibility = 'key_blocked' AND state = 'reversed'",
        `key ${ids["other"]}`,
        "is blocked by sr_\\w+, which is not in force",
      ),
    ],
    "of a log with a hole": () => [
      planted(
        "a missing entry",
        `DELETE FROM log WHERE seq = ${of("answer")}`,
        `entry ${of("answer") + 1}`,
        `follows entry ${of("answer") - 1}: the entries between them are missing`,
      ),
      planted("what it told of", "SELECT 1", at("answer"), `is stored under ${of("answer")}, which is not in the log`),
    ],
    "of a log that was cut off": () => [
      planted(
        "the last entry",
        "DELETE FROM log WHERE seq = (SELECT max(seq) FROM log)",
        "checkpoint \\d+",
        "was signed by the board, but this log does not contain it",
      ),
    ],
    "of lost rows": () => [
      planted("a lost message", `DELETE FROM messages WHERE seq = ${of("task")}`, at("task"), ".*"),
      planted("lost content", `DELETE FROM contents WHERE seq = ${of("answer")}`, at("answer"), ".*"),
    ],
  };

  /** A copy of the board to plant something in. */
  function copied(): string {
    const copy = emptyDirectory();
    cpSync(data, copy, { recursive: true });
    return copy;
  }
  beforeAll(() => {
    const whole = new DatabaseSync(databasePath(data), { readOnly: true });
    for (const name of ["task", "answer", "removed", "letter", "early", "judged"])
      seqs.set(name, whole.prepare("SELECT seq FROM log WHERE type = 'create' AND id = ?").get(ids[name] ?? "")?.["seq"] as number);
    whole.close();
  });

  test.for(Object.keys(GROUPS))("corruptions %s are found, and named", async (group) => {
    const copy = copied();
    const plants = GROUPS[group]?.() ?? [];
    const db = new DatabaseSync(databasePath(copy));
    for (const [, sql] of plants) db.exec(sql);
    db.close();
    const { findings } = await check(copy, now);
    const said = findings.map(({ where, fault }) => `${where} ${fault}`).join("\n");
    for (const [what, , fault] of plants) expect(said, what).toMatch(fault);
  });

  test("a search index that lacks a live message, or still has a gone one, is found", async () => {
    const copy = copied();
    const index = LocalIndex.open(join(copy, "index"), { embedder: embedderOf(MEANING_TABLE) });
    index.forget(of("task"), "later");
    index.add(of("removed"), documentOf({ v: 1, pk: "", ts: 0, kind: "note", title: "bad" }));
    await index.flush(pace(100));
    index.close();
    const { findings } = await check(copy, now);
    expect(findings).toEqual([
      { where: "search index", fault: `lacks message ${ids["task"]}, which is live` },
      { where: "search index", fault: `still has message ${ids["removed"]}, which is gone` },
    ]);
  });

  test("a search index with a flipped byte is found", async () => {
    const copy = copied();
    const segment = readdirSync(join(copy, "index")).find((file) => file.endsWith(".segment")) ?? "";
    const path = join(copy, "index", segment);
    const bytes = readFileSync(path);
    bytes[40]! ^= 1;
    writeFileSync(path, bytes);
    const { findings } = await check(copy, now);
    expect(findings).toEqual([{ where: "search index", fault: expect.stringMatching(/^is damaged: .*damaged/) }]);
  });

  test.for([
    [
      "signature",
      (head: Record<string, unknown>) => ({ ...head, sig: String(head["sig"]).replace(/^./, (first) => (first === "A" ? "B" : "A")) }),
      /has an invalid signature/,
    ],
    ["hash", (head: Record<string, unknown>) => ({ ...head, hash: "f".repeat(64) }), /hash is|not on the way/],
    ["seq", (head: Record<string, unknown>) => ({ ...head, seq: 5 }), /seq is 5/],
  ] as const)("a checkpoint with another %s is found", async ([, change, said]) => {
    const copy = emptyDirectory();
    cpSync(databasePath(data), databasePath(copy));
    const head = JSON.parse(readFileSync(join(data, "head.json"), "utf8")) as Record<string, unknown>;
    writeFileSync(join(copy, "head.json"), JSON.stringify(change(head)));
    const { findings } = await check(copy, now);
    expect(findings.map(({ where, fault }) => `${where} ${fault}`).join("\n")).toMatch(said);
  });

  test("a damaged file is refused with a clear text", async () => {
    const copy = emptyDirectory();
    const bytes = readFileSync(databasePath(data));
    bytes.fill(0x55, 4096 * 3, 4096 * 6);
    writeFileSync(databasePath(copy), bytes);
    await expect(check(copy, now)).rejects.toThrow(/damaged|malformed/);
  });
});

/** Now and then the operator removes the oldest message, restores it, and its author posts it again. */
function moderate(board: BareBoard, now: number, n: number): void {
  if (n % 9 !== 8) return;
  const oldest = board.db.prepare("SELECT m.id, c.payload FROM messages m JOIN contents c USING (seq) ORDER BY seq LIMIT 1").get();
  if (oldest === undefined) return;
  const [id, payload] = [oldest["id"] as string, oldest["payload"] as string];
  const order = (given: OperatorCommand) => board.run([{ type: "order", order: given }], now);
  order({ do: "remove", target: id, reasons: reasons(), keepAttachments: false });
  if (n % 2 === 1) return;
  order({ do: "restore", target: id });
  board.post(payload, now);
}

const HISTORIES = Number(process.env["HISTORIES"] ?? 6);

test(`no history that the rules allow looks like a corruption (SEED=${SEED})`, async () => {
  const steps = array(step, { maxLength: 80, size: "max" }).map((more) => [...OPENING, ...more]);
  await assert(
    asyncProperty(steps, async (script) => {
      using board = new BareBoard();
      const model = new Model(Date.UTC(2026, 0, 1));
      for (const [n, one] of script.entries()) {
        play(board, model, one, n, n % 3 !== 0);
        moderate(board, model.now, n);
      }
      const store = await openSqliteStore(board.dir, () => {}, "operator");
      try {
        using holdings = openHoldings(databasePath(board.dir));
        const examined = { store, holdings, index: undefined, signed: undefined, pk: undefined };
        const { findings } = await checkBoard(examined, async () => true, model.now);
        // These histories have neither proof of work nor real keys.
        expect(findings.filter(({ fault }) => !fault.startsWith("bits is"))).toEqual([]);
      } finally {
        await store.close();
      }
    }),
    { seed: SEED, numRuns: HISTORIES },
  );
});

test("a board whose first tombstones are gone, and one whose operator removed a renewed claim, are sound", async () => {
  await using board = await TestBoard.start();
  const [author, holder] = [board.agent(), board.agent()];
  await board.put(author, { kind: "note", title: "long ago", ttl: 60 });
  for (let days = 0; days < 40; days += 5) {
    board.clock.advance(5 * 86_400_000);
    await board.put(holder, { kind: "note", title: `day ${days}` });
  }
  const task = await board.put(author, { kind: "task", title: "leased" });
  const claim = (lease: string) => board.put(holder, { kind: "claim", lease, refs: [{ rel: "claims", id: task.id }] });
  await claim("1d");
  const renewed = await claim("2d");
  {
    await using operator = await Operator.at(board);
    await operator.remove(renewed.id);
  }
  expect((await board.record(task.id)).derived.status).toBe("open");
  await board.get("/api/messages?q=leased");
  await board.stop();
  expect((await check(board.data, board.clock.now())).findings).toEqual([]);
});

test("the operations of a key are replayed in turn, however many entries are read at once", async () => {
  await using board = await TestBoard.start();
  const stage = await BoardStage.on(board);
  const [key, next] = [board.agent(), board.agent()];
  const commit = { op: "commit", next: hashOf(next) } as const;
  expect(await stage.act(key, key, commit)).toBe("counted");
  expect(await stage.act(key, key, commit)).toBe("pending");
  expect(await stage.act(key, key, commit)).toBe("pending");
  // It ends the key, and leaves what the key did last as it is.
  expect(await stage.act(next, key, { op: "rotate" })).toBe("counted");
  await board.stop();
  const store = await openSqliteStore(board.data, () => {}, "operator");
  const replayed = new ReplayedBoard();
  try {
    for (const entry of await store.entries(0, 100))
      replayed.play([{ entry, arrival: undefined, tombstone: undefined }], (_, error) => {
        throw error;
      });
    using found = openHoldings(databasePath(board.data));
    using expected = replayed.holdings();
    expect([...expected.keys()]).toEqual([...found.keys()]);
  } finally {
    replayed.remove();
    await store.close();
  }
});

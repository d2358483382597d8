// The log as mirrors and auditors use it, and the head that the board signs.
import { createPublicKey, verify } from "node:crypto";
import { mkdirSync, readFileSync, rmdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { agentId } from "../../src/core/protocol/message-and-agent-ids.ts";
import { LIMITS } from "../../src/core/protocol/limits.ts";
import { DAY_MS } from "../../src/core/durations.ts";
import { ackText, idOf, sendAck } from "../support/acks.ts";
import { TestBoard } from "../support/board.ts";
import { notes, putAll } from "../support/crowd.ts";
import { type Change, chainFaults } from "../support/chain.ts";
import { keepCopy, putBack } from "../support/copies.ts";
import { openBeside } from "../support/database.ts";
import { expectRefusal } from "../support/refusal.ts";

interface Changes {
  readonly changes: readonly Change[];
  readonly next_after: number;
  readonly latest_seq: number;
  readonly oldest_seq: number;
  readonly more: boolean;
}
interface Checkpoint {
  readonly payload: string;
  readonly sig: string;
  readonly pk: string;
  readonly board: string;
  readonly seq: number;
  readonly hash: string;
  readonly at: string;
}

const page = async (board: TestBoard, query = "") => (await board.get<Changes>(`/api/changes${query}`)).body;
const checkpoint = (board: TestBoard) => board.get<Checkpoint>("/api/checkpoint");
const note = (body: string, more: object = {}) => ({ kind: "note", body, ...more });

async function fill(board: TestBoard, count: number): Promise<string[]> {
  return (
    await putAll(
      board,
      notes(count, (i) => `note ${i}`),
    )
  ).map(({ id }) => id);
}

describe("a mirror that follows /api/changes", () => {
  test("gets every entry once, page by page, and can check the chain from content to head", async () => {
    await using board = await TestBoard.start();
    await fill(board, 25);
    const agent = board.agent();
    const { id } = await board.put(agent, { kind: "task", title: "work" });
    await board.put(board.agent(), { kind: "claim", refs: [{ rel: "claims", id }] });
    const all: Change[] = [];
    const mores: boolean[] = [];
    for (let after = 0, more = true; more;) {
      const {
        changes,
        next_after: next,
        latest_seq: latest,
        oldest_seq: oldest,
        ...rest
      } = await page(board, `?after=${after}&limit=7&include=raw`);
      expect([latest, oldest]).toEqual([28, 1]);
      all.push(...changes);
      mores.push((more = rest.more));
      after = next;
    }
    expect(mores).toEqual([true, true, true, false]);
    expect(all.map((entry) => entry.seq)).toEqual(Array.from({ length: 28 }, (_, i) => i + 1));
    expect(chainFaults(all)).toEqual([]);
    expect(all.filter((entry) => entry.type === "create" && entry.raw)).toHaveLength(27);
    expect(all.at(-1)).toMatchObject({ type: "status", id, detail: '{"from":"open","to":"claimed"}' });
    expect((await checkpoint(board)).body).toMatchObject({ seq: 28, hash: all.at(-1)?.hash });
    expect(await page(board, "?after=28")).toEqual({ changes: [], next_after: 28, latest_seq: 28, oldest_seq: 1, more: false });
    expect(await page(board, "?after=29")).toEqual({ changes: [], next_after: 29, latest_seq: 28, oldest_seq: 1, more: false });
  });
  test("large messages come in pages that the board can make without holding up others, and none is left out", async () => {
    await using board = await TestBoard.start();
    const agent = board.agent();
    const large = note("\u{1f600}".repeat(LIMITS.body_chars), { data: { text: "x".repeat(LIMITS.data_bytes - 100) } });
    for (let i = 0; i < 50; i++) await board.put(agent, { ...large, title: String(i) });
    const first = await page(board, "?limit=1000&include=raw");
    const chars = first.changes.reduce((sum, { raw }) => sum + (raw?.payload.length ?? 0), 0);
    expect(first).toMatchObject({ more: true, next_after: first.changes.length });
    expect(chars).toBeLessThan(1.5 * LIMITS.changes_raw_chars);
    const all = [...first.changes];
    for (let last = first; last.more;) {
      last = await page(board, `?after=${last.next_after}&limit=1000&include=raw`);
      expect(last.changes.length).toBeGreaterThan(0);
      all.push(...last.changes);
    }
    expect(chainFaults(all)).toEqual([]);
    expect(all.filter((entry) => entry.raw)).toHaveLength(50);
    expect((await page(board, "?limit=1000")).changes).toHaveLength(50);
  });
  test("long details come in pages as well: many of them delay no reader of the log", async () => {
    await using board = await TestBoard.start();
    const [sender, reader] = [board.agent(), board.agent()];
    for (let i = 0; i < 70; i++) await board.put(sender, { ...note(String(i)), to: reader.id });
    for (let seen = 1; seen <= 70; seen++) {
      const text = ackText(await idOf(board), reader, board.clock.now(), { seen });
      expect((await sendAck(board, reader, text.padEnd(LIMITS.operation_bytes))).status).toBe(201);
    }
    const first = await page(board, "?limit=1000");
    expect(first).toMatchObject({ more: true, next_after: first.changes.length });
    expect(JSON.stringify(first).length).toBeLessThan(1.5 * LIMITS.changes_raw_chars);
    const second = await page(board, `?limit=1000&after=${first.next_after}`);
    expect(second.more).toBe(false);
    expect(chainFaults([...first.changes, ...second.changes])).toEqual([]);
    expect(first.changes.length + second.changes.length).toBe(140);
  });
  test("a changed byte anywhere breaks the chain", async () => {
    await using board = await TestBoard.start();
    await fill(board, 3);
    const { changes } = await page(board, "?include=raw");
    const [first, second, third] = changes as [Change, Change, Change];
    const forged = (entry: Change) => chainFaults(changes.map((one) => (one.seq === entry.seq ? entry : one)));
    expect(forged({ ...second, id: first.id })).not.toEqual([]);
    expect(forged({ ...second, at: new Date(Date.parse(second.at) + 1).toISOString() })).not.toEqual([]);
    expect(forged({ ...second, raw: { ...first.raw!, payload: `${first.raw?.payload} ` } })).not.toEqual([]);
    expect(chainFaults([first, third])).not.toEqual([]);
  });
  test("without include=raw there is no content; once a message is gone there is none at all, and the chain still checks", async () => {
    await using board = await TestBoard.start();
    const agent = board.agent();
    const lasting = await board.put(agent, note("kept"));
    const gone = await board.put(agent, note("gone"));
    await board.put(agent, { kind: "retraction", refs: [{ rel: "retracts", id: gone.id }] });
    expect((await page(board)).changes.every((entry) => !("raw" in entry))).toBe(true);
    const { changes } = await page(board, "?include=raw");
    const raw = (id: string) => changes.find((entry) => entry.type === "create" && entry.id === id)?.raw;
    expect(raw(lasting.id)?.payload).toContain("kept");
    expect(raw(gone.id)).toBeNull();
    expect(JSON.stringify(changes)).not.toContain('"gone\\"');
    expect(changes.map((entry) => entry.type)).toEqual(["create", "create", "create", "retract"]);
    expect(chainFaults(changes)).toEqual([]);
  });
});

test("a board forgets no entry, however old: the chain checks from the first one on, and a signed head of long ago is still in it", async () => {
  await using board = await TestBoard.start();
  await fill(board, 5);
  const signed = await checkpoint(board);
  for (let months = 0; months < 3; months++) {
    board.clock.advance(31 * DAY_MS);
    await fill(board, 1);
  }
  const { changes, oldest_seq: oldest, latest_seq: latest } = await page(board);
  expect(oldest).toBe(1);
  expect(changes.map(({ seq }) => seq)).toEqual(Array.from({ length: latest }, (_, i) => i + 1));
  expect(chainFaults(changes)).toEqual([]);
  expect(changes[4]).toMatchObject({ seq: signed.body.seq, hash: signed.body.hash });
});

describe("the signed head", () => {
  test("can be checked with the board's key and any Ed25519 library", async () => {
    await using board = await TestBoard.start();
    await fill(board, 3);
    const { payload, sig, pk, board: name, seq, hash, at } = (await checkpoint(board)).body;
    const key = createPublicKey({ key: { kty: "OKP", crv: "Ed25519", x: pk }, format: "jwk" });
    expect(verify(null, Buffer.from(payload), key, Buffer.from(sig, "base64url"))).toBe(true);
    expect(verify(null, Buffer.from(`${payload} `), key, Buffer.from(sig, "base64url"))).toBe(false);
    const ts = Math.floor(board.clock.now() / 1000);
    expect(payload).toBe(`{"v":1,"origin":"http://board.test","seq":3,"hash":"${hash}","ts":${ts}}`);
    expect({ name, seq, at }).toEqual({ name: agentId(pk), seq: 3, at: new Date(board.clock.now()).toISOString() });
    expect(hash).toBe((await page(board)).changes.at(-1)?.hash);
  });
  test("of an empty board is the start of the chain", async () => {
    await using board = await TestBoard.start();
    expect((await checkpoint(board)).body).toMatchObject({ seq: 0, hash: "0".repeat(64) });
  });
  test("is on disk before anyone gets it: a board that cannot write it gives no signature away", async () => {
    await using board = await TestBoard.start();
    await fill(board, 2);
    const obstacle = join(board.data, "head.json.next");
    mkdirSync(obstacle);
    const refused = await checkpoint(board);
    expectRefusal(refused, 500, "internal");
    expect(JSON.stringify(refused.body)).not.toContain("sig");
    rmdirSync(obstacle);
    const { body } = await checkpoint(board);
    expect(JSON.parse(readFileSync(join(board.data, "head.json"), "utf8"))).toEqual(body);
  });
  test("is signed and stored again by a running board whose head file was damaged", async () => {
    await using board = await TestBoard.start();
    await checkpoint(board);
    writeFileSync(join(board.data, "head.json"), "{}");
    await fill(board, 1);
    const { status, body } = await checkpoint(board);
    expect([status, body.seq]).toEqual([200, 1]);
    expect(JSON.parse(readFileSync(join(board.data, "head.json"), "utf8"))).toEqual(body);
  });
  test("many requests at once, while the log moves, never get two histories", async () => {
    await using board = await TestBoard.start();
    const asked = Array.from({ length: 20 }, () => checkpoint(board));
    const [answers] = await Promise.all([Promise.all(asked), fill(board, 20)]);
    const { changes } = await page(board);
    for (const { body } of answers) expect(body.hash).toBe(body.seq === 0 ? "0".repeat(64) : changes[body.seq - 1]?.hash);
    expect((await checkpoint(board)).body.seq).toBe(20);
  });
});

describe("a board whose database is not the one it signed for", () => {
  async function expectReadOnly(board: TestBoard, id: string, text: string): Promise<void> {
    const before = await page(board);
    expectRefusal(await board.post(board.agent(), note("refused")), 503, "log_rollback");
    expectRefusal(await checkpoint(board), 503, "log_rollback");
    expect((await board.record(id)).content.body).toBe(text);
    board.clock.advance(DAY_MS * 8);
    expectRefusal(await board.get(`/api/messages/${id}`), 410, "expired");
    expect(await page(board)).toEqual(before);
  }

  test("starts read-only on an older copy, writes nothing, and recovers with the right one", async () => {
    const first = await TestBoard.start();
    const { id } = await first.put(first.agent(), note("kept"));
    await first.stop();
    await keepCopy(first.data, "old");
    const second = await TestBoard.start({ data: first.data, clock: first.clock });
    await fill(second, 3);
    expect((await checkpoint(second)).body.seq).toBe(4);
    await second.stop();
    await keepCopy(first.data, "good");
    await putBack(first.data, "old");
    const now = first.clock.now();
    const rolled = await TestBoard.start({ data: first.data, clock: first.clock });
    await expectReadOnly(rolled, id, "kept");
    await rolled.stop();
    await putBack(first.data, "good");
    first.clock.set(now);
    await using board = await TestBoard.start({ data: first.data, clock: first.clock });
    expect((await board.put(board.agent(), note("goes on"))).seq).toBe(5);
    expect((await checkpoint(board)).body.seq).toBe(5);
  });
  test("starts read-only on one with another history", async () => {
    const first = await TestBoard.start();
    const { id } = await first.put(first.agent(), note("kept"));
    await fill(first, 2);
    expect((await checkpoint(first)).body.seq).toBe(3);
    await first.stop();
    const db = openBeside(first.data);
    db.exec(`UPDATE log SET hash = '${"f".repeat(64)}' WHERE seq = 3`);
    db.close();
    await using board = await TestBoard.start({ data: first.data, clock: first.clock });
    await expectReadOnly(board, id, "kept");
  });
  test("is distinguished from a second board on the same directory, which does not start at all", async () => {
    await using board = await TestBoard.start();
    await expect(TestBoard.start({ data: board.data })).rejects.toThrow(/Another board is running/);
    await fill(board, 1);
  });
});

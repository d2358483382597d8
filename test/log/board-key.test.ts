// The key is the board's identity: a board that lost its key, or got another, must not continue as if nothing had happened.
import { chmodSync, readdirSync, readFileSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { makeBoardKey } from "../../src/adapters/system/board-key.ts";
import { checkConfigured } from "../../src/cli/operate/check.ts";
import { agentId } from "../../src/core/protocol/message-and-agent-ids.ts";
import { TEST_BITS } from "../support/agent.ts";
import { TestBoard } from "../support/board.ts";
import { keepCopy, putBack } from "../support/copies.ts";
import { configAt } from "../support/operator.ts";
import { onPostgres } from "../support/postgres/database.ts";
import { BoardProcess, emptyDirectory } from "../support/process.ts";
import { runHere } from "../support/program.ts";
import { expectRefusal } from "../support/refusal.ts";

interface Checkpoint {
  readonly board: string;
  readonly seq: number;
}
const note = (title: string) => ({ kind: "note", title });
const signed = async (board: TestBoard) => (await board.get<Checkpoint>("/api/checkpoint")).body;

/** A stopped board with one message and a signed head, and another key. */
async function stopped() {
  const first = await TestBoard.start();
  const { id } = await first.put(first.agent(), note("kept"));
  const head = await signed(first);
  await first.stop();
  const other = join(emptyDirectory(), "other.key");
  const { data, clock } = first;
  return { data, clock, id, head, key: join(data, "board.key"), other, otherId: agentId(makeBoardKey(other).pk) };
}
const place = (data: string): string => (onPostgres() ? "the database" : data);
const MEND = /Restore its board\.key from a backup .*--key-file.*--new-key on/;

test("a board without its key does not start, makes none, and says which is needed and where; with it, it continues", async () => {
  const { data, clock, head, key } = await stopped();
  const [files, away] = [readdirSync(data), join(emptyDirectory(), "board.key")];
  renameSync(key, away);
  const start = () => TestBoard.start({ data, clock });
  await expect(start()).rejects.toThrow(`The board in ${place(data)} is ${head.board} (public key `);
  await expect(start()).rejects.toThrow(`but there is no key at ${key}.`);
  await expect(start()).rejects.toThrow(MEND);
  expect(readdirSync(data)).toEqual(files.filter((name) => name !== "board.key"));
  renameSync(away, key);
  await using board = await start();
  expect(await signed(board)).toEqual(head);
});

test("a board with another key does not start, and both are named", async () => {
  const { data, clock, head, other, otherId } = await stopped();
  const start = () => TestBoard.start({ data, clock, flags: ["--key-file", other] });
  await expect(start()).rejects.toThrow(`is ${head.board} (public key `);
  await expect(start()).rejects.toThrow(`but ${other} holds the key of ${otherId}.`);
  await expect(start()).rejects.toThrow(MEND);
});

test("a key that others may read is refused, with the command that mends it", async () => {
  const { data, clock, key } = await stopped();
  chmodSync(key, 0o640);
  await expect(TestBoard.start({ data, clock })).rejects.toThrow(`Others may read the key file ${key}: chmod 600 ${key}`);
  chmodSync(key, 0o600);
  await using board = await TestBoard.start({ data, clock });
  expect((await board.get("/readyz")).status).toBe(200);
});

test("a board whose database is behind its last signed head says in its log what to do", async () => {
  const { data, clock } = await stopped();
  await keepCopy(data, "old");
  const second = await TestBoard.start({ data, clock });
  await second.put(second.agent(), note("lost"));
  await signed(second);
  await second.stop();
  await putBack(data, "old");
  await using rolled = await BoardProcess.serve(data, ["--log-level", "error"]);
  const { seq, signed_seq: last, msg } = JSON.parse(rolled.stderr) as Record<string, unknown>;
  expect({ seq, last }).toEqual({ seq: 1, last: 2 });
  expect(msg).toMatch(/Starting read-only.*Restore the newest copy .*restore-backup.*--new-key on.*docs\/operate\.md/);
});

describe("with --new-key on", () => {
  test("the log continues under a new identity, earlier signatures stay, and only the new key starts the board again", async () => {
    const { data, clock, id, head, key, other, otherId } = await stopped();
    const second = await TestBoard.start({ data, clock, flags: ["--key-file", other, "--new-key", "on"] });
    expect(await signed(second)).toMatchObject({ board: otherId, seq: 1 });
    expect((await second.record(id)).meta.title).toBe("kept");
    expect((await second.put(second.agent(), note("goes on"))).seq).toBe(2);
    expect(await signed(second)).toMatchObject({ board: otherId, seq: 2 });
    await second.stop();
    expect(JSON.parse(readFileSync(join(data, `head-${head.board}.json`), "utf8"))).toEqual(head);
    await expect(TestBoard.start({ data, clock, flags: ["--key-file", key] })).rejects.toThrow(`is ${otherId}`);
    expect((await checkConfigured(configAt(data), clock.now())).findings).toEqual([]);
    await using third = await TestBoard.start({ data, clock, flags: ["--key-file", other] });
    expect(await signed(third)).toMatchObject({ board: otherId, seq: 2 });
  });

  test("a board continues from an older copy of its database; the old key, restored, still signs no second history", async () => {
    const { data, clock, head, key, other, otherId } = await stopped();
    await keepCopy(data, "old");
    const second = await TestBoard.start({ data, clock });
    await second.put(second.agent(), note("lost"));
    expect(await signed(second)).toMatchObject({ board: head.board, seq: 2 });
    await second.stop();
    await putBack(data, "old");
    const rolled = await TestBoard.start({ data, clock });
    expectRefusal(await rolled.get("/api/checkpoint"), 503, "log_rollback");
    await rolled.stop();
    const restarted = await TestBoard.start({ data, clock, flags: ["--key-file", other, "--new-key", "on"] });
    expect((await restarted.put(restarted.agent(), note("in its place"))).seq).toBe(2);
    expect(await signed(restarted)).toMatchObject({ board: otherId, seq: 2 });
    await restarted.stop();
    await using back = await TestBoard.start({ data, clock, flags: ["--key-file", key, "--new-key", "on"] });
    expectRefusal(await back.get("/api/checkpoint"), 503, "log_rollback");
    expectRefusal(await back.post(back.agent(), note("behind")), 503, "log_rollback");
  });

  test("a key is made if there is none, the log warns once with both names, and readers that remember the board notice", async () => {
    const data = emptyDirectory();
    const flags = ["--pow-bits", String(TEST_BITS), "--log-level", "warn"];
    const memory = join(emptyDirectory(), "memory.json");
    const verified = (board: BoardProcess) => runHere(["verify-log", "--remember", memory, "--url", board.url]);
    const first = await BoardProcess.serve(data, flags);
    expect(await verified(first)).toMatchObject({ code: 0 });
    const { board: former } = (await (await fetch(`${first.url}/api/checkpoint`)).json()) as Checkpoint;
    await first.kill("SIGTERM");
    rmSync(join(data, "board.key"));
    await using second = await BoardProcess.serve(data, [...flags, "--new-key", "on"]);
    const { board } = (await (await fetch(`${second.url}/api/checkpoint`)).json()) as Checkpoint;
    expect(board).not.toBe(former);
    const lines = second.stderr.trim().split("\n");
    expect(lines).toHaveLength(1);
    expect(JSON.parse(lines[0] ?? "")).toMatchObject({
      board,
      former_board: former,
      msg: expect.stringContaining("new identity") as string,
    });
    const noticed = await verified(second);
    expect(noticed).toMatchObject({ code: 4, stderr: expect.stringContaining("signed by another key") as string });
    await second.kill("SIGTERM");
    // The flag may stay: with the same key, it is the same board.
    await using third = await BoardProcess.serve(data, [...flags, "--new-key", "on"]);
    expect((await (await fetch(`${third.url}/api/checkpoint`)).json()) as Checkpoint).toMatchObject({ board });
    expect(third.stderr).toBe("");
  });
});

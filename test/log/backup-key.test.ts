// A backup and the key of its board: never another board's key, never lost on the way, and the operator learns where it is.
import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { makeBoardKey } from "../../src/adapters/system/board-key.ts";
import { makeBackup } from "../../src/cli/operate/backup.ts";
import { readConfig } from "../../src/config.ts";
import { agentId } from "../../src/core/protocol/message-and-agent-ids.ts";
import { TestBoard } from "../support/board.ts";
import { databaseFor, onPostgres } from "../support/postgres/database.ts";
import { emptyDirectory } from "../support/process.ts";
import { runHere } from "../support/program.ts";

let board: TestBoard;
let id: string;
let pk: string;
const other = join(emptyDirectory(), "other.key");
const otherId = agentId(makeBoardKey(other).pk);

beforeAll(async () => {
  board = await TestBoard.start();
  await board.put(board.agent(), { kind: "note", title: "kept" });
  ({ board: id, pk } = (await board.get<{ board: string; pk: string }>("/api/checkpoint")).body);
});
afterAll(() => board[Symbol.asyncDispose]());

const flags = async (data: string): Promise<string[]> => [
  "--data",
  data,
  ...(onPostgres() ? ["--database-url", await databaseFor(data)] : []),
];
const configOf = async (data: string, ...more: string[]) => readConfig([...(await flags(data)), ...more], {});
const place = (data: string): string => (onPostgres() ? "the database" : data);
const keyIn = (path: string): string => readFileSync(path, "utf8");

/** `blackboard operate`, and its output. */
const operate = async (data: string, ...args: string[]) => runHere(["operate", ...args, ...(await flags(data))]);

describe("a backup", () => {
  test("contains the key of its database; with another key, or none, it is not made, and the refusal says what to do", async () => {
    const dir = join(emptyDirectory(), "backup");
    const missing = join(emptyDirectory(), "missing.key");
    const needed = (file: string): string =>
      `The board in ${place(board.data)} is ${id} (public key ${pk}), but ${file}. Give its key with --key-file, or leave it out with --no-key.`;
    for (const [file, words] of [
      [other, `${other} holds the key of ${otherId}`],
      [missing, `there is no key at ${missing}`],
    ] as const) {
      await expect(makeBackup(await configOf(board.data, "--key-file", file), dir, true)).rejects.toThrow(needed(words));
      expect([existsSync(dir), existsSync(missing)]).toEqual([false, false]);
    }
    expect(await makeBackup(await configOf(board.data, "--key-file", missing), dir, false)).toMatchObject({ board: id });
    expect(readdirSync(dir)).toEqual(["board.db", "head.json"]);
    const keyed = join(emptyDirectory(), "backup");
    const { code, stdout } = await operate(board.data, "backup", keyed);
    const words = `Backed up to ${keyed}: the log of the board ${id} up to entry 1. It contains the board's key: keep it as safe as the board itself.\n`;
    expect({ code, stdout }).toEqual({ code: 0, stdout: words });
    expect(keyIn(join(keyed, "board.key"))).toBe(keyIn(join(board.data, "board.key")));
  });

  test("is not written to a place where it would be lost with the board, nor to a mistyped one", async () => {
    const [home, config] = [emptyDirectory(), await configOf(board.data)];
    const files = readdirSync(board.data);
    symlinkSync(board.data, join(home, "link"));
    for (const dir of [join(board.data, "backup"), join(home, "link", "backup")])
      await expect(makeBackup(config, dir, true)).rejects.toThrow(`${dir} is in the board's own directory`);
    const lost = join(home, "bakcups", "today");
    await expect(makeBackup(config, lost, true)).rejects.toThrow(`there is no directory ${join(home, "bakcups")} to make it in`);
    expect([readdirSync(home), readdirSync(board.data)]).toEqual([["link"], files]);
  });
});

describe("a restored backup", () => {
  test("has its key where the board looks for it, and is the same board", async () => {
    const dir = join(emptyDirectory(), "backup");
    await makeBackup(await configOf(board.data), dir, true);
    const data = join(emptyDirectory(), "elsewhere");
    const { code, stdout } = await operate(data, "restore-backup", dir, "--yes");
    expect(code).toBe(0);
    const flag = onPostgres() ? ` Start it with --key-file ${join(data, "board.key")}` : "";
    expect(stdout).toContain(`The key of the board (${id}) is now at ${join(data, "board.key")}.${flag}\n`);
    await using again = await TestBoard.start({ data, clock: board.clock });
    expect(await again.name()).toBe(id);
  });

  test("of a backup without a key says which one is needed and where, and starts with that one only", async () => {
    const dir = join(emptyDirectory(), "backup");
    await makeBackup(await configOf(board.data), dir, false);
    const [data, keys] = [join(emptyDirectory(), "elsewhere"), emptyDirectory()];
    const keyFile = join(keys, "own.key");
    const { code, stdout } = await operate(data, "restore-backup", dir, "--yes", "--key-file", keyFile);
    expect(code).toBe(0);
    const words = `It came without a key: put the key of the board (${id}) at ${keyFile} before you start the board. Start it with --key-file ${keyFile}\n`;
    expect(stdout).toContain(words);
    const start = () => TestBoard.start({ data, clock: board.clock, flags: ["--key-file", keyFile] });
    await expect(start()).rejects.toThrow(`is ${id}`);
    expect(readdirSync(keys)).toEqual([]);
    copyFileSync(join(board.data, "board.key"), keyFile);
    await using again = await start();
    expect(await again.name()).toBe(id);
  });

  test("does not replace another board whose key is elsewhere: its messages stay", async () => {
    const dir = join(emptyDirectory(), "backup");
    await makeBackup(await configOf(board.data), dir, true);
    const foreign = await TestBoard.start({ store: "sqlite" });
    const foreignId = await foreign.name();
    await foreign.put(foreign.agent(), { kind: "note", title: "not to be lost" });
    await foreign.stop();
    renameSync(join(foreign.data, "board.key"), join(emptyDirectory(), "board.key"));
    const args = ["operate", "restore-backup", dir, "--data", foreign.data, "--yes"];
    expect(await runHere(args)).toEqual({
      code: 1,
      stdout: "",
      stderr: `The backup is of ${id}, but ${foreign.data} holds another board, ${foreignId}. Choose another --data directory; or, if that board is not needed any more, move ${join(foreign.data, "board.db")} away.\n`,
    });
    expect(readdirSync(foreign.data).filter((name) => name.startsWith("replaced-"))).toEqual([]);
  });

  test("does not come in the place of another board's key, nor with one: nothing is written then", async () => {
    const dir = join(emptyDirectory(), "backup");
    await makeBackup(await configOf(board.data), dir, false);
    const data = join(emptyDirectory(), "elsewhere");
    const taken = await operate(data, "restore-backup", dir, "--yes", "--key-file", other);
    expect(taken).toMatchObject({ code: 1, stdout: "" });
    expect(taken.stderr).toContain(`The database belongs to ${id}, but ${other} holds another key, that of ${otherId}.`);
    // Like backups of boards in PostgreSQL from before keys were compared.
    copyFileSync(other, join(dir, "board.key"));
    const wrong = await operate(data, "restore-backup", dir, "--yes");
    expect(wrong).toMatchObject({ code: 1, stdout: "" });
    expect(wrong.stderr).toContain(`${join(dir, "board.key")} holds the key of ${otherId}, but the database beside it belongs to ${id}.`);
    expect(existsSync(data)).toBe(false);
    rmSync(join(dir, "board.key"));
    mkdirSync(data);
    copyFileSync(join(board.data, "board.key"), join(data, "board.key"));
    const right = await operate(data, "restore-backup", dir, "--yes", "--json");
    expect(JSON.parse(right.stdout)).toMatchObject({ key: { board: id, file: join(data, "board.key"), state: "there" } });
  });
});

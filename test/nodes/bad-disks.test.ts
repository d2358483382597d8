// A node whose own directory is full or read-only: it needs little of it, and says what.
import { copyFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { TestBoard } from "../support/board.ts";
import { databaseFor } from "../support/postgres/database.ts";
import { BoardProcess } from "../support/process.ts";
import { noDisk, SmallDisk, WITH_DISK } from "../support/small-disk.ts";

/** A board with a message, and another node of it on this disk. */
async function boardAnd(disk: SmallDisk) {
  const board = await TestBoard.start();
  await board.put(board.agent(), { kind: "note", title: "zebra" });
  copyFileSync(join(board.data, "board.key"), join(disk.seen, "board.key"));
  const database = ["--database-url", await databaseFor(board.data)];
  const run = (...args: string[]) => BoardProcess.spawn({ args: [...args, ...database], under: disk.under });
  return { board, run, node: (...more: string[]) => run("serve", "--port", "0", "--smtp-port", "0", "--data", disk.path, ...more) };
}

describe.skipIf(noDisk)(`a node ${WITH_DISK}`, () => {
  test("on a full disk is not taken for a second one on its directory, and a backup leaves nothing there", async () => {
    using disk = await SmallDisk.mount(1);
    const { board, run, node } = await boardAnd(disk);
    await using _board = board;
    disk.fill();
    const full = { code: 1, stdout: "", stderr: expect.stringMatching(/^The disk that holds .+ is full\./) as string };
    const backup = await run("operate", "backup", join(disk.path, "backup"), "--data", board.data).ended;
    expect(backup).toMatchObject(full);
    expect(backup.stderr).toContain(join(disk.path, "backup"));
    expect(readdirSync(disk.seen)).toEqual(["board.key", "filler"]);
    expect(await node().ended).toMatchObject(full);
  });

  test("that may not write starts on a read-only disk, and answers and searches from there", async () => {
    using disk = await SmallDisk.mount(4);
    const { board, node } = await boardAnd(disk);
    await using _board = board;
    disk.seal();
    const refused = await node().ended;
    expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining(`${disk.path} is on a read-only file system.`) as string });
    await using reading = node("--read-only", "on");
    await reading.ready();
    const { messages } = (await (await fetch(`${reading.url}/api/messages?q=zebra`)).json()) as { messages: unknown[] };
    expect(messages).toHaveLength(1);
    await reading.kill("SIGTERM");
    expect(readdirSync(disk.seen)).toEqual(["board.key"]);
  });
});

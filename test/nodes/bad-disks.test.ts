// A node whose own directory is full or read-only: it needs little of it, and says what.
import { copyFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { makeBackup } from "../../src/cli/operate/backup.ts";
import { TestBoard } from "../support/board.ts";
import { nodeBeside } from "../support/nodes.ts";
import { configAt } from "../support/operator.ts";
import { noDisk, SmallDisk, WITH_DISK } from "../support/small-disk.ts";

describe.skipIf(noDisk)(`a node ${WITH_DISK}`, () => {
  test("on a full disk is not taken for a second one on its directory", async () => {
    using disk = new SmallDisk(1);
    await using first = await TestBoard.start();
    disk.fill();
    await expect(nodeBeside(first, [], undefined, disk.path)).rejects.toThrow(/^The disk that holds .+ is full\./);
  });

  test("that may not write starts on a read-only disk, and answers and searches from there", async () => {
    using disk = new SmallDisk(4);
    await using first = await TestBoard.start();
    await first.put(first.agent(), { kind: "note", title: "zebra" });
    copyFileSync(join(first.data, "board.key"), join(disk.path, "board.key"));
    disk.mount("ro");
    await expect(nodeBeside(first, [], undefined, disk.path)).rejects.toThrow(`${disk.path} is on a read-only file system.`);
    const node = await nodeBeside(first, ["--read-only", "on"], undefined, disk.path);
    const { messages } = (await (await fetch(`${node.address}/api/messages?q=zebra`)).json()) as { messages: unknown[] };
    expect(messages).toHaveLength(1);
    await node.close();
    expect(readdirSync(disk.path)).toEqual(["board.key"]);
  });

  test("leaves nothing of a backup for which there is no room", async () => {
    using disk = new SmallDisk(1);
    await using board = await TestBoard.start();
    await board.put(board.agent(), { kind: "note", title: "kept" });
    const dir = join(disk.path, "backup");
    disk.fill();
    await expect(makeBackup(configAt(board.data), dir, true)).rejects.toThrow(/^The disk that holds .+backup.* is full\./);
    expect(readdirSync(disk.path)).toEqual(["filler"]);
  });
});

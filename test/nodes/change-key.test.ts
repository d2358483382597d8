// A new key of the board on several nodes: each of them signs with both keys, and from the same moment on with the new one alone.
import { copyFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { changeKey } from "../../src/cli/operate/change-key.ts";
import { verifyLog } from "../../src/client/verify-log.ts";
import { connect } from "../../src/client/board-handle.ts";
import { DAY_MS } from "../../src/core/durations.ts";
import { TestBoard } from "../support/board.ts";
import { nodeBeside } from "../support/nodes.ts";
import { configAt } from "../support/operator.ts";
import { emptyDirectory } from "../support/process.ts";

interface Head {
  readonly board: string;
  readonly pk: string;
  readonly seq: number;
  readonly next?: { readonly pk: string };
}
const headAt = async (url: string): Promise<Head> => (await (await fetch(`${url}/api/checkpoint`)).json()) as Head;

test("nodes sign with both keys, then with the new one, and none goes back; a node that comes later needs it", async () => {
  await using board = await TestBoard.start();
  const { clock } = board;
  await board.put(board.agent(), { kind: "note", title: "before" });
  const home = emptyDirectory();
  const keyFile = join(home, "board.key");
  copyFileSync(join(board.data, "board.key"), keyFile);
  const flags = ["--key-file", keyFile, "--base-url", "http://board.test"];
  const other = await nodeBeside(board, flags);
  const before = await headAt(other.address);
  expect(before).toMatchObject({ board: (await headAt(board.url)).board });
  const change = () => changeKey(configAt(board.data), "board", async () => {}, clock.now());
  expect(await change()).toEqual({ made: join(board.data, "board-next.key") });
  copyFileSync(join(board.data, "board-next.key"), join(home, "board-next.key"));
  await change();
  clock.advance(1000);
  const both = await Promise.all([headAt(board.url), headAt(other.address)]);
  expect(new Set(both.map((one) => one.next?.pk)).size).toBe(1);
  expect(both.map((one) => one.pk)).toEqual([before.pk, before.pk]);

  clock.advance(7 * DAY_MS + 120_000);
  for (const url of [other.address, board.url, other.address, board.url]) {
    await board.put(board.agent(), { kind: "note", title: "after" });
    expect(await headAt(url)).toMatchObject({ board: before.board, pk: both[0]?.next?.pk });
    expect(await verifyLog(connect(url), { pk: before.pk })).toMatchObject({ after: 0 });
  }
  await other.close();
  rmSync(join(home, "board-next.key"));
  await expect(nodeBeside(board, flags)).rejects.toThrow(`holds the key of ${before.board}`);
  copyFileSync(join(board.data, "board-next.key"), keyFile);
  const third = await nodeBeside(board, flags);
  expect(await headAt(third.address)).toMatchObject({ board: before.board, pk: both[0]?.next?.pk });
  await third.close();
});

import { copyFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { changeKey } from "../../src/cli/operate/change-key.ts";
import { DAY_MS } from "../../src/core/durations.ts";
import { TestBoard } from "../support/board.ts";
import { nodeBeside } from "../support/nodes.ts";
import { configAt } from "../support/operator.ts";
import { emptyDirectory } from "../support/process.ts";

test("after a change of the key, a page begun at a node that was restarted goes on at one that was not", async () => {
  await using board = await TestBoard.start();
  const { clock } = board;
  const change = () => changeKey(configAt(board.data), "board", async () => {}, clock.now());
  await change();
  const keyFile = join(emptyDirectory(), "board.key");
  copyFileSync(join(board.data, "board-next.key"), keyFile);
  await change();
  clock.advance(7 * DAY_MS + 120_000);
  for (let i = 0; i < 3; i++) await board.put(board.agent(), { kind: "note", title: `${i}` });
  const restarted = await nodeBeside(board, ["--key-file", keyFile]);
  try {
    const page = (url: string, more = "") => fetch(`${url}/api/messages?limit=1${more}`);
    const { next_cursor: cursor } = (await (await page(restarted.address)).json()) as { next_cursor: string };
    const next = await page(board.url, `&cursor=${cursor}`);
    expect([next.status, await next.json()]).toMatchObject([200, { messages: [{ meta: { title: "1" } }] }]);
  } finally {
    await restarted.close();
  }
});

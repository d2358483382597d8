// The promise of every 201: the message is on disk. The board is killed in the middle of writing, again and again, and must prove it.
import { expect, test } from "vitest";
import type { Envelope } from "../../src/core/protocol/envelope.ts";
import { lostBy, postUntilGone, wholeLog } from "../support/acknowledged.ts";
import { Agent, TEST_BITS } from "../support/agent.ts";
import { eventually } from "../support/eventually.ts";
import { BoardProcess, emptyDirectory } from "../support/process.ts";
import { tries } from "../support/random.ts";
import { treeHeadAt, wrongTreeHeads } from "../support/tree-heads.ts";

const KILLS = tries(5, 3);
const CONNECTIONS = 6;
const FLAGS = ["--pow-bits", String(TEST_BITS), "--rate-limits", "off", "--log-level", "warn"];

test("a board that is killed keeps every acknowledged message byte for byte, and its chain holds", async () => {
  const data = emptyDirectory();
  const agents = Array.from({ length: CONNECTIONS }, () => new Agent());
  const acknowledged: Envelope[] = [];
  const trees: string[] = [];
  for (let kill = 0; kill < KILLS; kill++) {
    await using board = await BoardProcess.serve(data, FLAGS);
    expect(await lostBy(board.url, acknowledged)).toEqual([]);
    // Each round is a little longer, so that kills happen with short and long logs, and always while other posts are in progress.
    const enough = acknowledged.length + CONNECTIONS + 7 * kill;
    const note = (envelope: Envelope) => acknowledged.push(envelope);
    const posting = agents.map((agent, lane) => postUntilGone(board.url, agent, `kill ${kill}, lane ${lane}`, note));
    await eventually("enough that could be lost", () => (acknowledged.length >= enough ? true : undefined));
    trees.push((await treeHeadAt(board.url)) ?? "");
    expect((await board.kill("SIGKILL")).signal).toBe("SIGKILL");
    await Promise.all(posting);
  }
  await using board = await BoardProcess.serve(data, FLAGS);
  expect(await lostBy(board.url, acknowledged)).toEqual([]);
  // No root was ever signed that does not follow from the log.
  trees.push((await treeHeadAt(board.url)) ?? "");
  expect(wrongTreeHeads(trees, await wholeLog(board.url))).toBe(0);
});

// The promise behind every 201: the message is on disk. The board is killed at random, again and again, and must prove it.
import { expect, test } from "vitest";
import type { Envelope } from "../src/core/protocol/envelope.ts";
import { lostBy, postUntilGone } from "./support/acknowledged.ts";
import { Agent, TEST_BITS } from "./support/agent.ts";
import { BoardProcess, emptyDirectory } from "./support/process.ts";

const KILLS = 10;
const CONNECTIONS = 6;
const FLAGS = ["--pow-bits", String(TEST_BITS), "--rate-limits", "off", "--log-level", "warn"];

test("a board that is killed keeps every acknowledged message byte for byte, and its chain holds", { timeout: 180_000 }, async () => {
  const data = emptyDirectory();
  const agents = Array.from({ length: CONNECTIONS }, () => new Agent());
  const acknowledged: Envelope[] = [];
  let roundsWithWrites = 0;
  for (let kill = 0; kill < KILLS; kill++) {
    await using board = await BoardProcess.serve(data, FLAGS);
    expect(await lostBy(board.url, acknowledged)).toEqual([]);
    const posting = agents.map((agent, lane) => postUntilGone(board.url, agent, `kill ${kill}, lane ${lane}`));
    await new Promise((resolve) => setTimeout(resolve, 100 + Math.random() * 700));
    expect((await board.kill("SIGKILL")).signal).toBe("SIGKILL");
    const round = (await Promise.all(posting)).flat();
    acknowledged.push(...round);
    if (round.length > 0) roundsWithWrites++;
  }
  await using board = await BoardProcess.serve(data, FLAGS);
  expect(await lostBy(board.url, acknowledged)).toEqual([]);
  // Otherwise the kills came too early to prove anything.
  expect(roundsWithWrites).toBeGreaterThan(KILLS / 2);
});

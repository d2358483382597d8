import { expect, test } from "vitest";
import { BareBoard } from "../../../test/support/bare-board.ts";
import { agentReads } from "../../adapters/sql/agents.ts";
import { seenCache } from "../../adapters/sql/message-caches.ts";
import { SqliteRows } from "../../adapters/sqlite/statement-runner.ts";
import { agentId, messageId } from "../protocol/message-and-agent-ids.ts";
import { sha256Hex } from "../protocol/node-sha256.ts";
import { HOUR_MS } from "../durations.ts";

const NOW = 1_767_225_600_000;
const key = (name: string): string => Buffer.from(sha256Hex(name), "hex").toString("base64url");

test("a question with more answers than are noted is still resolved, reopened and ended in full", async () => {
  using board = new BareBoard();
  const rows = new SqliteRows(board.db);
  const post = (who: string, fields: object, now = NOW): string => {
    const text = JSON.stringify({ v: 1, pk: key(who), ts: 1, ...fields });
    expect(board.post(text, now)).toBe("created");
    return messageId(text);
  };
  const resolved = async (who: string): Promise<number | undefined> =>
    (await agentReads(rows, seenCache()).agent(agentId(key(who)), NOW))?.work.resolved;
  const crowd = Array.from({ length: 105 }, (_, i) => `answerer ${i}`);
  const credited = async (): Promise<number> => (await Promise.all(crowd.map(resolved))).filter((count) => count === 1).length;

  const question = post("asker", { kind: "question", title: "q", ttl: "4h" });
  const answer = (who: string, body: string, now?: number) =>
    post(who, { kind: "answer", body, ttl: "3h", refs: [{ rel: "answers", id: question }] }, now);
  const [first] = crowd.map((who) => answer(who, "so"));
  const done = post("asker", { kind: "signal", signal: "resolved", refs: [{ rel: "on", id: question }] });
  expect(await credited()).toBe(100);
  expect([await resolved(crowd[0]!), await resolved(crowd[104]!)]).toEqual([1, 0]);

  // One that was not noted goes: it takes nothing along that it did not bring.
  post(crowd[104]!, { kind: "retraction", data: { scope: "all" } });
  expect(await credited()).toBe(100);
  post(crowd[0]!, { kind: "retraction", refs: [{ rel: "retracts", id: first }] });
  expect([await credited(), await resolved(crowd[0]!)]).toEqual([99, 0]);

  post("asker", { kind: "retraction", refs: [{ rel: "retracts", id: done }] });
  expect(await credited()).toBe(0);
  post("asker", { kind: "signal", signal: "resolved", body: "now", refs: [{ rel: "on", id: question }] });
  expect(await credited()).toBe(99);

  board.sweepAll(NOW + 3 * HOUR_MS);
  expect([await credited(), board.rows("answerers")]).toEqual([0, 0]);
  answer(crowd[104]!, "late", NOW + 3 * HOUR_MS);
  expect(await credited()).toBe(1);
  board.sweepAll(NOW + 4 * HOUR_MS);
  expect([await credited(), board.rows("answerers")]).toEqual([0, 0]);
});

// Who voted on many messages with many votes: in short statements, with turns of others in between.
import { expect, test } from "vitest";
import { Agent } from "../../../test/support/agent.ts";
import { BareBoard, postAct } from "../../../test/support/bare-board.ts";
import { messageId } from "../../core/protocol/message-and-agent-ids.ts";
import { lookups } from "./lookups.ts";
import type { SqlRows } from "./dialect.ts";

const NOW = 1_700_000_000_000;
const PK = "A".repeat(43);

test("votes on very many messages are read a few messages at a time, each up to a limit, and the last one of an agent counts", async () => {
  using board = new BareBoard();
  const post = (pk: string, fields: object): string => {
    const text = JSON.stringify({ v: 1, pk, ts: 0, ...fields });
    expect(board.post(text, NOW)).toBe("created");
    return messageId(text);
  };
  const ids = Array.from({ length: 32 }, (_, n) => post(PK, { kind: "finding", title: `finding ${n}` }));
  const voters = Array.from({ length: 3 }, () => new Agent(() => NOW));
  const vote = (pk: string, rel: string, of: readonly string[]) => ({
    pk,
    kind: "verification",
    body: rel,
    refs: of.map((id) => ({ rel, id })),
  });
  for (const [n, { pk }] of voters.entries()) post(pk, vote(pk, n === 0 ? "refutes" : "verifies", ids.slice(0, 16)));
  post(voters[0]!.pk, vote(voters[0]!.pk, "verifies", ids.slice(0, 1)));
  post(voters[1]!.pk, vote(voters[1]!.pk, "refutes", ids.slice(1, 2)));
  // More votes on the last one than are read.
  const crowd = Array.from({ length: 1025 }, (_, n) => Buffer.from(`${n}`.padStart(32, "v")).toString("base64url"));
  board.run(
    crowd.map((pk) => postAct(JSON.stringify({ v: 1, ts: 0, ...vote(pk, "verifies", ids.slice(-1)) }))),
    NOW,
  );

  const statements: number[] = [];
  let [turn, watching] = [0, true];
  const watch = (): void => {
    turn++;
    if (watching) setImmediate(watch);
  };
  const own = (board.reads as unknown as { readonly rows: SqlRows }).rows;
  const rows: SqlRows = {
    dialect: own.dialect,
    all: (sql, values) => {
      statements.push(turn);
      return own.all(sql, values);
    },
  };
  watch();
  const seqs = ids.map((_, n) => n + 1);
  const found = await lookups(rows).verifiers(seqs);
  watching = false;
  const [a, b, c] = voters.map(({ id }) => id);
  expect([1, 2, 3, 16, 17].map((seq) => new Set(found.get(seq)))).toEqual(
    [[a, b, c], [c], [b, c], [b, c], []].map((some) => new Set(some)),
  );
  expect([found.has(31), found.has(32)]).toEqual([true, false]);
  // No statement reads the votes on more than four messages, and each has a turn of its own.
  expect(statements).toHaveLength(8);
  expect(new Set(statements).size).toBe(8);
});

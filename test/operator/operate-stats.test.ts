// `blackboard operate stats` says whether the board accepts posts, and if not, why and what to do.
import { join } from "node:path";
import { expect, test } from "vitest";
import { headFile } from "../../src/adapters/system/head-file.ts";
import type { Checkpoint } from "../../src/core/log/chain-checkpoint.ts";
import { TestBoard } from "../support/board.ts";
import { onPostgres } from "../support/postgres/database.ts";
import { placeOf, runHere } from "../support/program.ts";

async function stats(board: TestBoard): Promise<{ row: string | undefined; writing: unknown }> {
  const [text, json] = [
    await runHere(["operate", "stats", ...placeOf(board.data)]),
    await runHere(["operate", "stats", "--json", ...placeOf(board.data)]),
  ];
  expect([text, json]).toMatchObject([
    { code: 0, stderr: "" },
    { code: 0, stderr: "" },
  ]);
  return {
    row: /^writing +(.+)$/m.exec(text.stdout)?.[1],
    writing: (JSON.parse(json.stdout) as { writing: unknown }).writing,
  };
}

test("whether posts are accepted is shown with the reason: the operator's switch, or a database older than the signed head", async () => {
  await using board = await TestBoard.start();
  await board.put(board.agent(), { kind: "note", title: "kept" });
  const signed = (await board.get<Checkpoint>("/api/checkpoint")).body;
  expect(await stats(board)).toEqual({ row: "yes", writing: { ok: true, reason: null } });
  const turn = (to: string) => runHere(["operate", "read-only", to, "--yes", ...placeOf(board.data)]);
  expect((await turn("on")).code).toBe(0);
  expect(await stats(board)).toEqual({ row: "no: read_only (set by the operator)", writing: { ok: false, reason: "read_only" } });
  expect((await turn("off")).code).toBe(0);
  // As if the database was restored to a state before its last signed head.
  const file = headFile(join(board.data, "head.json"));
  await file.write({ ...signed, seq: signed.seq + 5 });
  const { row, writing } = await stats(board);
  expect(writing).toEqual({ ok: false, reason: "log_rollback" });
  expect(row).toMatch(/^no: log_rollback: the board signed its log up to entry 6, and this database, which ends at entry 1, does not/);
  expect(row).toContain("Restore the newest copy of the database; see docs/operate.md");
  // A directory with files of another board says nothing about a board in PostgreSQL.
  const other = board.agent();
  await file.write({ ...signed, seq: signed.seq + 5, pk: other.pk, board: other.id });
  if (onPostgres()) expect((await stats(board)).row).toBe("yes");
});

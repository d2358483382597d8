import { afterAll, beforeAll, expect, test } from "vitest";
import { GENESIS } from "../../core/log/chain.ts";
import { databaseFor, dropDatabaseOf } from "../../../test/support/postgres/database.ts";
import { TestBoard } from "../../../test/support/board.ts";
import { Client } from "./client.ts";
import { type Claim, compareBoards } from "./verify-replica.ts";

let board: TestBoard;
let client: Client;
let now: Claim;
beforeAll(async () => {
  board = await TestBoard.start();
  client = new Client({ url: await databaseFor(board.data), connections: 2, name: "test" });
  for (const title of ["one", "two"]) await board.put(board.agent(), { kind: "note", title });
  now = await claimed();
});
afterAll(async () => {
  await client.end();
  await board[Symbol.asyncDispose]();
  await dropDatabaseOf(board.data);
});
async function claimed(): Promise<Claim> {
  const [row] = await client.query<Claim>("SELECT pk, seq, hash FROM board");
  if (row === undefined) throw new Error("There is no board.");
  return row;
}

test("a copy of this moment, of an earlier one and of the beginning are this board", async () => {
  const [first] = await client.query<{ hash: string }>("SELECT hash FROM log WHERE seq = 1");
  for (const { seq, hash } of [now, { seq: 1, hash: first?.hash ?? "" }, { seq: 0, hash: GENESIS }])
    expect(await compareBoards(client, { ...now, seq, hash })).toEqual({ is: "same" });
});

test("one that shows a commit before the board's own database does is judged by that commit, once that shows it too", async () => {
  let asked = 0;
  const soon: Pick<Client, "query"> = {
    async query<Row>(...statement: Parameters<Client["query"]>) {
      const rows = await client.query<Row>(...statement);
      if (++asked === 1) await board.put(board.agent(), { kind: "note", title: "three" });
      return rows;
    },
  };
  const why = `its entry ${now.seq + 1} differs from that of this board's log`;
  expect(await compareBoards(soon, { ...now, seq: now.seq + 1 })).toEqual({ is: "foreign", why });
  expect(asked).toBe(2);
  expect(await compareBoards(client, await claimed())).toEqual({ is: "same" });
});

test.for<[string, () => Partial<Claim>, RegExp]>([
  ["another key", () => ({ pk: "A".repeat(43) }), /^it holds another board/],
  ["another entry", () => ({ hash: "f".repeat(64) }), /^its entry \d+ differs from that/],
  ["another beginning", () => ({ seq: 0, hash: "f".repeat(64) }), /^its entry 0 differs from that/],
  ["a log that stays ahead", () => ({ seq: 99 }), /^its log ends at entry 99, and this board's log at \d+/],
])("%s is another board", async ([, change, why]) => {
  expect(await compareBoards(client, { ...now, ...change() })).toEqual({ is: "foreign", why: expect.stringMatching(why) as string });
});

test("a copy that has no key yet, or the one that the board had until now, is not judged", async () => {
  expect(await compareBoards(client, { ...now, pk: null })).toMatchObject({ is: "unproven" });
  const former = "A".repeat(43);
  expect(await compareBoards(client, { ...now, pk: former }, former)).toMatchObject({ is: "unproven" });
});

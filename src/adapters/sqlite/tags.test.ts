import { expect, test } from "vitest";
import { BareBoard } from "../../../test/support/bare-board.ts";
import { AGENTS } from "../../../test/support/acts.ts";
import { tagReads } from "../sql/tags.ts";
import { SqliteRows } from "./statement-runner.ts";

const START = Date.UTC(2026, 0, 1);

/** More tags with one prefix than are sorted, so that the walk by use is taken; counts repeat, so that ties occur. */
const TAGS = Array.from({ length: 7200 }, (_, i) => ({ tag: `${i % 6 === 0 ? "b" : "a"}${i}`, count: 1 + ((i * 7919) % 40), lastUsed: i }));

test("a page of tags is the same whether it is found by prefix or by use", async () => {
  using board = new BareBoard();
  const insert = board.db.prepare("INSERT INTO tallies (field, label, count, last_used) VALUES (?, ?, ?, ?)");
  for (const { tag, count, lastUsed } of TAGS) insert.run("tag", tag, count, lastUsed);
  for (const field of ["need", "status", "kind"]) insert.run(field, "a", 9, 0);
  for (let i = 0; i < 100; i++) insert.run("offer", `a${i}`, 1, 0);
  const rows = new SqliteRows(board.db);
  for (const prefix of ["", "a", "b", "a1", "b599", "c"]) {
    const expected = TAGS.filter(({ tag }) => tag.startsWith(prefix)).sort((x, y) => y.count - x.count || (x.tag < y.tag ? -1 : 1));
    const found = [];
    let after: { count: number; tag: string } | undefined;
    for (;;) {
      const page = await tagReads(rows).tags({ field: "tag", prefix, after, limit: 1500 });
      found.push(...page.map(({ shown: _shown, ...row }) => row));
      after = page.at(-1);
      if (page.length < 1500) break;
    }
    expect(found, prefix).toEqual(expected);
  }
  expect(await tagReads(rows).tags({ field: "offer", prefix: "a", after: undefined, limit: 9000 })).toHaveLength(100);
});

test("a tag is shown in the spelling that most of its messages have, whatever it is found by", async () => {
  using board = new BareBoard();
  const post = (n: number, tags: readonly string[]) =>
    board.post(JSON.stringify({ v: 1, pk: AGENTS[0]!.pk, ts: 1, kind: "note", title: `${n}`, tags }), START);
  const shown = async () => {
    const found = await tagReads(new SqliteRows(board.db)).tags({ field: "tag", prefix: "ru", after: undefined, limit: 10 });
    return found.map((one) => one.shown);
  };
  post(0, ["rust"]);
  expect(await shown()).toEqual(["rust"]);
  post(1, ["Rust"]);
  expect(await shown()).toEqual(["rust"]);
  post(2, ["Rust", "RUST"]);
  post(3, ["RUST"]);
  expect(await shown()).toEqual(["Rust"]);
  for (const n of [4, 5]) post(n, ["ＲＵＳＴ"]);
  for (const n of [6, 7, 8]) post(n, ["RUST"]);
  expect(await shown()).toEqual(["RUST"]);
});

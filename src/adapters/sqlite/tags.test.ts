import { expect, test } from "vitest";
import { BareBoard } from "../../../test/support/bare-board.ts";
import { SqliteTags } from "./tags.ts";

/** More tags with one prefix than are sorted, so that the walk by use is taken; counts repeat, so that ties occur. */
const TAGS = Array.from({ length: 7200 }, (_, i) => ({ tag: `${i % 6 === 0 ? "b" : "a"}${i}`, count: 1 + ((i * 7919) % 40), lastUsed: i }));

test("a page of tags is the same whether it is found by prefix or by use", () => {
  using board = new BareBoard();
  const insert = board.db.prepare("INSERT INTO tallies (field, label, count, last_used) VALUES (?, ?, ?, ?)");
  for (const { tag, count, lastUsed } of TAGS) insert.run("tag", tag, count, lastUsed);
  for (const field of ["need", "status", "kind"]) insert.run(field, "a", 9, 0);
  for (let i = 0; i < 100; i++) insert.run("offer", `a${i}`, 1, 0);
  const tags = new SqliteTags(board.db);
  for (const prefix of ["", "a", "b", "a1", "b599", "c"]) {
    const expected = TAGS.filter(({ tag }) => tag.startsWith(prefix)).sort((x, y) => y.count - x.count || (x.tag < y.tag ? -1 : 1));
    const found = [];
    let after: { count: number; tag: string } | undefined;
    for (;;) {
      const page = tags.tags({ field: "tag", prefix, after, limit: 1500 });
      found.push(...page.map((row) => ({ ...row })));
      after = page.at(-1);
      if (page.length < 1500) break;
    }
    expect(found, prefix).toEqual(expected);
  }
  expect(tags.tags({ field: "offer", prefix: "a", after: undefined, limit: 9000 })).toHaveLength(100);
});

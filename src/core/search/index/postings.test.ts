import { expect, test } from "vitest";
import { seeded } from "../../../../test/support/search-cases.ts";
import { ByteWriter } from "./bytes.ts";
import { copyPostings, readGrams, readPostings, writeWordPosting } from "./postings.ts";

test.each(["words", "grams"])("lists that are copied behind one another name the same documents as before (%s)", (kind) => {
  const random = seeded(17);
  const grams = kind === "grams";
  for (let round = 0; round < 200; round++) {
    const out = new ByteWriter();
    const expected: [doc: number, title: number, body: number][] = [];
    let last = -1;
    let first = 0;
    for (let part = 0; part < 3; part++) {
      const list = new ByteWriter(1);
      const before = 3;
      for (let i = 0; i < before; i++) list.varint(9);
      let doc = -1;
      for (let left = 1 + random(40); left > 0; left--) {
        const gap = 1 + random(random(4) === 0 ? 100_000 : 30);
        const title = random(3) > 0 ? 0 : random(3);
        const body = title === 0 ? 1 + random(random(4) === 0 ? 300 : 3) : random(3);
        doc += gap;
        if (grams) list.varint(gap);
        else writeWordPosting(list, gap, title, body);
        expected.push([first + doc, title, body]);
      }
      const bytes = new Uint8Array([...list.view(), 7, 7]);
      expect(copyPostings(out, { bytes, from: before, to: list.length, grams }, first - last)).toBe(doc);
      last = first + doc;
      first += doc + 1 + random(1000);
    }
    const { docs, titles, bodies } = grams ? readGrams(out.view(), expected.length) : readPostings(out.view(), expected.length);
    expect([...docs]).toEqual(expected.map(([doc]) => doc));
    if (grams) continue;
    expect([...titles]).toEqual(expected.map(([, title]) => title));
    expect([...bodies]).toEqual(expected.map(([, , body]) => body));
  }
});

import { expect, test } from "vitest";
import type { Payload } from "../../protocol/payload.ts";
import { documentOf, documentOfText } from "../document.ts";
import { nearScore, prepareNear } from "../similarity.ts";
import { Memtable } from "./memtable.ts";
import { nearestTexts, termStats } from "./lexical-nearest-texts.ts";

const note = (more: Partial<Payload>): Payload => ({ v: 1, pk: "", ts: 0, kind: "note", ...more });

test("a new message is as similar in a search as on the live stream, whatever its tags and data add or repeat", () => {
  const documents = [
    note({ title: "parser crash", body: "The parser crashes on nested tables, the parser of tables" }),
    note({ title: "parser crash", body: "on nested tables", tags: ["parser", "crash", "windows"], data: { os: "nested windows eleven" } }),
    note({ title: "parser crash on nested tables", tags: ["parser", "urgent"] }),
    note({ body: "parser crash on nested tables", data: { a: "entirely different words", b: "in many strings" } }),
    note({ tags: ["parser", "nested", "tables"], data: { why: "parser crash" } }),
    note({ title: "nothing alike", body: "weather report" }),
  ].map((payload) => documentOf(payload));
  const table = new Memtable();
  for (const [i, document] of documents.entries()) table.add(i + 1, document);
  const near = prepareNear(documentOfText("parser crash nested tables"), termStats([table]));
  const { hits } = nearestTexts([table], near, { limit: 10, threshold: 0.01 });
  expect(hits.length).toBeGreaterThan(4);
  for (const { seq, score } of hits) expect([seq, score]).toEqual([seq, nearScore(near, documents[seq - 1]!)]);
});

// The texts of the benches are English to the table of meanings, as most texts on a board are.
import { expect, test } from "vitest";
import { embedderOf } from "../../src/adapters/search/meaning-table.ts";
import { MEANING_TABLE } from "../../src/adapters/system/package-files.ts";
import { trust } from "../../src/core/search/meaning/fuse-scores.ts";
import { messageText, payloadOf, wordOf } from "./generated-messages.ts";
import { payloads, TAGS, words } from "./posts.ts";

const TEXTS = 500;
const trusted = ({ title, body }: { readonly title: string; readonly body: string }): number =>
  trust(embedderOf(MEANING_TABLE).meaningOf(`${title} ${body}`));
const bytes = (payload: string): number => Buffer.byteLength(payload);

test("a similar search for a text of the post bench also compares meanings", () => {
  for (let n = 0; n < TEXTS; n++) expect(trusted(words())).toBe(1);
  expect(new Set(TAGS).size).toBe(200);
});

test("a similar search for a message of the read and index benches, or for its beginning, also compares meanings", () => {
  for (let seq = 1; seq <= TEXTS; seq++) {
    const { title, body } = messageText(seq * 199);
    expect(trusted({ title, body })).toBe(1);
    expect(trusted({ title: "", body: body.slice(0, 300) })).toBeGreaterThan(0);
  }
});

test("the messages of the read and index benches have as many different words as a large board", () => {
  expect(new Set(Array.from({ length: 200_000 }, (_, n) => wordOf(n))).size).toBeGreaterThan(199_000);
});

test("a message of each bench has about 1 KB", () => {
  const posted = payloads();
  const sizes = Array.from({ length: TEXTS }, (_, n) => [bytes(posted.next().value), bytes(payloadOf(n + 1))]).flat();
  expect(Math.min(...sizes)).toBeGreaterThan(800);
  expect(Math.max(...sizes)).toBeLessThan(1200);
});

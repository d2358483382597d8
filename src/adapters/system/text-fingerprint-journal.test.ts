// What a board remembers of posted texts from one start to the next.
import { appendFileSync, existsSync, statSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { emptyDirectory } from "../../../test/support/process.ts";
import { SIGNATURE_LENGTH } from "../../core/guard/copies/minhash-signature.ts";
import type { PostedText } from "../../ports/text-fingerprints.ts";
import { textJournal } from "./text-fingerprint-journal.ts";

const text = (n: number, takenBack = false): PostedText => ({
  signature: Uint16Array.from({ length: SIGNATURE_LENGTH }, (_, i) => (n * 31 + i * 977) % 65_536),
  author: `ag_${String(n).padStart(20, "0")}`,
  at: takenBack ? 0 : 1_800_000_000_000 + n,
  takenBack,
});
const open = (data: string) =>
  textJournal(data, (error) => {
    throw error;
  });

test("the next process reads the noted rows in their order; a row that was cut off is left out", () => {
  const data = emptyDirectory();
  const noted = [text(1), text(2), text(1, true), text(3)];
  const first = open(data);
  expect(first.read()).toEqual([]);
  for (const one of noted) first.note(one);
  first.close();
  expect(statSync(join(data, "copies.new")).mode & 0o777).toBe(0o600);
  appendFileSync(join(data, "copies.new"), "ag_cut");
  const second = open(data);
  expect(second.read()).toEqual(noted);
});

test("two files are kept, however much is posted", () => {
  const data = emptyDirectory();
  const journal = open(data);
  journal.read();
  for (let file = 0; file < 3; file++) {
    for (let n = 0; n < 65_536; n++) journal.note(text(file));
    journal.close();
  }
  expect(existsSync(join(data, "copies.old"))).toBe(true);
  const again = open(data).read();
  expect(again).toHaveLength(2 * 65_536);
  expect(new Set(again.map(({ author }) => author))).toEqual(new Set([text(1).author, text(2).author]));
});

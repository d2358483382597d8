// 24 words with a typing error that their checksum always shows. Any other error, as words in another order, is a valid key in one of
// 256 cases.
import { WORD_LIST } from "../../src/core/protocol/bip39-words.ts";

/** The last word stands for the end of the key and for its checksum; its neighbour in the list has the same end and another checksum. */
export function withWrongChecksum(words: readonly string[]): readonly string[] {
  const list = WORD_LIST.trim().split(/\s+/);
  return [...words.slice(0, -1), list[list.indexOf(words.at(-1)!) ^ 1]!];
}

// A key as 24 words to write down: its 32 bytes and a checksum in the words of BIP 39, which other programs know too.
import { portableSha256 } from "../core/protocol/portable-sha256.ts";
import { WORD_LIST } from "../core/protocol/bip39-words.ts";
import { BoardError } from "./board-error.ts";
import { fromBase64url, toBase64url } from "./bytes.ts";
import { type AgentKey, loadKey } from "./key.ts";

const COUNT = 24;
/** 2,048 words. */
const BITS = 11;
const BYTE = 8;

const list = (): readonly string[] => WORD_LIST.trim().split(/\s+/);

const bitsOf = (numbers: Iterable<number>, width: number): string =>
  Array.from(numbers, (number) => number.toString(2).padStart(width, "0")).join("");
const numbersOf = (bits: string, width: number): number[] =>
  Array.from({ length: bits.length / width }, (_, i) => Number.parseInt(bits.slice(i * width, (i + 1) * width), 2));

/** The last eight bits are the first byte of the hash of the others. */
const checked = (seed: Uint8Array): readonly number[] => [...seed, portableSha256(seed)[0]!];

/** The whole secret: anybody who reads the words has the key. */
export function keyWords(key: Pick<AgentKey, "secret">): string {
  const words = list();
  return numbersOf(bitsOf(checked(fromBase64url(key.secret())), BYTE), BITS)
    .map((number) => words[number])
    .join(" ");
}

/** The key of these words, however they are numbered, separated or capitalised; the first four letters of a word are enough. */
export async function loadWords(text: string): Promise<AgentKey> {
  const words = list();
  const given = text.toLowerCase().match(/[a-z]+/g) ?? [];
  if (given.length !== COUNT) throw fault(`There are ${given.length} words; a key has ${COUNT}.`);
  const numbers = given.map((word, i) => {
    const exact = words.indexOf(word);
    const number = exact === -1 && word.length >= 4 ? words.findIndex((one) => one.startsWith(word)) : exact;
    if (number === -1) throw fault(`Word ${i + 1}, ${JSON.stringify(word.slice(0, 20))}, is not in the word list.${guess(word, words)}`);
    return number;
  });
  const bytes = Uint8Array.from(numbersOf(bitsOf(numbers, BITS), BYTE));
  const seed = bytes.subarray(0, -1);
  if (checked(seed).at(-1) !== bytes.at(-1)) throw fault("The words are not a valid key: one of them is wrong, or their order is.");
  return loadKey(toBase64url(seed));
}

/** Words that begin with the same letters. */
function guess(word: string, words: readonly string[]): string {
  const alike = words.filter((one) => one.startsWith(word.slice(0, 3)));
  return alike.length === 0 ? "" : ` Those that begin alike: ${alike.slice(0, 8).join(", ")}.`;
}

const fault = (message: string): BoardError => new BoardError({ code: "bad_encoding", message });

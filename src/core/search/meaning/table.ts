// The file format of the meaning table: a vocabulary of pieces and a row of numbers for each, four bits per number.
import { WordPieces } from "./wordpieces.ts";

/** A row is `scales[piece]` times the eight-bit numbers from `piece * dimensions` on, once it is unpacked. */
export interface MeaningTable {
  readonly dimensions: number;
  readonly pieces: WordPieces;
  readonly rows: Int8Array;
  /** 0 for a row that was never used. */
  readonly scales: Float32Array;
  /** Unpacks a row before its first use. Texts use few rows, and unpacking all of them would delay every start of a board. */
  unpack(piece: number): void;
}

/** "SEM4": after it the number of pieces, of dimensions and of bytes of the vocabulary. */
const MAGIC = 0x344d4553;
const HEADER = 16;
/** This many numbers share a 16-bit scale. */
const GROUP = 32;

interface Header {
  readonly count: number;
  readonly dimensions: number;
  /** Where the vocabulary ends and the scales begin. */
  readonly scalesAt: number;
}

function headerOf(file: Uint8Array): Header {
  const view = new DataView(file.buffer, file.byteOffset, file.byteLength);
  if (file.length < HEADER || view.getUint32(0, true) !== MAGIC)
    throw new Error("This is no table of meanings: it does not begin with SEM4.");
  return { count: view.getUint32(4, true), dimensions: view.getUint32(8, true), scalesAt: HEADER + view.getUint32(12, true) };
}

/** The pieces in the order of their numbers, the commonest words first; a piece that continues a word starts with `##`. */
export function piecesIn(file: Uint8Array): readonly string[] {
  const { count, scalesAt } = headerOf(file);
  return new TextDecoder().decode(file.subarray(HEADER, scalesAt)).split("\n").slice(0, count);
}

export function readTable(file: Uint8Array): MeaningTable {
  // A copy, because a slice of a Node buffer may start at an odd offset, where a 16-bit array cannot begin.
  const bytes = new Uint8Array(file);
  const { count, dimensions, scalesAt } = headerOf(bytes);
  const groups = dimensions / GROUP;
  const numbersAt = scalesAt + count * groups * 2;
  const length = numbersAt + (count * dimensions) / 2;
  if (!Number.isInteger(groups) || bytes.length !== length)
    throw new Error(`The table of meanings is damaged: it has ${bytes.length} bytes, and by its beginning it should have ${length}.`);

  const fine = new Float16Array(bytes.slice(scalesAt, numbersAt).buffer);
  const rows = new Int8Array(count * dimensions);
  const scales = new Float32Array(count);
  const row = new Float32Array(dimensions);
  const unpack = (piece: number): void => {
    let most = 1e-9;
    for (let at = 0; at < dimensions; at++) {
      const pair = bytes[numbersAt + ((piece * dimensions + at) >> 1)]!;
      const number = ((at & 1) === 1 ? pair >> 4 : pair & 15) - 8;
      const value = number * fine[piece * groups + Math.floor(at / GROUP)]!;
      row[at] = value;
      most = Math.max(most, Math.abs(value));
    }
    // One scale per row from here on, so that sums over whole rows use whole numbers.
    scales[piece] = most / 127;
    for (let at = 0; at < dimensions; at++) rows[piece * dimensions + at] = Math.round(row[at]! / scales[piece]);
  };
  return { dimensions, pieces: new WordPieces(piecesIn(bytes)), rows, scales, unpack };
}

// A segment file: blocks of terms in order, each with its postings; then a table of documents with their meanings, an index of the blocks, and a footer.
import { GRAM } from "../../core/search/grams.ts";

/** Terms per block: its dictionary is scanned from the start, and one entry per block is kept in memory. */
export const BLOCK_TERMS = 64;
export const FOOTER_BYTES = 48;
const MAGIC = 0x58494242;
const VERSION = 2;

/** The numbers of a footer, and where they are in it. */
const FOOTER = [
  ["documents", "Uint32", 8],
  ["blocks", "Uint32", 12],
  ["tablesAt", "Float64", 16],
  ["indexAt", "Float64", 24],
  ["length", "Float64", 32],
  // Over tables and index; each block has its own.
  ["checksum", "Uint32", 40],
] as const;
export type Footer = Readonly<Record<(typeof FOOTER)[number][0], number>>;

/** The position of a block: dictionary, documents of all its terms, positions of all its terms, one after the other. */
export interface Block {
  readonly first: string;
  readonly at: number;
  readonly dictionary: number;
  readonly docs: number;
  readonly positions: number;
  readonly checksum: number;
}

export class Corrupt extends Error {
  override readonly name = "Corrupt";
}

export const isGram = (term: string): boolean => term.startsWith(GRAM);

export function footerBytes(footer: Footer, checksum: (bytes: Uint8Array) => number): Uint8Array {
  const bytes = new Uint8Array(FOOTER_BYTES);
  const view = new DataView(bytes.buffer);
  view.setUint32(0, MAGIC, true);
  view.setUint32(4, VERSION, true);
  for (const [name, type, at] of FOOTER) view[`set${type}`](at, footer[name], true);
  view.setUint32(44, checksum(bytes.subarray(0, 44)), true);
  return bytes;
}

export function readFooter(bytes: Uint8Array, length: number, checksum: (bytes: Uint8Array) => number): Footer {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (bytes.length !== FOOTER_BYTES || view.getUint32(0, true) !== MAGIC || view.getUint32(4, true) !== VERSION)
    throw new Corrupt("not a segment of this version");
  if (view.getUint32(44, true) !== checksum(bytes.subarray(0, 44))) throw new Corrupt("the footer is damaged");
  if (view.getFloat64(32, true) !== length) throw new Corrupt("the file has another length than when it was written");
  return Object.fromEntries(FOOTER.map(([name, type, at]) => [name, view[`get${type}`](at, true)])) as Footer;
}

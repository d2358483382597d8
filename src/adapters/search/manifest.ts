// The file that names the segments of the index and its progress in the log; written whole, synced, renamed into place.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { crc32 } from "node:zlib";
import { replaceFile } from "../system/replace-file.ts";
import { Corrupt } from "./segment-format.ts";

/** The progress of the index. */
export interface Progress {
  /** Everything in the log up to this entry is indexed; and the entry's hash, by which another log is recognised. */
  readonly seq: number;
  readonly hash: string;
  /** While the index is being rebuilt: of the messages up to `seq`, only those up to here are indexed. */
  readonly building?: number;
}

export interface SegmentRecord {
  readonly file: string;
  /** One bit per document, 1 if it has ended; base64, empty if none has. */
  readonly dead: string;
  /** Unix time since when words of a withdrawn message wait to be erased from the file. */
  readonly eraseSince: number | null;
}

export interface Manifest {
  /** The version of the tokenizer; another one needs another index. */
  readonly text: number;
  /** Number of the next segment file. */
  readonly next: number;
  readonly progress: Progress;
  readonly segments: readonly SegmentRecord[];
}

const FORMAT = 1;
const manifestPath = (dir: string): string => join(dir, "manifest.json");

/** Undefined if there is none. */
export function readManifest(dir: string): Manifest | undefined {
  let text: string;
  try {
    text = readFileSync(manifestPath(dir), "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
  const [head = "", body = ""] = text.split("\n");
  if (head !== `${FORMAT} ${crc32(body)}`) throw new Corrupt("the manifest is damaged or of another format");
  return JSON.parse(body) as Manifest;
}

export function writeManifest(dir: string, manifest: Manifest): void {
  const body = JSON.stringify(manifest);
  // A crash in between leaves the old manifest, which names the old segments: none of them is deleted before this is done.
  replaceFile(manifestPath(dir), `${FORMAT} ${crc32(body)}\n${body}\n`);
}

export function packBits(flags: Uint8Array): string {
  const bits = new Uint8Array((flags.length + 7) >>> 3);
  for (let i = 0; i < flags.length; i++) if (flags[i] === 1) bits[i >>> 3]! |= 1 << (i & 7);
  return Buffer.from(bits).toString("base64");
}

export function* unpackBits(packed: string): Iterable<number> {
  const bits = Buffer.from(packed, "base64");
  for (const [at, byte] of bits.entries()) for (let bit = 0; bit < 8; bit++) if ((byte & (1 << bit)) !== 0) yield at * 8 + bit;
}

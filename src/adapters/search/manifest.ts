// The one file that says which segments are the index and how far it has followed the log; written whole, synced, renamed into place.
import { closeSync, fsyncSync, openSync, readFileSync, renameSync, writeSync } from "node:fs";
import { join } from "node:path";
import { crc32 } from "node:zlib";
import { syncDirectory } from "../system/sync.ts";
import { Corrupt } from "./segment-format.ts";

/** How far the index has come. */
export interface Progress {
  /** Everything in the log up to this entry is taken in, and its hash, by which another log is told apart. */
  readonly seq: number;
  readonly hash: string;
  /** While the index is made anew: of the messages up to `seq`, only those up to here are taken in. */
  readonly building?: number;
}

export interface SegmentRecord {
  readonly file: string;
  /** One bit for each document, 1 where it is gone; base64, empty where none is. */
  readonly dead: string;
  /** Unix time from which on words of a withdrawn message wait to leave the file. */
  readonly eraseSince: number | null;
}

export interface Manifest {
  /** How text is cut into words; another one makes another index. */
  readonly text: number;
  /** Number of the next segment file. */
  readonly next: number;
  readonly progress: Progress;
  readonly segments: readonly SegmentRecord[];
}

const FORMAT = 1;
const manifestPath = (dir: string): string => join(dir, "manifest.json");

/** Undefined where there is none. */
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
  const next = `${manifestPath(dir)}.next`;
  const file = openSync(next, "w", 0o600);
  try {
    writeSync(file, `${FORMAT} ${crc32(body)}\n${body}\n`);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
  // A crash here leaves the old manifest, which names the old segments: none of them is removed before the next line is done.
  renameSync(next, manifestPath(dir));
  syncDirectory(dir);
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

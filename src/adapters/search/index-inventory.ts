// Which messages the files of an index contain, for checks: reads them beside the board that owns them, and changes nothing.
import { existsSync } from "node:fs";
import { join } from "node:path";
import { type Manifest, type Progress, readManifest, unpackBits } from "./manifest.ts";
import { embedderOf } from "./meaning-table.ts";
import { Segment } from "./segment.ts";
import { Corrupt } from "./segment-format.ts";
import { textVersion } from "./text-version.ts";

export interface IndexInventory {
  readonly progress: Progress;
  /** Messages in the files, except those marked as ended. */
  readonly seqs: ReadonlySet<number>;
  /** What is wrong with a file, if anything; then the seqs are incomplete. */
  readonly damage: string | undefined;
}

const TRIES = 5;
const NOTHING: Progress = { seq: 0, hash: "", building: 0 };

/** `meaning` is the board's table of meanings. Undefined if there is no index, or one of another version, which the board rebuilds. */
export function readIndexInventory(dir: string, meaning: string | undefined): IndexInventory | undefined {
  if (!existsSync(dir)) return undefined;
  const version = textVersion(embedderOf(meaning));
  for (let tries = 1; ; tries++) {
    try {
      const manifest = readManifest(dir);
      if (manifest === undefined || manifest.text !== version) return undefined;
      return { progress: manifest.progress, seqs: seqsOf(dir, manifest), damage: undefined };
    } catch (error) {
      // A file may have been merged into another since the manifest was read.
      const missing = (error as NodeJS.ErrnoException).code === "ENOENT";
      if (missing && tries < TRIES) continue;
      if (!missing && !(error instanceof Corrupt) && !(error instanceof SyntaxError)) throw error;
      return { progress: NOTHING, seqs: new Set(), damage: (error as Error).message };
    }
  }
}

function seqsOf(dir: string, manifest: Manifest): ReadonlySet<number> {
  const seqs = new Set<number>();
  for (const { file, dead } of manifest.segments) {
    const segment = new Segment(join(dir, file));
    try {
      const gone = new Set(unpackBits(dead));
      for (const [doc, seq] of segment.seqs.entries()) if (!gone.has(doc)) seqs.add(seq);
      // Reading a block compares it with its checksum.
      for (const block of segment.blocks) segment.readBlock(block);
    } finally {
      segment.close();
    }
  }
  return seqs;
}

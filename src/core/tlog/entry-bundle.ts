// Entry bundles of C2SP's tlog-tiles: each entry follows its length in two bytes, big endian.
import { concat } from "./bytes.ts";
import { TILE_WIDTH } from "./tile.ts";
import { malformed } from "./tlog-error.ts";

export const MAX_ENTRY_BYTES = 0xffff;

export function encodeBundle(entries: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  if (entries.length === 0 || entries.length > TILE_WIDTH) throw new RangeError(`A bundle holds 1 to 256 entries, not ${entries.length}.`);
  return concat(
    ...entries.flatMap((entry) => {
      if (entry.length > MAX_ENTRY_BYTES) throw new RangeError(`An entry has at most ${MAX_ENTRY_BYTES} bytes, not ${entry.length}.`);
      return [Uint8Array.of(entry.length >> 8, entry.length & 0xff), entry];
    }),
  );
}

/** Exactly the requested number of entries, and nothing after them. */
export function decodeBundle(bytes: Uint8Array, width: number): Uint8Array[] {
  const entries: Uint8Array[] = [];
  let at = 0;
  while (entries.length < width) {
    const [high, low] = bytes.subarray(at, at + 2);
    if (high === undefined || low === undefined) throw malformed(`The bundle ends after ${entries.length} entries of ${width}.`);
    const entry = bytes.slice(at + 2, at + 2 + (high << 8) + low);
    if (entry.length !== (high << 8) + low) throw malformed(`The bundle ends within entry ${entries.length} of ${width}.`);
    entries.push(entry);
    at += 2 + entry.length;
  }
  if (at !== bytes.length) throw malformed(`The bundle goes on after its ${width} entries.`);
  return entries;
}

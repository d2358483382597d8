// Entry bundles of C2SP's tlog-tiles: each entry follows its length in two bytes, big endian.
import { concat } from "./bytes.ts";
import { TILE_WIDTH } from "./tile.ts";

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

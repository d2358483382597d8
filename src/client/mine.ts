// Mines in the caller's own thread, in slices so short that the page or the server stays responsive.
import { mineSlice } from "../core/protocol/proof-of-work.ts";
import { pause } from "./pause.ts";

export interface Progress {
  readonly tries: number;
  /** How many tries it takes on average. */
  readonly expected: number;
}

export interface MineOptions {
  readonly signal?: AbortSignal | undefined;
  readonly onProgress?: ((progress: Progress) => void) | undefined;
}

/** Finds a nonce for an id. `mineHere` is one; `minedBy` makes others that use workers. */
export type Mine = (id: string, bits: number, options?: MineOptions) => Promise<string>;

const FIRST_TRIES = 4096;
const SLICE_MS = 25;

export const mineHere: Mine = async (id, bits, { signal, onProgress } = {}) => {
  const expected = 2 ** bits;
  let tries = FIRST_TRIES;
  for (let start = 0; ;) {
    signal?.throwIfAborted();
    const begun = performance.now();
    const nonce = mineSlice(id, bits, start, tries);
    start += tries;
    onProgress?.({ tries: start, expected });
    if (nonce !== undefined) return nonce;
    // Adjusts the number of tries to the speed of the last slice, by at most a factor of two.
    const ratio = SLICE_MS / Math.max(1, performance.now() - begun);
    tries = Math.max(1, Math.round(tries * Math.min(2, Math.max(0.5, ratio))));
    await pause(0);
  }
};

// Decides whether an answer is compressed: it must be long enough to be worth it, and short enough that others do not wait for it.
import { promisify } from "node:util";
import { gzip } from "node:zlib";
import type { IncomingHttpHeaders } from "node:http";
import { costOfCompressing } from "../../ports/cpu-slices.ts";

/** Shorter answers fit into a few packets; compressing them takes longer than it saves. */
const LEAST_BYTES = 16 * 1024;
const MOST_BYTES = 1024 * 1024;
/** Compressed for each caller, unlike pages and documents, so the fastest level is used; it saves four fifths of a list. */
const LEVEL = 1;

const squeezed = promisify<Buffer, { level: number }, Buffer>(gzip);

/** Whether an answer of this length is compressed for a caller that accepts it. */
export const isCoded = (length: number): boolean => length >= LEAST_BYTES && length <= MOST_BYTES;

export const takesGzip = ({ "accept-encoding": accepted }: IncomingHttpHeaders): boolean =>
  typeof accepted === "string" && /\bgzip\b(?!\s*;\s*q=0(?:\.0*)?\s*(?:,|$))/i.test(accepted);

/** At the cost of the caller; refused if it has no time left. */
export async function gzipped(bytes: Buffer): Promise<Buffer> {
  costOfCompressing(bytes.length, "fast");
  return squeezed(bytes, { level: LEVEL });
}

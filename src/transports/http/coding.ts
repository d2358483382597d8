// Whether an answer is compressed on its way: what is long enough to be worth it, and not so long that others would wait.
import { promisify } from "node:util";
import { gzip } from "node:zlib";
import type { IncomingHttpHeaders } from "node:http";

/** Shorter ones fit into a few packets: there compressing takes longer than it saves. */
const LEAST_BYTES = 16 * 1024;
const MOST_BYTES = 1024 * 1024;
/** Made anew for each caller, unlike pages and documents: the quickest way, which saves four fifths of a list. */
const LEVEL = 1;

const squeezed = promisify<Buffer, { level: number }, Buffer>(gzip);

/** Whether a caller that takes it so gets an answer of this length compressed. */
export const isCoded = (length: number): boolean => length >= LEAST_BYTES && length <= MOST_BYTES;

export const takesGzip = ({ "accept-encoding": accepted }: IncomingHttpHeaders): boolean =>
  typeof accepted === "string" && /\bgzip\b(?!\s*;\s*q=0(?:\.0*)?\s*(?:,|$))/i.test(accepted);

export const gzipped = (bytes: Buffer): Promise<Buffer> => squeezed(bytes, { level: LEVEL });

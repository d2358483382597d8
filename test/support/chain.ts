// Checks the hash chain as an outside reader would, from the entries of /api/changes alone.
import { createHash } from "node:crypto";

export interface Change {
  readonly seq: number;
  readonly at: string;
  readonly type: string;
  readonly id: string;
  readonly detail: string | null;
  readonly digest: string;
  readonly prev: string;
  readonly hash: string;
  readonly raw?: { readonly payload: string; readonly sig: string; readonly nonce: string } | null;
}

const hex = (text: string): string => createHash("sha256").update(text).digest("hex");

/** The faults of these entries, in words; empty if they are part of one valid chain. */
export function chainFaults(changes: readonly Change[], prev = changes[0]?.seq === 1 ? "0".repeat(64) : changes[0]?.prev): string[] {
  const faults: string[] = [];
  for (const [i, entry] of changes.entries()) {
    const { seq, type, id, detail, digest, raw } = entry;
    if (i > 0 && seq !== (changes[i - 1]?.seq ?? 0) + 1) faults.push(`${seq} does not follow the entry before it`);
    if (i > 0 && entry.at < (changes[i - 1]?.at ?? "")) faults.push(`${seq} is earlier than the entry before it`);
    if (entry.prev !== prev) faults.push(`${seq} does not link to the entry before it`);
    if (type !== "create" && digest !== (detail === null ? "-" : hex(detail))) faults.push(`the digest of ${seq} is not of its detail`);
    if (raw && digest !== hex(`${raw.payload}\n${raw.sig}\n${raw.nonce}`)) faults.push(`the digest of ${seq} is not of its content`);
    if (entry.hash !== hex(`${entry.prev}\n${seq}\n${Date.parse(entry.at)}\n${type}\n${id}\n${digest}\n`))
      faults.push(`bad hash at ${seq}`);
    prev = entry.hash;
  }
  return faults;
}

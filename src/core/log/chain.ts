// The hash chain over the one sequence of changes, checkable with twenty lines in any language.
import { sha256Hex } from "../protocol/sha256.ts";
import type { EntryType } from "../message/standing.ts";

export const GENESIS = "0".repeat(64);

export interface Entry {
  readonly seq: number;
  readonly at: number;
  readonly type: EntryType;
  readonly id: string;
  readonly detail: string | null;
  readonly digest: string;
  readonly prev: string;
  readonly hash: string;
}

export const detailDigest = (detail: string | null): string => (detail === null ? "-" : sha256Hex(detail));

export function entryHash(entry: Omit<Entry, "hash" | "detail">): string {
  return sha256Hex(`${entry.prev}\n${entry.seq}\n${entry.at}\n${entry.type}\n${entry.id}\n${entry.digest}\n`);
}

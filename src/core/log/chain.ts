// The hash chain over the log; twenty lines in any language can verify it.
import { sha256Hex } from "../protocol/node-sha256.ts";
import type { EntryType } from "./entry-type.ts";
import { type Chained, entryText } from "./entry-text.ts";

export { GENESIS } from "./entry-text.ts";

export interface Entry extends Chained {
  readonly type: EntryType;
  readonly detail: string | null;
  readonly hash: string;
}

export const detailDigest = (detail: string | null): string => (detail === null ? "-" : sha256Hex(detail));

export const entryHash = (entry: Chained): string => sha256Hex(entryText(entry));

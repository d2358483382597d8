// What a message takes in a store. Labels and references take many times their own length, in tables, indexes and counts. The figures are
// those of PostgreSQL, which takes two to three times as much as SQLite.
import { utf8Length } from "../protocol/encoding.ts";
import type { Payload } from "../protocol/payload.ts";

/** What a label takes, and each of its bytes. */
export const LABEL_BYTES = { each: 450, times: 12 } as const;
/** What a reference takes, with an index of targets, a vote, and its trace when the message has ended. */
export const REF_BYTES = 1000;

/** What a message counts as: its bytes with those of its attachments, or its labels and references if these take more. */
export function storedBytes({ tags = [], needs = [], offers = [], refs = [] }: Payload, bytes: number): number {
  const { each, times } = LABEL_BYTES;
  const ofLabels = [...tags, ...needs, ...offers].reduce((sum, label) => sum + each + times * utf8Length(label), 0);
  return Math.max(bytes, ofLabels + REF_BYTES * refs.length);
}

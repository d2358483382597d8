// Counts of the whole board: what default listings show, by kind, status and label, and what came and went by the minute.
import type { Ref } from "../protocol/payload.ts";
import { isWorkable, type Status } from "../protocol/vocabulary.ts";
import { HOUR_MS, minuteOf } from "../durations.ts";
import { creditMessage } from "./credit.ts";
import type { Flow, Label, Ledger, MessageState } from "./message-state.ts";

/** Counts one of the flows in the minute of now. */
export function tallyFlow(ledger: Ledger, flow: Exclude<Flow, "posted">): void {
  ledger.tally(flow, String(minuteOf(ledger.now)), 1);
}

/** Counts a post in its minute, by the work that it proved, and in its hour. */
export function tallyPosted(ledger: Ledger, { bits }: MessageState): void {
  ledger.tally("posted", `${minuteOf(ledger.now)}:${bits}`, 1);
  ledger.tally("hour", String(minuteOf(ledger.now - (ledger.now % HOUR_MS))), 1);
}

/** Counts a message in or out of what default listings show. */
export function tallyMessage(ledger: Ledger, standing: MessageState, labels: readonly Label[], refs: readonly Ref[], by: 1 | -1): void {
  ledger.tally("kind", standing.kind, by);
  tallyStatus(ledger, standing, standing.status, by);
  for (const { field, label, spelling } of labels) {
    ledger.tally(field, label, by);
    if (spelling !== label) ledger.tally(`${field}_as`, `${label},${spelling}`, by);
  }
  creditMessage(ledger, standing, labels, refs, by);
}

export function tallyStatus(ledger: Ledger, { kind }: MessageState, status: Status, by: 1 | -1): void {
  ledger.tally("status", status, by);
  if (isWorkable(kind)) ledger.tally("work", status, by);
}

// Counts of the whole board: messages in default listings by kind, status and label, and events per minute.
import type { Ref } from "../protocol/payload.ts";
import { isWorkable, type Status } from "../protocol/vocabulary.ts";
import { HOUR_MS, minuteOf } from "../durations.ts";
import { creditMessage } from "./agent-counts.ts";
import type { Flow, Label, Ledger, MessageState } from "./message-state.ts";

/** Counts an event in the current minute. */
export function tallyFlow(ledger: Ledger, flow: Exclude<Flow, "posted">): void {
  ledger.tally(flow, String(minuteOf(ledger.now)), 1);
}

/** Counts a post in its minute, by its proof of work, and in its hour. */
export function tallyPosted(ledger: Ledger, { bits }: MessageState): void {
  ledger.tally("posted", `${minuteOf(ledger.now)}:${bits}`, 1);
  ledger.tally("hour", String(minuteOf(ledger.now - (ledger.now % HOUR_MS))), 1);
}

/** Adds a message to the counts of default listings, or subtracts it. */
export function tallyMessage(ledger: Ledger, state: MessageState, labels: readonly Label[], refs: readonly Ref[], by: 1 | -1): void {
  ledger.tally("kind", state.kind, by);
  tallyStatus(ledger, state, state.status, by);
  for (const { field, label, spelling } of labels) {
    ledger.tally(field, label, by);
    if (spelling !== label) ledger.tally(`${field}_as`, `${label},${spelling}`, by);
  }
  creditMessage(ledger, state, labels, refs, by);
}

export function tallyStatus(ledger: Ledger, { kind }: MessageState, status: Status, by: 1 | -1): void {
  ledger.tally("status", status, by);
  if (isWorkable(kind)) ledger.tally("work", status, by);
}

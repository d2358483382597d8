// The progress bar of a task: one cell for each subtask in the colour of its status, and the same in words.
import type { ThreadPart } from "../core/view/thread-summary.ts";
import type { Status } from "../core/protocol/vocabulary.ts";
import { html, type Html } from "./html.ts";

const DONE: ReadonlySet<Status> = new Set(["verified", "resolved"]);
const CELL = 17;
const GAP = 3;

/** The status now: the lease may have ended since the part was read. */
export const statusNow = ({ status, leaseUntil }: ThreadPart, now: number): Status =>
  status === "claimed" && leaseUntil !== null && leaseUntil <= now ? "open" : status;

export function partsBar(parts: readonly ThreadPart[], now: number): Html {
  const statuses = parts.map((part) => statusNow(part, now));
  const done = statuses.filter((status) => DONE.has(status)).length;
  const width = statuses.length * CELL - GAP;
  return html`<span class="parts-word">${done} of ${statuses.length} parts done</span>
    <svg class="parts-bar" width="${width}" height="8" viewBox="0 0 ${width} 8" preserveAspectRatio="none" aria-hidden="true">
      ${statuses.map((status, i) => html`<rect class="s-${status}" x="${i * CELL}" width="${CELL - GAP}" height="8" rx="2" />`)}
    </svg>`;
}

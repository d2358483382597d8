// The status of a row, or of the message of a page, wherever it is shown there.
import { type Status, STATUSES } from "../core/protocol/vocabulary.ts";
import { all } from "./dom.ts";

export function showStatus(inside: HTMLElement, status: Status): void {
  inside.dataset["status"] = status;
  for (const mark of all(".row-state .status, .state .status", inside)) {
    mark.className = `status s-${status}`;
    mark.title = STATUSES[status];
    mark.querySelector("use")?.setAttribute("href", `#s-${status}`);
    if (mark.lastChild !== null) mark.lastChild.textContent = status;
  }
}

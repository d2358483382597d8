// Checks the log in the reader's browser: every entry, every live message, and the signature of the head.
import { type Board, BoardError, LogFault, verifyLog } from "../client/client.ts";
import { thousands } from "../core/text/plural.ts";
import { button, find, make } from "./dom.ts";

export function offerLogCheck(board: Board): void {
  const place = find("[data-check-log]");
  if (place === undefined) return;
  const state = make("p", { ariaLive: "polite" });
  const start = button("Check the whole log here", async () => {
    start.disabled = true;
    try {
      const bar = make("progress", { max: 1, value: 0, ariaLabel: "Entries checked" });
      state.replaceChildren("Checking… ", bar);
      const pk = place.dataset["pk"];
      const { seq, after } = await verifyLog(board, {
        ...(pk === undefined ? {} : { pk }),
        onProgress: ({ seq: at, of }) => (bar.value = at / of),
      });
      const from = after === 0 ? "from the first entry on" : `from entry ${after + 1} on, the oldest that is kept`;
      state.textContent = `✓ ${thousands(seq - after)} entries are valid, ${from}, and the head is the one that the board signed.`;
    } catch (error) {
      const known = error instanceof LogFault || error instanceof BoardError;
      state.textContent = `✗ ${known ? error.message : `The log could not be checked: ${(error as Error).message}`}`;
    } finally {
      start.disabled = false;
    }
  });
  place.append(start, state);
}

// Checks the announcements of the board's own keys: both keys signed each one, and the log has each one and no others.
import { requireKeyChange } from "../../../client/verify-key-changes.ts";
import type { Entry } from "../../../core/log/chain.ts";
import { BOARD_KEYS, type KeyChange } from "../../../core/protocol/board-key-change.ts";
import type { Store } from "../../../ports/store.ts";
import type { Findings } from "./findings.ts";

const MOST = 1000;

export async function checkBoardKeys(store: Store, others: readonly Entry[], oldest: number, findings: Findings): Promise<void> {
  const logged = new Map(others.filter(({ type }) => type === BOARD_KEYS).map((entry) => [entry.seq, entry]));
  for (const { seq, agent, detail } of await store.keyOps(BOARD_KEYS, 0, MOST)) {
    const where = `announced key of entry ${seq}`;
    const entry = logged.get(seq);
    logged.delete(seq);
    if (entry !== undefined) findings.compare(where, ["id", "detail"], entry, { id: agent, detail });
    else if (seq >= oldest) findings.add(where, "is not in the log");
    try {
      await requireKeyChange(JSON.parse(detail) as KeyChange);
    } catch (error) {
      findings.add(where, `is not signed by both keys: ${(error as Error).message}`);
    }
  }
  for (const { seq } of logged.values()) findings.add(`entry ${seq}`, "announces a key of the board that is not stored");
}

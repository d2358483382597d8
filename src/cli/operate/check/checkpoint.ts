// The last signed head: that the board signed it, and that the log goes on from it.
import { isSigned } from "../../../adapters/system/head-file.ts";
import { continues } from "../../../board/operator/checkpoint.ts";
import type { Checkpoint } from "../../../core/log/checkpoint.ts";
import { agentId } from "../../../core/protocol/identity.ts";
import type { Store } from "../../../ports/store.ts";
import type { Findings } from "./findings.ts";

export async function checkCheckpoint(store: Store, signed: Checkpoint | undefined, findings: Findings): Promise<void> {
  if (signed === undefined) return;
  const where = `checkpoint ${signed.seq}`;
  if (!isSigned(signed)) findings.add(where, "has a signature that does not fit");
  const { seq, hash } = said(signed.payload);
  findings.compare(where, ["seq", "hash", "board"], { seq, hash, board: agentId(signed.pk) }, signed);
  if (!(await continues(store, signed)))
    findings.add(
      where,
      "was signed by the board, but this log does not contain it: the database is older than it, or its entries are others. Restore the newest copy of the database; see docs/operate.md",
    );
}

function said(payload: string): { seq?: number; hash?: string } {
  try {
    return JSON.parse(payload) as { seq?: number; hash?: string };
  } catch {
    return {};
  }
}

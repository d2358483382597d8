// Checks the last signed head: the board signed it, and the log continues it.
import { isSigned } from "../../../adapters/system/head-file.ts";
import { continues } from "../../../board/operator/log-checkpoint-signer.ts";
import type { Checkpoint } from "../../../core/log/chain-checkpoint.ts";
import { agentId } from "../../../core/protocol/message-and-agent-ids.ts";
import { jsonIn } from "../../../core/text/json-in.ts";
import { announcedFor, signersAt } from "../../../storage/key-ring.ts";
import type { Store } from "../../../ports/store.ts";
import type { Findings } from "./findings.ts";

/** `first`: the public half of the board's first key, if it is known. */
export async function checkCheckpoint(
  store: Store,
  signed: Checkpoint | undefined,
  first: string | undefined,
  findings: Findings,
): Promise<void> {
  if (signed === undefined) return;
  const where = `checkpoint ${signed.seq}`;
  if (!isSigned(signed)) findings.add(where, "has an invalid signature");
  const { seq, hash, ts = 0 } = (jsonIn(signed.payload) ?? {}) as { seq?: number; hash?: string; ts?: number };
  const known = first ?? signed.pk;
  const line = signersAt({ pk: known, changes: await announcedFor(store, known), tlog: undefined }, ts * 1000).board;
  findings.compare(where, ["seq", "hash", "board", "pk"], { seq, hash, board: agentId(known), pk: line?.current }, signed);
  if (!(await continues(store, signed)))
    findings.add(
      where,
      "was signed by the board, but this log does not contain it: the database is older, or has other entries. Restore the newest copy of the database; see docs/operate.md",
    );
}

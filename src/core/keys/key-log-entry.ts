// The log entry of a key operation. It can be proved as long as the operation is kept, and key operations are never deleted.
import { detailDigest } from "../log/chain.ts";
import type { Chained } from "../log/entry-text.ts";
import type { StoredKeyOp } from "./key-state.ts";

export const keyOpEntry = ({ prev, seq, at, type, agent, detail }: StoredKeyOp): Chained => ({
  prev,
  seq,
  at,
  type,
  id: agent,
  digest: detailDigest(detail),
});

// The operations of an alias's last second, as one text.
import type { AliasRow } from "../../core/message/alias-rules.ts";

export const opsText = (ops: AliasRow["lastOps"]): string => ops.map(({ id, expiresAt, seq }) => `${id}:${expiresAt}:${seq}`).join(" ");

export const opsOf = (text: string): AliasRow["lastOps"] =>
  text === ""
    ? []
    : text.split(" ").map((one) => {
        const [id = "", expiresAt = "", seq = ""] = one.split(":");
        return { id, expiresAt: Number(expiresAt), seq: Number(seq) };
      });

/** As stored, with the time of its next check. */
export interface StoredAlias extends AliasRow {
  readonly checkAt: number | null;
}

export function toAlias(row: unknown): StoredAlias {
  const { released, lastOps, ...rest } = row as Omit<StoredAlias, "released" | "lastOps"> & { released: 0 | 1; lastOps: string };
  return { ...rest, released: released === 1, lastOps: opsOf(lastOps) };
}

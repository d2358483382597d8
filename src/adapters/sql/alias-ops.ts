// The operations of an alias's last second, as one text.
import type { AliasRow } from "../../core/message/alias-rules.ts";

export const opsText = (ops: AliasRow["lastOps"]): string => ops.map(({ id, expiresAt }) => `${id}:${expiresAt}`).join(" ");

export const opsOf = (text: string): AliasRow["lastOps"] =>
  text === ""
    ? []
    : text.split(" ").map((one) => {
        const [id = "", expiresAt = ""] = one.split(":");
        return { id, expiresAt: Number(expiresAt) };
      });

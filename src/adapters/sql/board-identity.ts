// What the database says of the board itself: its key, and the name under which the heads of the tree are signed.
import type { IdentityReads, TlogName } from "../../ports/tlog-identity.ts";
import { columnsOf, rowsFrom } from "./columns.ts";
import { first, type SqlRows } from "./dialect.ts";

export const SELECT_BOARD_KEY = "SELECT pk FROM board";
const TLOG_NAME = columnsOf("tlog_names");
const NEWEST_TLOG_NAME = `${rowsFrom("tlog_names")} ORDER BY epoch DESC LIMIT 1`;
/** If another node was faster, its name counts. */
export const ADD_TLOG_NAME = `INSERT INTO tlog_names (${TLOG_NAME.join(", ")}) VALUES (${TLOG_NAME.map((_, i) => `$${i + 1}`).join(", ")})
  ON CONFLICT DO NOTHING`;

export const tlogNameValues = (name: TlogName): readonly (string | number)[] => TLOG_NAME.map((column) => name[column as keyof TlogName]);

export const identityReads = (rows: SqlRows): IdentityReads => ({
  knownPk: async () => (await first<{ pk: string | null }>(rows, SELECT_BOARD_KEY, []))?.pk ?? undefined,
  tlogName: () => first(rows, NEWEST_TLOG_NAME, []),
});

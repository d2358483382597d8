// What the database says of the board itself: its key, and the name under which the heads of the tree are signed.
import type { IdentityReads, TlogName } from "../../ports/tlog-identity.ts";
import { first, type SqlRows } from "./dialect.ts";

export const SELECT_BOARD_KEY = "SELECT pk FROM board";
const NEWEST_TLOG_NAME = "SELECT epoch, origin, pk, statement, sig, board FROM tlog_names ORDER BY epoch DESC LIMIT 1";
/** If another node was faster, its name counts. */
export const ADD_TLOG_NAME =
  "INSERT INTO tlog_names (epoch, origin, pk, statement, sig, board) VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT DO NOTHING";

export const tlogNameValues = ({ epoch, origin, pk, statement, sig, board }: TlogName): readonly (string | number)[] => [
  epoch,
  origin,
  pk,
  statement,
  sig,
  board,
];

export const identityReads = (rows: SqlRows): IdentityReads => ({
  knownPk: async () => (await first<{ pk: string | null }>(rows, SELECT_BOARD_KEY, []))?.pk ?? undefined,
  tlogName: () => first(rows, NEWEST_TLOG_NAME, []),
});

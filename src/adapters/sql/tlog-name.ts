// The name under which the heads of the tree are signed, in the database.
import type { TlogName } from "../../ports/tlog-identity.ts";

export const NEWEST_TLOG_NAME = "SELECT epoch, origin, pk, statement, sig, board FROM tlog_names ORDER BY epoch DESC LIMIT 1";
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

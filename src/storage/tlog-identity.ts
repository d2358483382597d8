// The name and key that sign the heads of the tree: those that the database belongs to, made at the first start.
import { logKeyFile, makeLogKey, requireLogKey, setLogKeyAside } from "../adapters/system/log-key.ts";
import type { Config } from "../config.ts";
import { originAfter, originOf, tlogStatement } from "../core/log/tlog-name.ts";
import type { SigningKey } from "../ports/signing-key.ts";
import type { TlogName } from "../ports/tlog-identity.ts";
import { type Signers, vouchedFor } from "./key-ring.ts";
import type { Opened } from "./storage-backend.ts";

interface Opening {
  readonly opened: Pick<Opened, "store" | "recordTlogName">;
  /** Describes the place of the board. */
  readonly place: string;
  /** The board's own key. */
  readonly board: SigningKey;
  /** Nothing can be written. */
  readonly sealed: boolean;
  /** The keys in force, by the announcements. */
  readonly signers: Signers;
  readonly now: number;
}

/** Makes the name and the key of the tree if there are none, and ensures that the key is where the board looks for it. */
export async function openTlog(
  config: Pick<Config, "baseUrl" | "keyFile" | "data">,
  { opened, place, board, sealed, signers, now }: Opening,
): Promise<void> {
  const file = logKeyFile(config.keyFile, config.data);
  const known = await opened.store.tlogName();
  if (known !== undefined && signers.members.includes(known.board) && signers.members.includes(board.pk))
    return void requireLogKey(file, place, vouchedFor(known, signers.log, board), board, sealed);
  if (sealed) return;
  // A board with another key is another board: it never continues under a name that the previous key vouched for.
  if (known !== undefined) setLogKeyAside(file);
  await opened.recordTlogName(newTlogName(config.baseUrl, known, file, board, now));
  const name = await opened.store.tlogName();
  if (name === undefined) throw new Error("The database did not keep the name of the tree.");
  requireLogKey(file, place, name, board, sealed);
}

/** The first name of a board, or the next one, with the key in `file`. */
export function newTlogName(baseUrl: string, before: TlogName | undefined, file: string, board: SigningKey, now: number): TlogName {
  const unix = Math.floor(now / 1000);
  const epoch = before === undefined ? 0 : Math.max(unix, before.epoch + 1);
  const origin = before === undefined ? originOf(baseUrl) : originAfter(before.origin, epoch);
  const { pk } = makeLogKey(file, board, origin);
  const statement = tlogStatement(origin, pk, unix);
  return { epoch, origin, pk, statement, sig: board.sign(statement), board: board.pk };
}

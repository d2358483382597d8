// Opens the board's storage by configuration: SQLite in the data directory, or a PostgreSQL that several nodes share.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { barredFromWriting } from "../adapters/system/access.ts";
import { makeBoardKey, readBoardKey, requireBoardKey } from "../adapters/system/board-key.ts";
import { keepFormerHead, requireSound } from "../adapters/system/head-file.ts";
import type { Config } from "../config.ts";
import { Refusal } from "../core/errors.ts";
import type { HeadRecord } from "../ports/head-record.ts";
import type { ReplicaStanding, ReplicaWatch } from "../ports/replica.ts";
import type { SigningKey } from "../ports/signing-key.ts";
import type { Store } from "../ports/store.ts";
import type { TlogIdentity } from "../ports/tlog-name.ts";
import { inDatabase } from "./in-database.ts";
import { inDirectory } from "./in-directory.ts";
import type { Opened, Place } from "./place.ts";
import { openTlog } from "./tlog.ts";

/** The only place that decides which store it is, for the board and for every operator command. */
export const placeOf = (config: Config): Place =>
  config.databaseUrl === undefined ? inDirectory(config.data) : inDatabase(config.databaseUrl, config.data, config);

export interface Storage extends Pick<Opened, "store" | "source" | "others"> {
  readonly key: SigningKey;
  /** The public half of the board's previous key, if this start gave it another. */
  readonly formerPk: string | undefined;
  /** The name and key that sign the heads of the tree; undefined if there are none yet and nothing can be written. */
  readonly tlog: TlogIdentity | undefined;
  readonly record: HeadRecord;
  /** Nothing can be written in the data directory, and the board was told not to write. */
  readonly sealed: boolean;
  /** The directory of the search index. */
  readonly indexDir: string;
  /** The state of the replica, if there is one. */
  readonly replica: (() => ReplicaStanding) | undefined;
  close(): Promise<void>;
}

/** `onFatal` is called with a failure after which only a restart is safe. */
export async function openStorage(
  config: Config,
  onFatal: (error: Error) => void,
  watchReplica: ReplicaWatch,
  now: number,
): Promise<Storage> {
  await using parts = new AsyncDisposableStack();
  const unwritable = barredFromWriting(config.data);
  // Checked whatever an earlier board left there: a database with its write-ahead log could still be opened, but not written.
  if (unwritable !== undefined && !config.readOnly)
    throw new Error(`${unwritable} A board that only answers questions starts there too: serve --read-only on`);
  const sealed = unwritable !== undefined;
  const indexDir = sealed ? mkdtempSync(join(tmpdir(), "blackboard-index-")) : join(config.data, "index");
  parts.defer(() => (sealed ? rmSync(indexDir, { recursive: true, force: true }) : undefined));
  const place = placeOf(config);
  const opened = await place.open({ sealed, onFatal, watchReplica });
  parts.defer(() => opened.close());
  const { store, source, others } = opened;
  const known = await opened.knownPk();
  const key = await ownKey(config, place, store, known);
  const formerPk = known === undefined || known === key.pk ? undefined : known;
  if (sealed && formerPk !== undefined) throw new Error(`The new key cannot be recorded. ${unwritable}`);
  // The last head of the old key is saved before the new key replaces it; after a crash between the two, the start is repeated.
  const signed = formerPk === undefined ? undefined : await opened.headOf(formerPk).read();
  if (signed !== undefined) await keepFormerHead(config.data, signed);
  if (!sealed) await opened.recordPk(key.pk, known);
  const tlog = await openTlog(config, { opened, place: place.words, board: key, sealed, now });
  const record = sealed ? unsigned(opened.headOf(key.pk)) : opened.headOf(key.pk);
  const last = await record.read();
  if (last !== undefined) requireSound(last, config.data);
  const replica = await opened.beginReplica(formerPk);
  const all = parts.move();
  return { store, key, formerPk, tlog, record, sealed, source, indexDir, others, replica, close: () => all.disposeAsync() };
}

const MEND =
  "Restore its board.key from a backup that holds the key, or name the file with --key-file. To start with another key, and so as another board to all its readers: --new-key on";

/** The key that the database belongs to. A key is made only for a new board, or if the operator asks for another one. */
async function ownKey({ keyFile, newKey }: Config, place: Place, store: Store, known: string | undefined): Promise<SigningKey> {
  const isNew = known === undefined && (await store.head()).seq === 0;
  if (!isNew && !newKey) return requireBoardKey(keyFile, place.words, known, MEND);
  return readBoardKey(keyFile) ?? makeBoardKey(keyFile);
}

/** A head is on disk before anyone sees it: if nothing can be written, none is signed. */
const unsigned = (record: HeadRecord): HeadRecord => ({
  read: () => record.read(),
  async write() {
    throw new Refusal("read_only");
  },
});

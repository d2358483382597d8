// Where the board keeps itself, by configuration: SQLite in the data directory, or a PostgreSQL that several nodes share.
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

/** The one decision of which store it is; for the board and for every command of its operator. */
export const placeOf = (config: Config): Place =>
  config.databaseUrl === undefined ? inDirectory(config.data) : inDatabase(config.databaseUrl, config.data, config);

export interface Storage extends Pick<Opened, "store" | "source" | "others"> {
  readonly key: SigningKey;
  /** The public half of the key that the board had before this start gave it another. */
  readonly formerPk: string | undefined;
  /** Who signs the heads of the tree; undefined where nothing can be written and nobody does yet. */
  readonly tlog: TlogIdentity | undefined;
  readonly record: HeadRecord;
  /** Nothing can be written in the data directory, and the board was told not to. */
  readonly sealed: boolean;
  /** Where the search index keeps itself. */
  readonly indexDir: string;
  /** How a replica is doing, where there is one. */
  readonly replica: (() => ReplicaStanding) | undefined;
  close(): Promise<void>;
}

/** `onFatal` hears of a failure after which only a restart is safe. */
export async function openStorage(
  config: Config,
  onFatal: (error: Error) => void,
  watchReplica: ReplicaWatch,
  now: number,
): Promise<Storage> {
  await using parts = new AsyncDisposableStack();
  const unwritable = barredFromWriting(config.data);
  // Whatever an earlier board left there: a database whose log is still beside it could be opened all the same, and take nothing.
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
  // What the old key signed is kept before the new one takes its place; a crash between the two is a start that has not happened.
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

/** The key that the database belongs to. One is made for a new board only, or where the operator wants another one. */
async function ownKey({ keyFile, newKey }: Config, place: Place, store: Store, known: string | undefined): Promise<SigningKey> {
  const isNew = known === undefined && (await store.head()).seq === 0;
  if (!isNew && !newKey) return requireBoardKey(keyFile, place.words, known, MEND);
  return readBoardKey(keyFile) ?? makeBoardKey(keyFile);
}

/** A head is on disk before anyone sees it: where nothing can be written, none is signed. */
const unsigned = (record: HeadRecord): HeadRecord => ({
  read: () => record.read(),
  async write() {
    throw new Refusal("read_only");
  },
});

// Opens the board's storage by configuration: SQLite in the data directory, or a PostgreSQL that several nodes share.
import { mkdtempSync, renameSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { barredFromWriting } from "../adapters/system/file-access-errors.ts";
import { makeBoardKey, readBoardKey, requireBoardKey } from "../adapters/system/board-key.ts";
import { keepFormerHead, requireSound } from "../adapters/system/head-file.ts";
import { logKeyFile, announcedKeyFile, formerKeyFile } from "../adapters/system/log-key.ts";
import { syncDirectory } from "../adapters/system/sync.ts";
import type { Config } from "../config.ts";
import { Refusal } from "../core/errors.ts";
import { agentId } from "../core/protocol/message-and-agent-ids.ts";
import type { BoardKeys } from "../ports/board-keys.ts";
import type { HeadRecord } from "../ports/head-record.ts";
import type { ReplicaStatus, ReplicaUse } from "../ports/replica-status.ts";
import type { SigningKey } from "../ports/signing-key.ts";
import type { Store } from "../ports/store.ts";
import { inDatabase } from "./in-database.ts";
import { inDirectory } from "./in-directory.ts";
import { fileOfKey, BoardKeyRing, keysIn, signersAt } from "./key-ring.ts";
import type { Opened, Place } from "./storage-backend.ts";
import { openTlog } from "./tlog-identity.ts";

/** The only place that decides which store it is, for the board and for every operator command. */
export const byStore = <Result>(
  { databaseUrl, data }: Pick<Config, "databaseUrl" | "data">,
  of: { readonly directory: (data: string) => Result; readonly database: (url: string) => Result },
): Result => (databaseUrl === undefined ? of.directory(data) : of.database(databaseUrl));

export const placeOf = (config: Config): Place =>
  byStore(config, { directory: inDirectory, database: (url) => inDatabase(url, config.data, config) });

export interface Storage extends Pick<Opened, "store" | "source" | "peers">, Pick<Place, "engine"> {
  /** The agent id of the board's first key, which stays the board's name. */
  readonly board: string;
  /** The key that signs at the start; secrets are derived from it. */
  readonly key: SigningKey;
  /** The keys that sign at any time. */
  readonly keys: BoardKeys;
  /** The public half of the board's previous key, if this start gave it another. */
  readonly formerPk: string | undefined;
  readonly record: HeadRecord;
  /** True if nothing can be written in the data directory, and the board was started read-only. */
  readonly sealed: boolean;
  /** The directory of the search index. */
  readonly indexDir: string;
  /** The state of the replica, if there is one. */
  readonly replica: (() => ReplicaStatus) | undefined;
  close(): Promise<void>;
}

/** `onFatal` is called with a failure after which only a restart is safe. */
export async function openStorage(config: Config, onFatal: (error: Error) => void, replicaUse: ReplicaUse, now: number): Promise<Storage> {
  await using parts = new AsyncDisposableStack();
  const unwritable = barredFromWriting(config.data);
  // Checked whatever an earlier board left there: a database with its write-ahead log could still be opened, but not written.
  if (unwritable !== undefined && !config.readOnly) throw new Error(`${unwritable} To serve it without writing: serve --read-only on`);
  const sealed = unwritable !== undefined;
  const indexDir = sealed ? mkdtempSync(join(tmpdir(), "blackboard-index-")) : join(config.data, "index");
  parts.defer(() => (sealed ? rmSync(indexDir, { recursive: true, force: true }) : undefined));
  const place = placeOf(config);
  const opened = await place.open({ sealed, onFatal, replica: replicaUse });
  parts.defer(() => opened.close());
  const { store, source, peers } = opened;
  const { engine } = place;
  const recorded = await keysIn(store);
  const known = recorded.pk;
  const announced = signersAt(recorded, now);
  const inForce = announced.board?.current;
  if (inForce !== undefined && !sealed) takeNextKey(config.keyFile, inForce);
  const key = await ownKey(config, place, store, inForce);
  // An announced key belongs to the same board.
  const pk = known !== undefined && key.pk === inForce ? known : key.pk;
  const formerPk = known === pk ? undefined : known;
  if (sealed && formerPk !== undefined) throw new Error(`The new key cannot be recorded. ${unwritable}`);
  // The last head of the old key is saved before the new key replaces it; after a crash between the two, the start is repeated.
  const signed = formerPk === undefined ? undefined : await opened.headOf(formerPk).read();
  if (signed !== undefined) await keepFormerHead(config.data, signed);
  if (!sealed) await opened.recordPk(pk, known);
  const signers = formerPk === undefined && known !== undefined ? announced : { ...announced, members: [pk] };
  await openTlog(config, { opened, place: place.words, board: key, sealed, signers, now });
  const { keyFile, data } = config;
  const keys = new BoardKeyRing({ store, pk, keyFile, logKeyFile: logKeyFile(keyFile, data) });
  const record = sealed ? unsigned(opened.headOf(pk)) : opened.headOf(pk);
  const last = await record.read();
  if (last !== undefined) requireSound(last, config.data);
  const replica = await opened.beginReplica(formerPk);
  const all = parts.move();
  const board = agentId(pk);
  return { store, engine, board, key, keys, formerPk, record, sealed, source, indexDir, peers, replica, close: () => all.disposeAsync() };
}

const MEND =
  "Restore its board.key from a backup that has the key, or name the file with --key-file. To start with another key, as another board to all its readers: --new-key on";

/** The announced key takes effect: it replaces the previous key, which is kept under its own name. */
function takeNextKey(keyFile: string, pk: string): void {
  const next = announcedKeyFile(keyFile);
  const former = readBoardKey(keyFile);
  if (former?.pk === pk || readBoardKey(next)?.pk !== pk || barredFromWriting(dirname(keyFile)) !== undefined) return;
  if (former !== undefined) renameSync(keyFile, formerKeyFile(keyFile, agentId(former.pk)));
  renameSync(next, keyFile);
  syncDirectory(dirname(keyFile));
}

/** The key that the database belongs to. A key is made only for a new board, or if the operator asks for another one. */
async function ownKey({ keyFile, newKey }: Config, place: Place, store: Store, known: string | undefined): Promise<SigningKey> {
  const isNew = known === undefined && (await store.head()).seq === 0;
  const file = fileOfKey(keyFile, known);
  // If nothing can be renamed, the announced key stays in its file.
  if (!isNew && (!newKey || file !== keyFile)) return requireBoardKey(file, place.words, known, MEND);
  return readBoardKey(keyFile) ?? makeBoardKey(keyFile);
}

/** A head is on disk before anyone sees it: if nothing can be written, none is signed. */
const unsigned = (record: HeadRecord): HeadRecord => ({
  read: () => record.read(),
  async write() {
    throw new Refusal("read_only");
  },
});

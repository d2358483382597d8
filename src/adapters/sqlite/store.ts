// A board in one SQLite file: a writer in its own thread, readers on the caller's thread.
import { once } from "node:events";
import { statSync } from "node:fs";
import { dirname } from "node:path";
import type { DatabaseSync } from "node:sqlite";
import type { Act } from "../../core/message/acts-and-outcomes.ts";
import type { Head } from "../../core/log/chain-checkpoint.ts";
import { type Appended, type SyncReads, type Store, StoreFailure } from "../../ports/store.ts";
import { barredFromWriting } from "../system/file-access-errors.ts";
import { dump } from "../sql/dump.ts";
import { SqlReads } from "../sql/reads.ts";
import { freeBytes } from "../system/disk-space.ts";
import { startThread, type Thread } from "../system/start-thread.ts";
import { fileFault, isFull, primaryCode, SQLITE } from "./faults.ts";
import { SqliteMessageCache } from "./message-cache.ts";
import { SqliteHead } from "./head.ts";
import { SqliteLister } from "./list.ts";
import { databasePath, lockDataDir, openDatabase } from "./open.ts";
import { OpenFiles } from "./detect-replaced-files.ts";
import { versionOf } from "./migrate.ts";
import { SqlitePrechecks, SqliteReader } from "./reader.ts";
import { SqliteRows } from "./statement-runner.ts";
import { HISTORY } from "./schema.ts";
import { SqliteWriter } from "./writer.ts";
import type { WriterAnswer, WriterData, WriterRequest } from "./writer-thread.ts";
import { slice } from "../../ports/cpu-slices.ts";

/**
 * `onFatal` is called after a failed fsync or with a corrupt file: the process must end, because nothing written since is certain. A board
 * locks the directory; an operator's command writes beside it, one short transaction at a time.
 */
export async function openSqliteStore(
  dataDir: string,
  onFatal: (error: Error) => void,
  as: "board" | "operator" = "board",
): Promise<SqliteStore> {
  const lock = as === "board" ? lockDataDir(dataDir) : undefined;
  const path = databasePath(dataDir);
  try {
    const worker = startThread("writer-thread", import.meta.url, { path, as } satisfies WriterData);
    const { done: nextDue } = (await answer(worker)) as { readonly done: number | null };
    const readDb = openDatabase(path, "read");
    return new SqliteStore(path, worker, readDb, lock, nextDue, onFatal);
  } catch (error) {
    lock?.close();
    throw fileFault(error, path);
  }
}

/** Opens a store in which nothing can be written: it has no writer and no lock, and the database must need no repair. */
export function openSealedStore(dataDir: string): SqliteStore {
  const path = databasePath(dataDir);
  const readDb = openDatabase(path, "read");
  try {
    requireUpToDate(readDb);
    return new SqliteStore(path, undefined, readDb, undefined, new SqliteWriter(readDb).nextDue(), () => {});
  } catch (error) {
    readDb.close();
    throw fileFault(error, path);
  }
}

/** Refuses a database that a start would have to change first, since nothing can be written. */
function requireUpToDate(db: DatabaseSync): void {
  const version = versionOf(db);
  const mend = "start the board once with a writable data directory.";
  if (version !== HISTORY.version) throw new Error(`The database has schema ${version}; this program needs ${HISTORY.version}: ${mend}`);
  if (db.prepare("SELECT 1 FROM withdrawals").get() !== undefined)
    throw new Error(`The board stopped while it was retracting the messages of an agent: ${mend}`);
}

const unwritable = (path: string): string => barredFromWriting(dirname(path)) ?? `${path} was opened for reading only.`;

function answer(worker: Thread): Promise<WriterAnswer> {
  return new Promise((resolve, reject) => {
    const finish = (act: () => void) => {
      worker.off("message", onMessage).off("error", onError).off("exit", onExit);
      act();
    };
    const onMessage = (message: WriterAnswer) => finish(() => resolve(message));
    const onError = (error: Error) => finish(() => reject(error));
    const onExit = () => finish(() => reject(new StoreFailure("storage_unavailable", "The writer thread has ended.", true)));
    worker.on("message", onMessage).on("error", onError).on("exit", onExit);
  });
}

/** A full disk and a lock are temporary; after anything else, nothing written since is certain. */
export function failureOf({ message, errcode }: { message: string; errcode: number | undefined }): StoreFailure {
  const primary = primaryCode(errcode);
  if (isFull(errcode)) return new StoreFailure("storage_full", message);
  if (primary === SQLITE.BUSY || primary === SQLITE.READONLY) return new StoreFailure("storage_unavailable", message);
  return new StoreFailure("storage_unavailable", message, true);
}

/** With less space than this, next to nothing can be written. */
const LEAST_FREE_BYTES = 64 * 1024;

/** Several reads of one request need the head of the log. */
const HEAD_REMEMBERED_MS = 1;

class SqliteStore extends SqlReads implements Store {
  readonly #path: string;
  readonly #files: OpenFiles;
  readonly #worker: Thread | undefined;
  readonly #readDb: DatabaseSync;
  readonly #reader: SqliteReader;
  readonly #prechecks: SqlitePrechecks;
  readonly #lister: SqliteLister;
  readonly #head: SqliteHead;
  readonly #storedMessages: SqliteMessageCache;
  readonly #lock: DatabaseSync | undefined;
  readonly #onFatal: (error: Error) => void;
  #nextDue: number | null;
  #dead: StoreFailure | undefined;

  constructor(
    path: string,
    worker: Thread | undefined,
    readDb: DatabaseSync,
    lock: DatabaseSync | undefined,
    nextDue: number | null,
    onFatal: (error: Error) => void,
  ) {
    super(new SqliteRows(readDb));
    this.#path = path;
    this.#files = new OpenFiles(path);
    this.#worker = worker;
    this.#readDb = readDb;
    this.#head = new SqliteHead(readDb, HEAD_REMEMBERED_MS);
    this.#storedMessages = new SqliteMessageCache(readDb, this.#head, this.seenOf);
    this.#reader = new SqliteReader(readDb, this.#storedMessages);
    this.#prechecks = new SqlitePrechecks(readDb, this.#reader);
    this.#lister = new SqliteLister(readDb, this.#storedMessages);
    this.#lock = lock;
    this.#nextDue = nextDue;
    this.#onFatal = onFatal;
  }

  /** One call at a time, which the appender ensures. */
  async append<One extends Act>(acts: readonly One[], now: number): Promise<Appended<One>> {
    this.#head.writing = true;
    try {
      const appended = await this.#ask<Appended<One>>({ acts, now });
      this.#nextDue = appended.nextDue;
      this.#storedMessages.forget(appended.touched, appended.head.seq);
      return appended;
    } finally {
      this.#head.written();
    }
  }

  /** One call at a time, and never at the same time as an append. */
  scrub = (): Promise<boolean> => this.#ask("scrub");
  trial = (): Promise<void> => this.#ask("trial");

  async requireUsable(): Promise<void> {
    this.#files.require();
    if (freeBytes(this.#path) < LEAST_FREE_BYTES) throw new StoreFailure("storage_full", `The disk that holds ${this.#path} is full`);
  }

  /** The answer of the other thread belongs to exactly this request. */
  async #ask<Done>(request: WriterRequest): Promise<Done> {
    if (this.#dead !== undefined) throw this.#dead;
    if (this.#worker === undefined) throw new StoreFailure("storage_unavailable", unwritable(this.#path));
    this.#worker.postMessage(request);
    const given = await answer(this.#worker).catch((error: unknown) => ({ failed: { message: String(error), errcode: SQLITE.IOERR } }));
    if ("done" in given) return given.done as Done;
    const failure = failureOf(given.failed);
    if (failure.fatal) {
      this.#dead = failure;
      this.#onFatal(failure);
    }
    throw failure;
  }

  size = async (): Promise<number> =>
    ["", "-wal"].reduce((sum, suffix) => sum + (statSync(`${this.#path}${suffix}`, { throwIfNoEntry: false })?.size ?? 0), 0);
  used = async (): Promise<number> => this.#reader.used();
  head = async (): Promise<Head> => this.#head.read();
  nextDue = async () => this.#nextDue;
  precheck: Store["precheck"] = (id, author, blobs, now) => this.#prechecks.ask(id, author, blobs, now);
  find: Store["find"] = async (id, now) => this.#reader.find(id, now);
  findAll: Store["findAll"] = (ids, now) => this.#reader.findAll(ids, now);
  list: Store["list"] = (query) => this.#lister.list(query);
  listingReads: Store["listingReads"] = async () => this;
  leastState: Store["leastState"] = async () => {
    const head = this.#head.read();
    return { ...head, newest: head.seq, nextDue: this.#nextDue };
  };
  readonly sync: SyncReads = {
    state: () => ({ ...this.#head.read(), nextDue: this.#nextDue }),
    find: (id, now) => this.#reader.find(id, now),
    list: (query) => this.#lister.listNow(query),
  };
  listSeqs: Store["listSeqs"] = (query) => this.#lister.seqs(query);
  countUpTo: Store["countUpTo"] = async (query) => (await this.#lister.seqs(query)).length;
  seqAt: Store["seqAt"] = async (unixMs) => this.#lister.seqAt(unixMs);
  dump: Store["dump"] = (after, upTo, now) =>
    // Everything is read once, so it is not cached; otherwise it would displace what others ask for.
    dump(this.rows, (seqs) => slice(() => seqs.flatMap((seq) => this.#storedMessages.stored.bySeq(seq) ?? [])), { after, upTo, now });

  async close(): Promise<void> {
    const exited = this.#worker && once(this.#worker, "exit");
    // The last connection to close checkpoints the write-ahead log: that should be the writer.
    this.#readDb.close();
    this.#worker?.postMessage("close");
    await exited;
    this.#lock?.close();
  }
  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }
}

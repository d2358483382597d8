// A board kept in one SQLite file: a writer in a thread of its own, readers on the caller's thread.
import { statSync } from "node:fs";
import { dirname } from "node:path";
import type { DatabaseSync } from "node:sqlite";
import type { Act } from "../../core/message/act.ts";
import type { Head } from "../../core/log/checkpoint.ts";
import { type Appended, type AtHand, type Store, StoreFailure } from "../../ports/store.ts";
import { barredFromWriting } from "../system/access.ts";
import { dump } from "../sql/dump.ts";
import { SqlReads } from "../sql/reads.ts";
import { roomBeside } from "../system/disk-space.ts";
import { startThread, type Thread } from "../system/start-thread.ts";
import { fileFault, isFull, primaryCode, SQLITE } from "./faults.ts";
import { SqliteCards } from "./stored-messages.ts";
import { SqliteHead } from "./head.ts";
import { SqliteLister } from "./list.ts";
import { databasePath, lockDataDir, openDatabase } from "./open.ts";
import { OpenFiles } from "./open-files.ts";
import { versionOf } from "./migrate.ts";
import { SqlitePriors } from "./batched-prechecks.ts";
import { SqliteReader } from "./reader.ts";
import { SqliteRows } from "./rows.ts";
import { HISTORY } from "./schema.ts";
import { SqliteWriter } from "./writer.ts";
import type { WriterData, WriterRequest } from "./writer-thread.ts";
import { slice } from "../../ports/share.ts";

interface WriterAnswer {
  readonly ready?: true;
  readonly nextDue?: number | null;
  readonly appended?: Appended;
  readonly scrubbed?: boolean;
  readonly tried?: true;
  readonly failed?: { readonly message: string; readonly errcode: number | undefined };
}

/**
 * `onFatal` hears of a failed fsync or a corrupt file: the process must end, for nothing written since is certain.
 * A board has the directory to itself; an operator's command writes beside it, one short transaction at a time.
 */
export async function openSqliteStore(
  dataDir: string,
  onFatal: (error: Error) => void,
  as: "board" | "operator" = "board",
): Promise<Store> {
  const lock = as === "board" ? lockDataDir(dataDir) : undefined;
  const path = databasePath(dataDir);
  try {
    const worker = startThread("writer-thread", import.meta.url, { path, as } satisfies WriterData);
    const first = await answer(worker);
    const readDb = openDatabase(path, "read");
    return new SqliteStore(path, worker, readDb, lock, first.nextDue ?? null, onFatal);
  } catch (error) {
    lock?.close();
    throw fileFault(error, path);
  }
}

/** Where nothing can be written: without a writer, without a lock, and only what was left in good order. */
export function openSealedStore(dataDir: string): Store {
  const path = databasePath(dataDir);
  const readDb = openDatabase(path, "read");
  try {
    requireSettled(readDb);
    return new SqliteStore(path, undefined, readDb, undefined, new SqliteWriter(readDb).nextDue(), () => {});
  } catch (error) {
    readDb.close();
    throw fileFault(error, path);
  }
}

/** What a start would still have to do to the file, nobody could do there. */
function requireSettled(db: DatabaseSync): void {
  const version = versionOf(db);
  const mend = "start the board once where its files can be written.";
  if (version !== HISTORY.version) throw new Error(`The database has schema ${version}; this program speaks ${HISTORY.version}: ${mend}`);
  if (db.prepare("SELECT 1 FROM withdrawals").get() !== undefined)
    throw new Error(`The board ended while it withdrew the messages of an agent: ${mend}`);
}

const unwritable = (path: string): string => barredFromWriting(dirname(path)) ?? `${path} was opened for reading only.`;

function answer(worker: Thread): Promise<WriterAnswer> {
  return new Promise((resolve, reject) => {
    const settle = (act: () => void) => {
      worker.off("message", onMessage).off("error", onError).off("exit", onExit);
      act();
    };
    const onMessage = (message: WriterAnswer) => settle(() => resolve(message));
    const onError = (error: Error) => settle(() => reject(error));
    const onExit = () => settle(() => reject(new StoreFailure("storage_unavailable", "The writer thread has ended.", true)));
    worker.on("message", onMessage).on("error", onError).on("exit", onExit);
  });
}

/** A full disk and a lock pass; after anything else, nothing written since is certain. */
export function failureOf({ message, errcode }: { message: string; errcode: number | undefined }): StoreFailure {
  const primary = primaryCode(errcode);
  if (isFull(errcode)) return new StoreFailure("storage_full", message);
  if (primary === SQLITE.BUSY || primary === SQLITE.READONLY) return new StoreFailure("storage_unavailable", message);
  return new StoreFailure("storage_unavailable", message, true);
}

/** With less than this next to nothing can be written. */
const LEAST_ROOM = 64 * 1024;

/** Several reads of one request ask where the log stands. */
const HEAD_REMEMBERED_MS = 1;

class SqliteStore extends SqlReads implements Store {
  readonly #path: string;
  readonly #files: OpenFiles;
  readonly #worker: Thread | undefined;
  readonly #readDb: DatabaseSync;
  readonly #reader: SqliteReader;
  readonly #priors: SqlitePriors;
  readonly #lister: SqliteLister;
  readonly #head: SqliteHead;
  readonly #cards: SqliteCards;
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
    this.#cards = new SqliteCards(readDb, this.#head, this.seenOf);
    this.#reader = new SqliteReader(readDb, this.#cards);
    this.#priors = new SqlitePriors(readDb, this.#reader);
    this.#lister = new SqliteLister(readDb, this.#cards);
    this.#lock = lock;
    this.#nextDue = nextDue;
    this.#onFatal = onFatal;
  }

  /** One call at a time; the appender sees to that. */
  async append<One extends Act>(acts: readonly One[], now: number): Promise<Appended<One>> {
    this.#head.writing = true;
    const { appended, failed } = await this.#ask({ acts, now });
    this.#head.written();
    if (appended !== undefined) {
      this.#nextDue = appended.nextDue;
      this.#cards.forget(appended.touched, appended.head.seq);
      // What came from the other thread is the answer to these very acts.
      return appended as Appended<One>;
    }
    throw this.#failure(failed);
  }

  /** One call at a time, and never beside an append. */
  async scrub(): Promise<boolean> {
    const { scrubbed, failed } = await this.#ask("scrub");
    if (scrubbed === undefined) throw this.#failure(failed);
    return scrubbed;
  }

  async trial(): Promise<void> {
    const { tried, failed } = await this.#ask("trial");
    if (tried === undefined) throw this.#failure(failed);
  }

  async requireUsable(): Promise<void> {
    this.#files.require();
    if (roomBeside(this.#path) < LEAST_ROOM) throw new StoreFailure("storage_full", `The disk that holds ${this.#path} is full`);
  }

  async #ask(request: WriterRequest): Promise<WriterAnswer> {
    if (this.#dead !== undefined) throw this.#dead;
    if (this.#worker === undefined) throw new StoreFailure("storage_unavailable", unwritable(this.#path));
    this.#worker.postMessage(request);
    return answer(this.#worker).catch((error: unknown) => ({ failed: { message: String(error), errcode: SQLITE.IOERR } }));
  }

  #failure(failed: WriterAnswer["failed"]): StoreFailure {
    const failure = failureOf(failed ?? { message: "The writer gave no answer.", errcode: SQLITE.IOERR });
    if (!failure.fatal) return failure;
    this.#dead = failure;
    this.#onFatal(failure);
    return failure;
  }

  size = async (): Promise<number> =>
    ["", "-wal"].reduce((sum, suffix) => sum + (statSync(`${this.#path}${suffix}`, { throwIfNoEntry: false })?.size ?? 0), 0);
  used = async (): Promise<number> => this.#reader.used();
  head = async (): Promise<Head> => this.#reader.head();
  nextDue = async () => this.#nextDue;
  prior: Store["prior"] = (id, author, blobs, now) => this.#priors.ask(id, author, blobs, now);
  find: Store["find"] = async (id, now) => this.#reader.find(id, now);
  findAll: Store["findAll"] = async (ids, now) => slice(() => this.#reader.findAll(ids, now));
  list: Store["list"] = (query) => this.#lister.list(query);
  listingReads: Store["listingReads"] = async () => this;
  leastState: Store["leastState"] = async () => {
    const { seq } = this.#reader.head();
    return { seq, newest: seq, nextDue: this.#nextDue };
  };
  readonly atHand: AtHand = {
    state: () => ({ seq: this.#reader.head().seq, nextDue: this.#nextDue }),
    find: (id, now) => this.#reader.find(id, now),
    list: (query) => this.#lister.listNow(query),
  };
  listSeqs: Store["listSeqs"] = (query) => this.#lister.seqs(query);
  seqAt: Store["seqAt"] = async (unixMs) => this.#lister.seqAt(unixMs);
  dump: Store["dump"] = (after, upTo, now) =>
    // Everything is read once: it is not kept, or what others ask for would be forgotten.
    dump(this.rows, (seqs) => slice(() => seqs.flatMap((seq) => this.#cards.stored.bySeq(seq) ?? [])), { after, upTo, now });

  async close(): Promise<void> {
    const exited = new Promise((resolve) => this.#worker?.once("exit", resolve));
    // The last connection to close folds the write-ahead log into the file: that should be the writer.
    this.#readDb.close();
    this.#worker?.postMessage("close");
    if (this.#worker !== undefined) await exited;
    this.#lock?.close();
  }
}

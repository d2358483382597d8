// Writes the changes of a batch at its end: plain statements, row by row.
import type { DatabaseSync, SQLInputValue } from "node:sqlite";
import type { Touched } from "../../ports/store.ts";
import { changedRows, type ChangedRows } from "../sql/batch/changed-rows.ts";
import type { BatchLedger } from "../sql/batch/in-memory-ledger.ts";
import type { ThreadRow, WorkingSet } from "../sql/batch/working-set.ts";
import {
  ERASED_BY_SEQ,
  ERASED_BY_TARGET,
  type WriteStep,
  WRITE_STEPS,
  type Write as TableWrite,
  WRITES,
} from "../sql/batch/write-steps.ts";
import { columnsOf, fieldOf } from "../sql/columns.ts";
import { reached } from "../sql/rows.ts";
import { KEEP_ROOTS } from "./retention.ts";

type Row = Readonly<Record<string, SQLInputValue | boolean>>;
type Named = Row & { readonly id: string; readonly root: string; readonly seq: number };
type Write = (row: Row) => void;

export class Flush {
  readonly #sql: ReturnType<typeof statements>;

  constructor(db: DatabaseSync) {
    this.#sql = statements(db);
  }

  /** Returns what caches must drop. */
  write(ledger: BatchLedger): Omit<Touched, "all"> {
    const rows = changedRows(ledger);
    const { plain, own } = this.#sql;
    const detached = this.#erase(ledger);
    const threads = new ThreadNumbers(ledger.set, rows);
    const { tombstones, agents, start } = ledger.set;
    const looked: Partial<Record<WriteStep, Write>> = {
      gone: (row) =>
        tombstones.stored((row as Named).id) === undefined
          ? own.insertTombstone({ ...row, thread: threads.ofTombstone(row as Named) })
          : own.updateTombstone(row),
      gone_deletes: (row) => {
        own.keepRoot(row);
        own.dropTombstone(row);
      },
      inbox: (row) => ((row as Named).seq > start.seq ? own.insertInbox(row) : own.putInbox(row)),
      agents: (row) => (agents.stored((row as Named).id) === undefined ? own.insertAgent(row) : own.updateAgent(row)),
    };
    for (const step of WRITE_STEPS) {
      if (APART.has(step)) continue;
      const write = looked[step] ?? plain[step];
      // Also if this batch has no such rows: then the first test finds it.
      if (write === undefined) throw new Error(`No statement writes ${step}.`);
      for (const row of step === "messages" ? threads.messages : (rows[step] ?? [])) write(row as Row);
    }
    for (const sha256 of detached) own.dropLooseBlob({ sha256 });
    this.#writeThreads(threads);
    return touchedBy(ledger, rows);
  }

  /** Erases messages. Returns the hashes of attachments that fewer messages name now. */
  #erase({ erased, set }: BatchLedger): readonly string[] {
    const { dropLabel, dropInbox, detach, erase } = this.#sql.own;
    const detached: string[] = [];
    for (const state of erased) {
      const { seq } = state;
      if (seq > set.start.seq) continue;
      for (const sha256 of state.hasAttachment ? (set.attachmentsOf.get(String(seq)) ?? []) : []) {
        detach({ sha256, seq });
        detached.push(sha256);
      }
      for (const { field, label } of set.labels.get(String(seq)) ?? []) dropLabel({ field, label, seq });
      for (const agent of reached(state)) dropInbox({ agent, seq });
      for (const drop of erase) drop({ seq, target: seq });
    }
    return detached;
  }

  #writeThreads(numbers: ThreadNumbers): void {
    const { insertThread, updateThread, dropThread, putStray, dropStray } = this.#sql.own;
    for (const { root, number, isNew, row } of numbers.changed) {
      if (row !== undefined) (isNew ? insertThread : updateThread)({ ...row, number });
      else {
        dropThread({ number });
        dropStray({ root });
      }
    }
    for (const row of numbers.strays()) putStray(row);
  }
}

interface Thread {
  readonly root: string;
  readonly number: number;
  readonly isNew: boolean;
  /** Undefined if it has ended. */
  readonly row: ThreadRow | undefined;
}

/** The number of each thread of a batch. A new thread gets the seq of its first message here. */
class ThreadNumbers {
  readonly messages: readonly Row[];
  readonly changed: Thread[] = [];
  readonly #set: WorkingSet;
  readonly #begun = new Map<string, number>();

  constructor(set: WorkingSet, { messages = [] }: ChangedRows) {
    this.#set = set;
    const arrived = (messages as readonly Named[]).toSorted((a, b) => a.seq - b.seq);
    this.messages = arrived.map((row) => Object.assign(row, { thread: this.#enter(row.root, row.seq) }));
    for (const [root, row] of set.threads.changes) {
      const known = set.threads.stored(root)?.number;
      const number = known ?? this.#begun.get(root);
      if (number !== undefined) this.changed.push({ root, number, isNew: known === undefined, row });
    }
  }

  /** Live threads without their root. */
  *strays(): Generator<Row> {
    for (const [root, thread] of this.#begun) if (this.#set.messages.get(root)?.root !== root) yield { root, thread };
  }

  /** The number of the thread for a tombstone that was its root; null for other tombstones. */
  ofTombstone({ id, root, seq }: Named): number | null {
    if (id !== root) return null;
    return this.#set.threads.get(root)?.number ?? this.#known(root) ?? seq;
  }

  #enter(root: string, seq: number): number {
    const known = this.#known(root);
    if (known === undefined) this.#begun.set(root, seq);
    return known ?? seq;
  }
  #known(root: string): number | undefined {
    return this.#set.threads.stored(root)?.number ?? this.#begun.get(root);
  }
}

function touchedBy(
  { set, erased, adopted, ended, tallies }: BatchLedger,
  { messages_updates: updated = [] }: ChangedRows,
): Omit<Touched, "all"> {
  const seqs = [
    ...(updated as readonly { seq: number }[]).map(({ seq }) => seq),
    ...erased.map(({ seq }) => seq),
    ...[...set.tombstones.changes.values()].flatMap((tombstone) => tombstone?.seq ?? []),
    ...adopted.map(({ seq }) => seq),
    ...ended.flatMap((one) => one.seqs),
  ];
  // Agents whose number of received votes has changed.
  const judged = [...tallies.sums()].flatMap(({ agent, field }) => (field === "received" && agent !== undefined ? [agent] : []));
  return {
    seqs: [...new Set(seqs)],
    agents: [...new Set([...set.agents.changes.keys(), ...judged])],
    roots: [...set.threads.changes.keys()],
  };
}

/** Kinds of statements, each of which takes its values from the fields of a row. */
function writesOn(db: DatabaseSync) {
  const quoted = (names: readonly string[]): string => names.map((name) => `"${name}"`).join(", ");
  const run = (sql: string, names: readonly string[]): ((row: Row) => number) => {
    const statement = db.prepare(sql);
    const fields = names.map(fieldOf);
    return (row) => {
      const values: SQLInputValue[] = [];
      for (const field of fields) {
        const value = row[field] ?? null;
        values.push(typeof value === "boolean" ? Number(value) : value);
      }
      return Number(statement.run(...values).changes);
    };
  };
  const insert = (table: string, names: readonly string[], or = ""): Write =>
    run(`INSERT ${or} INTO ${table} (${quoted(names)}) VALUES (${names.map(() => "?").join(", ")})`, names);
  const equal = (names: readonly string[], between: string): string => names.map((name) => `"${name}" = ?`).join(between);
  const update = (table: string, keys: readonly string[], names: readonly string[]) =>
    run(`UPDATE ${table} SET ${equal(names, ", ")} WHERE ${equal(keys, " AND ")}`, [...names, ...keys]);
  const drop = (table: string, keys: readonly string[]): Write => run(`DELETE FROM ${table} WHERE ${equal(keys, " AND ")}`, keys);
  /**
   * Updates an existing row, or inserts it. Plain statements: with RETURNING or ON CONFLICT, SQLite copies each page that it is about to
   * change.
   */
  const put = (table: string, keys: readonly string[], names: readonly string[], columns: readonly string[]): Write => {
    const [move, add] = [update(table, keys, names), insert(table, columns)];
    return (row) => {
      if (move(row) === 0) add(row);
    };
  };
  /** Adds to counts; a count of zero has no row, so that readers need not skip it. */
  const sum = (table: string, keys: readonly string[], names: readonly string[]): Write => {
    const grown = names.map((name) => (name === "count" ? "count = count + ?" : `"${name}" = max("${name}", ?)`)).join(", ");
    const move = run(`UPDATE ${table} SET ${grown} WHERE ${equal(keys, " AND ")}`, [...names, ...keys]);
    const add = insert(table, [...keys, ...names]);
    return (row) => {
      if (move(row) === 0 && row["count"] !== 0) add(row);
    };
  };
  const empty = (table: string, keys: readonly string[]): Write =>
    run(`DELETE FROM ${table} WHERE ${equal(keys, " AND ")} AND count = 0`, keys);
  return { run, insert, update, drop, put, sum, empty };
}

/** Written before or after all other steps. */
const APART: ReadonlySet<WriteStep> = new Set<WriteStep>(["messages_deletes", "threads_deletes", "threads"]);
/** Threads have numbers here, and columns that change with each post are separate: these tables have their own statements. */
const OWN = new Set<string>(["gone", "gone_deletes", "messages", "inbox", "threads_deletes", "threads", "agents"] satisfies WriteStep[]);

function statements(db: DatabaseSync) {
  const { run, insert, update, drop, put, sum, empty } = writesOn(db);
  const written = ({ how, table, keys, moving }: TableWrite): Write => {
    const columns = columnsOf(table);
    switch (how) {
      case "add":
        return insert(table, columns);
      case "once":
        return insert(table, columns, "OR IGNORE");
      case "put":
        return put(table, keys, moving, columns);
      case "update":
        return update(table, keys, moving);
      case "drop":
        return drop(table, keys);
      case "sum":
        return sum(table, keys, moving);
      case "empty":
        return empty(table, keys);
    }
  };
  const plain: Partial<Record<WriteStep, Write>> = {
    ...Object.fromEntries(
      Object.entries(WRITES).flatMap(([step, one]) => (OWN.has(step) || one.how === "own" ? [] : [[step, written(one)]])),
    ),
    messages: insert("messages", [...columnsOf("messages"), "thread"]),
    // A unary plus, as in listings, makes SQLite use the index of authors.
    messages_expirations: run(
      "UPDATE messages SET expires_at = ?, withdrawn = 1 WHERE author = ? AND seq > ? AND seq < ? AND +expires_at > ?",
      ["at", "author", "done", "seq", "at"],
    ),
  };
  const own = {
    insertTombstone: insert("gone", [...columnsOf("gone"), "thread"]),
    updateTombstone: update("gone", ["id"], WRITES.gone.moving),
    dropTombstone: drop("gone", ["id"]),
    /** A tombstone is about to be deleted; its thread may continue without it. */
    keepRoot: run(`${KEEP_ROOTS} WHERE g.id = ?`, ["id"]),
    insertInbox: insert("inbox", columnsOf("inbox")),
    putInbox: written(WRITES.inbox),
    insertAgent: insert("agents", columnsOf("agents")),
    updateAgent: update("agents", ["id"], WRITES.agents.moving),
    dropLabel: drop("labels", ["field", "label", "seq"]),
    dropInbox: drop("inbox", ["agent", "seq"]),
    detach: drop("attachments", ["sha256", "seq"]),
    dropLooseBlob: run("DELETE FROM blobs WHERE sha256 = ?1 AND NOT EXISTS (SELECT 1 FROM attachments WHERE sha256 = ?1)", ["sha256"]),
    erase: [...ERASED_BY_SEQ.map((table) => drop(table, ["seq"])), ...ERASED_BY_TARGET.map((table) => drop(table, ["target"]))],
    insertThread: insert("threads", ["number", "messages", "last_activity"]),
    updateThread: update("threads", ["number"], ["messages", "last_activity"]),
    dropThread: drop("threads", ["number"]),
    putStray: insert("strays", ["root", "thread"], "OR REPLACE"),
    dropStray: drop("strays", ["root"]),
  };
  return { plain, own };
}

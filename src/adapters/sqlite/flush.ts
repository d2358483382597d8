// What a batch has changed, written at its end: plain statements, row by row.
import type { DatabaseSync, SQLInputValue } from "node:sqlite";
import type { Touched } from "../../ports/store.ts";
import { changedRows, MOVING, type Part, type Rows } from "../sql/batch/changed-rows.ts";
import type { BatchLedger } from "../sql/batch/ledger.ts";
import type { ThreadRow, WorkingSet } from "../sql/batch/working-set.ts";
import { reached } from "../sql/rows.ts";

type Row = Readonly<Record<string, SQLInputValue>>;
type Named = Row & { readonly id: string; readonly root: string; readonly seq: number };
type Write = (row: Row) => void;

// oxfmt-ignore
const MESSAGE = [
  "seq", "id", "author", "kind", "root", "thread", "received_at", "expires_at", "to", "bits", "assisted", "has_data", "has_attachment",
  "lang", "duplicate_of", "withdrawn", "signal", ...MOVING,
];
const GONE = ["seq", "author", "kind", "root", "received_at", "reason", "at", "statement", "trace", "restored"];
const ALIAS = ["agent", "last_ts", "claimed_at", "ended_at", "released", "check_at", "last_ops"];
const NOTICE = ["at", "category", "target", "explanation", "contact", "state", "closed_at"];
const ACTION = ["seq", "at", "target", "visibility", "ground", "category", "facts", "state"];
const SWITCHES = ["read_only", "pow_bits", "pow_max_bits", "pow_at_once"];

/** What is written as it comes, in this order; everything else needs a look at what is there. */
const PLAIN = ["withdrawn", "ended", "finished", "log"] as const satisfies readonly Part[];

export class Flush {
  readonly #sql: ReturnType<typeof statements>;

  constructor(db: DatabaseSync) {
    this.#sql = statements(db);
  }

  /** The answer is what readers must not go on remembering. */
  write(ledger: BatchLedger): Omit<Touched, "all"> {
    const rows = changedRows(ledger);
    const sql = this.#sql;
    const all = (part: Part, write: Write): void => {
      for (const row of rows[part] ?? []) write(row as Row);
    };
    for (const part of PLAIN) all(part, sql[part]);
    const detached = this.#erase(ledger);
    const threads = new ThreadNumbers(ledger.set, rows);
    all("gone", (row) => {
      if (ledger.set.gone.stored((row as Named).id) === undefined) sql.gone({ ...row, thread: threads.ofGone(row as Named) });
      else sql.goneAgain(row);
    });
    all("ungone", (row) => {
      sql.keepRoot(row);
      sql.ungone(row);
    });
    for (const row of threads.messages) sql.messages(row);
    for (const part of ["contents", "labels", "refs", "attachments", "blobs", "dropped", "updated"] as const) all(part, sql[part]);
    all("inbox", (row) => ((row as Named).seq > ledger.set.start.seq ? sql.inbox(row) : sql.adopted(row)));
    for (const sha256 of detached) sql.dropLooseBlob({ sha256 });
    // oxfmt-ignore
    for (const part of ["unvoted", "votes", "unsignalled", "signals", "barred", "unanswered", "answerers"] as const) all(part, sql[part]);
    this.#writeThreads(threads);
    all("agents", (row) => (ledger.set.agents.stored((row as Named).id) === undefined ? sql.agents(row) : sql.seenAgents(row)));
    // oxfmt-ignore
    for (const part of [
      "forgotten", "aliases", "arrived", "tallies", "shrunk", "agent_tallies", "agent_shrunk", "notices", "actions", "unblocked", "blocks", "switches",
    ] as const) all(part, sql[part]);
    return touchedBy(ledger, rows);
  }

  /** The hashes of attachments that fewer messages name now. */
  #erase({ erased, set }: BatchLedger): readonly string[] {
    const { dropLabel, dropInbox, detach, erase } = this.#sql;
    const detached: string[] = [];
    for (const standing of erased) {
      const { seq } = standing;
      if (seq > set.start.seq) continue;
      for (const sha256 of standing.hasAttachment ? (set.attached.get(String(seq)) ?? []) : []) {
        detach({ sha256, seq });
        detached.push(sha256);
      }
      for (const { field, label } of set.labels.get(String(seq)) ?? []) dropLabel({ field, label, seq });
      for (const agent of reached(standing)) dropInbox({ agent, seq });
      for (const drop of erase) drop({ seq, target: seq });
    }
    return detached;
  }

  #writeThreads(numbers: ThreadNumbers): void {
    const { threads, movedThreads, emptied, stray, dropStray } = this.#sql;
    for (const { root, number, isNew, row } of numbers.changed) {
      if (row !== undefined) (isNew ? threads : movedThreads)({ number, messages: row.messages, last_activity: row.lastActivity });
      else {
        emptied({ number });
        dropStray({ root });
      }
    }
    for (const row of numbers.strays()) stray(row);
  }
}

interface Thread {
  readonly root: string;
  readonly number: number;
  readonly isNew: boolean;
  /** Undefined where it has ended. */
  readonly row: ThreadRow | undefined;
}

/** Which number each thread of a batch has: a new one that of its first message here. */
class ThreadNumbers {
  readonly messages: readonly Row[];
  readonly changed: Thread[] = [];
  readonly #set: WorkingSet;
  readonly #begun = new Map<string, number>();

  constructor(set: WorkingSet, { messages = [] }: Rows) {
    this.#set = set;
    const arrived = (messages as readonly Named[]).toSorted((a, b) => a.seq - b.seq);
    this.messages = arrived.map((row) => Object.assign(row, { thread: this.#enter(row.root, row.seq) }));
    for (const [root, row] of set.threads.changes) {
      const known = set.threads.stored(root)?.number;
      const number = known ?? this.#begun.get(root);
      if (number !== undefined) this.changed.push({ root, number, isNew: known === undefined, row });
    }
  }

  /** Live threads whose root is not here. */
  *strays(): Generator<Row> {
    for (const [root, thread] of this.#begun) if (this.#set.messages.get(root)?.root !== root) yield { root, thread };
  }

  /** Of a tombstone that was the root of its thread. */
  ofGone({ id, root, seq }: Named): number | null {
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

function touchedBy({ set, erased, adopted, ended }: BatchLedger, { updated = [] }: Rows): Omit<Touched, "all"> {
  const seqs = [
    ...(updated as readonly { seq: number }[]).map(({ seq }) => seq),
    ...erased.map(({ seq }) => seq),
    ...[...set.gone.changes.values()].flatMap((gone) => gone?.seq ?? []),
    ...adopted.map(({ seq }) => seq),
    ...ended.flatMap((one) => one.seqs),
  ];
  return { seqs: [...new Set(seqs)], agents: [...set.agents.changes.keys()], roots: [...set.threads.changes.keys()] };
}

/** Kinds of statements, each of which takes its values from a row by name. */
function writesOn(db: DatabaseSync) {
  const quoted = (names: readonly string[]): string => names.map((name) => `"${name}"`).join(", ");
  const run = (sql: string, names: readonly string[]): ((row: Row) => number) => {
    const statement = db.prepare(sql);
    return (row) => {
      const values: SQLInputValue[] = [];
      for (const name of names) values.push(row[name] ?? null);
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
   * Changes what is there, or adds it, then with `also`. Plain statements: with RETURNING or ON CONFLICT, SQLite copies each page that it
   * is about to change.
   */
  const put = (table: string, keys: readonly string[], names: readonly string[], also: readonly string[] = []): Write => {
    const [move, add] = [update(table, keys, names), insert(table, [...keys, ...names, ...also])];
    return (row) => {
      if (move(row) === 0) add(row);
    };
  };
  /** Counts move by so much; one that is nought has no row, so that no reader has to step over it. */
  const tally = (table: string, keys: readonly string[], set: string, names: readonly string[]): Write => {
    const move = run(`UPDATE ${table} SET ${set} WHERE ${equal(keys, " AND ")}`, [...names, ...keys]);
    const add = insert(table, [...keys, ...names]);
    return (row) => {
      if (move(row) === 0 && row["count"] !== 0) add(row);
    };
  };
  const empty = (table: string, keys: readonly string[]): Write =>
    run(`DELETE FROM ${table} WHERE ${equal(keys, " AND ")} AND count = 0`, keys);
  return { run, insert, update, drop, put, tally, empty };
}

function statements(db: DatabaseSync) {
  const { run, insert, update, drop, put, tally, empty } = writesOn(db);
  const [ofVote, ofSignal, ofTally, ofAgentTally] = [
    ["target", "agent", "seq"],
    ["target", "agent", "signal"],
    ["field", "label"],
    ["agent", "field", "label"],
  ] as const;
  return {
    log: insert("log", ["seq", "at", "type", "id", "detail", "digest", "hash", "assisted"]),
    withdrawn: put("withdrawals", ["author"], ["seq", "done", "at"]),
    finished: drop("withdrawals", ["author"]),
    // A unary plus, as in listings: the index of authors is the one to take.
    ended: run("UPDATE messages SET expires_at = ?, withdrawn = 1 WHERE author = ? AND seq > ? AND seq < ? AND +expires_at > ?", [
      "at",
      "author",
      "done",
      "seq",
      "at",
    ]),
    gone: insert("gone", ["id", ...GONE, "thread"]),
    goneAgain: update("gone", ["id"], GONE),
    ungone: drop("gone", ["id"]),
    /** A tombstone is about to be dropped; its thread may go on without it. */
    keepRoot: run(
      `INSERT OR IGNORE INTO strays (root, thread) SELECT g.root, g.thread FROM gone g JOIN threads t ON t.number = g.thread WHERE g.id = ?`,
      ["id"],
    ),
    messages: insert("messages", MESSAGE),
    updated: update("messages", ["seq"], MOVING),
    contents: insert("contents", ["seq", "payload", "sig", "nonce"]),
    labels: insert("labels", ["field", "label", "seq", "spelling"]),
    dropLabel: drop("labels", ["field", "label", "seq"]),
    inbox: insert("inbox", ["agent", "seq", "reply"]),
    adopted: put("inbox", ["agent", "seq"], ["reply"]),
    dropInbox: drop("inbox", ["agent", "seq"]),
    refs: insert("refs", ["seq", "position", "rel", "target"]),
    attachments: insert("attachments", ["sha256", "seq"], "OR IGNORE"),
    detach: drop("attachments", ["sha256", "seq"]),
    /** A text that is there already stays for longer. */
    blobs: put("blobs", ["sha256"], ["expires_at"], ["text"]),
    dropped: drop("blobs", ["sha256"]),
    dropLooseBlob: run("DELETE FROM blobs WHERE sha256 = ?1 AND NOT EXISTS (SELECT 1 FROM attachments WHERE sha256 = ?1)", ["sha256"]),
    erase: [
      drop("contents", ["seq"]),
      drop("refs", ["seq"]),
      drop("votes", ["target"]),
      drop("signals", ["target"]),
      drop("answerers", ["target"]),
      drop("barred", ["target"]),
      drop("messages", ["seq"]),
    ],
    votes: insert("votes", [...ofVote, "rel"]),
    unvoted: drop("votes", ofVote),
    signals: put("signals", ofSignal, ["seq"]),
    unsignalled: drop("signals", ofSignal),
    barred: put("barred", ["target", "agent"], ["until"]),
    answerers: insert("answerers", ofVote),
    unanswered: drop("answerers", ofVote),
    threads: insert("threads", ["number", "messages", "last_activity"]),
    movedThreads: update("threads", ["number"], ["messages", "last_activity"]),
    emptied: drop("threads", ["number"]),
    stray: insert("strays", ["root", "thread"], "OR REPLACE"),
    dropStray: drop("strays", ["root"]),
    agents: insert("agents", ["id", "pk", "first_seen", "last_seen", "messages"]),
    seenAgents: update("agents", ["id"], ["last_seen", "messages"]),
    aliases: put("aliases", ["alias"], ALIAS),
    forgotten: drop("aliases", ["alias"]),
    arrived: insert("arrived_once", ["key", "at"]),
    tallies: tally("tallies", ofTally, "count = count + ?, last_used = max(last_used, ?)", ["count", "last_used"]),
    shrunk: empty("tallies", ofTally),
    agent_tallies: tally("agent_tallies", ofAgentTally, "count = count + ?", ["count"]),
    agent_shrunk: empty("agent_tallies", ofAgentTally),
    notices: put("notices", ["id"], NOTICE),
    actions: put("actions", ["id"], ACTION),
    blocks: insert("blocks", ["what", "name", "action"], "OR IGNORE"),
    unblocked: drop("blocks", ["action"]),
    switches: put("switches", ["one"], SWITCHES),
  };
}

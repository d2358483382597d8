// How the rows of a batch are written: which table, which columns change, which rows are deleted. The same in every store.
import { columnsOf, type FieldsOf, columnOf, keysOf, type StoredTable } from "../columns.ts";

export interface Write {
  readonly table: StoredTable;
  /**
   * `add`: inserts a new row. `once`: inserts it unless it exists. `put`: inserts it, or updates the `moving` columns. `update`: updates
   * them in a row that exists. `drop`: deletes it. `sum`: inserts a count, or adds to the one that exists; its other `moving` columns only
   * grow. `empty`: deletes a count that is zero.
   */
  readonly how: "add" | "once" | "put" | "update" | "drop" | "sum" | "empty";
  readonly keys: readonly string[];
  readonly moving: readonly string[];
}

/** Each store has its own statement for it; its rows have columns of this table. */
export interface OwnWrite {
  readonly table: StoredTable;
  readonly how: "own";
}

/** The columns that are not part of its key. */
const restOf = (table: StoredTable): readonly string[] => columnsOf(table).filter((name) => !keysOf(table).includes(name));

// oxfmt-ignore
const DECIDED_ON_ARRIVAL: ReadonlySet<string> = new Set(([
  "seq", "id", "author", "principal", "kind", "root", "receivedAt", "expiresAt", "to", "bits", "assisted", "hasData", "hasAttachment",
  "risk", "copies", "spreading", "lang", "duplicateOf", "signal", "withdrawn",
] satisfies readonly FieldsOf<"messages">[number][]).map(columnOf));
/** The columns of a message that its update writes. */
export const UPDATED_COLUMNS = columnsOf("messages").filter((column) => !DECIDED_ON_ARRIVAL.has(column));

const write = (how: Write["how"], table: StoredTable, keys = keysOf(table), moving = restOf(table)): Write => ({
  how,
  table,
  keys,
  moving,
});
const add = (table: StoredTable): Write => write("add", table);
const put = (table: StoredTable, moving?: readonly string[]): Write => write("put", table, undefined, moving);
const drop = (table: StoredTable, keys?: readonly string[]): Write => write("drop", table, keys);
const own = (table: StoredTable): OwnWrite => ({ how: "own", table });

/**
 * The tables from which a message is erased: by its own seq, and as the target of others. Labels and inbox entries are erased with them;
 * votes and signals, of which there may be very many, by those who gave them.
 */
export const ERASED_BY_SEQ = ["contents", "refs", "messages"] as const;
export const ERASED_BY_TARGET = ["answerers", "barred", "inbox_changes"] as const;

/**
 * The steps of writing a batch, in order. One with the name of a table inserts its rows, or updates those that exist; `_deletes`,
 * `_updates` and `_expirations` say what else is done with the rows of a table.
 */
export const WRITES = {
  log: add("log"),
  tiles: add("tiles"),
  withdrawals_deletes: drop("withdrawals"),
  withdrawals: put("withdrawals"),
  messages_expirations: own("withdrawals"),
  messages_deletes: own("attachments"),
  gone: put("gone"),
  gone_deletes: drop("gone"),
  messages: add("messages"),
  contents: add("contents"),
  labels: add("labels"),
  inbox: put("inbox"),
  inbox_changes_deletes: drop("inbox_changes"),
  inbox_changes: write("once", "inbox_changes"),
  refs: add("refs"),
  attachments: write("once", "attachments"),
  // If the text is stored already, it is kept for longer.
  blobs: put("blobs", ["expires_at"]),
  blobs_deletes: drop("blobs"),
  messages_updates: write("update", "messages", undefined, UPDATED_COLUMNS),
  votes_deletes: drop("votes"),
  votes: add("votes"),
  signals_deletes: drop("signals"),
  signals: put("signals"),
  barred: put("barred"),
  answerers_deletes: drop("answerers"),
  answerers: add("answerers"),
  threads_deletes: drop("threads"),
  threads: put("threads"),
  agents: put("agents", ["last_seen", "messages", "seen", "last_ack", "line"]),
  aliases_deletes: drop("aliases"),
  aliases: put("aliases"),
  acks: add("acks"),
  arrived_once: add("arrived_once"),
  tallies: write("sum", "tallies"),
  tallies_deletes: write("empty", "tallies"),
  agent_tallies: write("sum", "agent_tallies"),
  agent_tallies_deletes: write("empty", "agent_tallies"),
  notices: put("notices"),
  actions: put("actions", ["state"]),
  blocks_deletes: drop("blocks", ["action"]),
  blocks: write("once", "blocks"),
  switches: put("switches"),
  keys: put("keys"),
  key_lines: put("key_lines"),
  key_ops: put("key_ops", ["state"]),
};
export type WriteStep = keyof typeof WRITES;
export const WRITE_STEPS = Object.keys(WRITES) as readonly WriteStep[];
export type OwnStep = { [Step in WriteStep]: (typeof WRITES)[Step] extends OwnWrite ? Step : never }[WriteStep];

// How the rows of a batch are written: which table, which columns change, which rows are deleted. The same in every store.
import { TABLES } from "../tables.ts";

type TableName = keyof typeof TABLES;

export interface Write {
  readonly table: TableName;
  /**
   * `add`: inserts a new row. `once`: inserts it unless it exists. `put`: inserts it, or updates the `moving` columns. `drop`: deletes it.
   */
  readonly how: "add" | "once" | "put" | "drop";
  readonly keys: readonly string[];
  readonly moving: readonly string[];
}

/** In the order of the table. */
export const columnsOf = (table: TableName): readonly string[] =>
  [...TABLES[table].columns.matchAll(/^\s*"?(\w+)"? (?:number|small|name|text)\b/gm)].map(([, name = ""]) => name);

const keysOf = (table: TableName): readonly string[] => {
  const { columns } = TABLES[table];
  const several = /PRIMARY KEY \((.*)\)/.exec(columns)?.[1]?.split(", ");
  return several ?? [/(\w+) \w+ PRIMARY KEY/.exec(columns)?.[1] ?? ""];
};

/** The columns that are not part of its key. */
const restOf = (table: TableName): readonly string[] => columnsOf(table).filter((name) => !keysOf(table).includes(name));

const write = (how: Write["how"], table: TableName, keys = keysOf(table), moving = restOf(table)): Write => ({ how, table, keys, moving });
const add = (table: TableName): Write => write("add", table);
const put = (table: TableName, moving?: readonly string[]): Write => write("put", table, undefined, moving);
const drop = (table: TableName, keys?: readonly string[]): Write => write("drop", table, keys);

/** Each store has its own statement for these. */
type Special = "ended" | "erased" | "updated" | "tallies" | "shrunk" | "agent_tallies" | "agent_shrunk";

/** The parts of a batch: rows to insert, and rows to delete or update, in the order in which they are written. */
// oxfmt-ignore
export const WRITE_STEPS = [
  "log", "tiles", "finished", "withdrawn", "ended", "erased", "gone", "ungone", "messages", "contents", "labels", "inbox", "heard", "refs", "attachments",
  "blobs", "dropped", "updated", "unvoted", "votes", "unsignalled", "signals", "barred", "unanswered", "answerers", "emptied", "threads",
  "agents", "forgotten", "aliases", "acks", "arrived", "tallies", "shrunk", "agent_tallies", "agent_shrunk", "notices", "actions", "unblocked",
  "blocks", "switches", "keys", "key_lines", "key_ops",
] as const;
export type WriteStep = (typeof WRITE_STEPS)[number];

export const WRITES: Readonly<Record<Exclude<WriteStep, Special>, Write>> = {
  log: add("log"),
  tiles: add("tiles"),
  finished: drop("withdrawals"),
  withdrawn: put("withdrawals"),
  gone: put("gone"),
  ungone: drop("gone"),
  messages: add("messages"),
  contents: add("contents"),
  labels: add("labels"),
  inbox: put("inbox"),
  heard: write("once", "inbox_changes"),
  refs: add("refs"),
  attachments: write("once", "attachments"),
  // If the text is stored already, it is kept for longer.
  blobs: put("blobs", ["expires_at"]),
  dropped: drop("blobs"),
  unvoted: drop("votes"),
  votes: add("votes"),
  unsignalled: drop("signals"),
  signals: put("signals"),
  barred: put("barred"),
  unanswered: drop("answerers"),
  answerers: add("answerers"),
  emptied: drop("threads"),
  threads: put("threads"),
  agents: put("agents", ["last_seen", "messages", "seen", "last_ack", "line"]),
  forgotten: drop("aliases"),
  aliases: put("aliases"),
  acks: add("acks"),
  arrived: add("arrived_once"),
  notices: put("notices"),
  actions: put("actions", ["state"]),
  unblocked: drop("blocks", ["action"]),
  blocks: write("once", "blocks"),
  switches: put("switches"),
  keys: put("keys"),
  key_lines: put("key_lines"),
  key_ops: put("key_ops", ["state"]),
};

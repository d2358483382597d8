// The tables of a board in SQLite: those of every store, except those that each post changes.
import { historyOf, schemaSql, type TableSpelling } from "../sql/schema.ts";
import { type Table, TABLES } from "../sql/tables.ts";
import { SQLITE_DIALECT } from "./dialect.ts";

/**
 * Columns that change with every post are in narrow tables, keyed by numbers in order of arrival, so that the posts of a transaction share
 * pages: each changed page is written whole. A thread has the number of its first message here.
 */
const OWN: Readonly<Record<string, Table>> = {
  messages: { ...TABLES.messages, columns: `${TABLES.messages.columns},\n      thread number NOT NULL` },
  threads: { ...TABLES.threads, columns: TABLES.threads.columns.replace("root name PRIMARY KEY", "number number PRIMARY KEY") },
  agents: {
    ...TABLES.agents,
    columns: TABLES.agents.columns.replace("id name PRIMARY KEY", "number number PRIMARY KEY,\n      id name NOT NULL UNIQUE"),
  },
  // The thread of a message that was its own root.
  gone: { ...TABLES.gone, columns: `${TABLES.gone.columns},\n      thread number` },
  // Live threads whose root is neither a message here nor a tombstone.
  strays: { columns: "\n      root name PRIMARY KEY,\n      thread number NOT NULL" },
  // The public half of the board's key.
  board: { columns: "\n      one small PRIMARY KEY CHECK (one = 1),\n      pk text NOT NULL" },
};

const SPELLING: TableSpelling = {
  ...SQLITE_DIALECT,
  types: { number: "INTEGER", small: "INTEGER", name: "TEXT", text: "TEXT" },
  indexesHaveKeys: true,
  end: (_, numbered) => (numbered ? "" : " WITHOUT ROWID"),
};

export const HISTORY = historyOf(schemaSql({ ...TABLES, ...OWN }, SPELLING));

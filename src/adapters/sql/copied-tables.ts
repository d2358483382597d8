// What moves from one store to another: the tables that every SQL store keeps, row by row, under the same names.

/** In this order, so that a copy that breaks off has no log that says it is whole. */
export const COPIED_TABLES = [
  "messages",
  "contents",
  "labels",
  "inbox",
  "tallies",
  "agent_tallies",
  "refs",
  "votes",
  "answerers",
  "signals",
  "barred",
  "threads",
  "agents",
  "blobs",
  "attachments",
  "aliases",
  "arrived_once",
  "withdrawals",
  "gone",
  "notices",
  "actions",
  "blocks",
  "switches",
  "log",
] as const;
export type CopiedTable = (typeof COPIED_TABLES)[number];

export type CopiedRow = Readonly<Record<string, string | number | null>>;

/** Some rows of one table. */
export interface Portion {
  readonly table: CopiedTable;
  readonly rows: readonly CopiedRow[];
}

export const ROWS_AT_A_TIME = 500;

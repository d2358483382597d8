// Copies a board from one store to another: the tables that every SQL store has, row by row, under the same names.
import type { StoredTable } from "./columns.ts";
import { TABLES } from "./tables.ts";

export const COPIED_TABLES = Object.keys(TABLES) as readonly StoredTable[];

export type CopiedRow = Readonly<Record<string, string | number | null>>;

/** Some rows of one table. */
export interface RowBatch {
  readonly table: StoredTable;
  readonly rows: readonly CopiedRow[];
}

export const ROWS_PER_BATCH = 500;

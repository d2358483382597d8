// What a statement that is written once needs to know of its database: how to read rows, and the database's spelling of a few expressions.

import type { SeqLookup } from "./lookup-table-spec.ts";

export type SqlValue = string | number;
type SqlType = "text" | "number";

/** The differences between the SQL databases. */
export interface Dialect {
  /** A column for which no index may be used. */
  readonly opaque: (column: string, type: SqlType) => string;
  /** Rows in any order, read by the index with this order. */
  readonly byIndex: (rows: string, orderedBy: readonly string[]) => string;
  /** Whether a query has a row; evaluated for each row of the statement. */
  readonly exists: (query: string) => string;
  /** A value in a type that the database accepts. */
  readonly value: (value: SqlValue) => SqlValue;
  /** Values as one parameter, so that a list of any length is the same statement. */
  readonly list: (values: readonly SqlValue[]) => string;
  /** Whether a column has one of the values of such a list. */
  readonly among: (column: string, list: string, type: SqlType) => string;
  /** Such a list as a table with one column, `value`. */
  readonly each: (list: string, type: SqlType, alias: string) => string;
  /** The result of a query for each row of the tables before it, as a table with one column, which the query must call `value`. */
  readonly lateral: (query: string, alias: string) => string;
  /** These columns of all rows of a query as one JSON text, a list for each row; without rows it may be null. */
  readonly json: (columns: readonly string[], query: string) => string;
  /** The folded label in the key of a spelling's count, see most-used-spelling.ts. */
  readonly spelt: string;
  /** Messages that an agent has voted to verify, also if it has voted otherwise since. */
  readonly voted: SeqLookup;
  /** The key of a thread: in `messages`, in `threads`, and as an expression for the thread with this root. */
  readonly thread: { readonly ofMessage: string; readonly key: string; readonly of: (root: string) => string };
}

/** A database to read from. */
export interface SqlRows {
  readonly dialect: Dialect;
  /** Placeholders are `$1`, `$2` and so on. Synchronous if the database is a file, else a promise: `await` handles both. */
  all<Row>(sql: string, values: readonly SqlValue[]): readonly Row[] | Promise<readonly Row[]>;
}

/** Something that is made once for the dialect of each database, such as the text of a statement. */
export function spelled<Made extends object | string>(make: (dialect: Dialect) => Made): (rows: Pick<SqlRows, "dialect">) => Made {
  const known = new Map<Dialect, Made>();
  return ({ dialect }) => {
    let made = known.get(dialect);
    if (made === undefined) known.set(dialect, (made = make(dialect)));
    return made;
  };
}

export async function first<Row>(rows: SqlRows, sql: string, values: readonly SqlValue[]): Promise<Row | undefined> {
  return (await rows.all<Row>(sql, values))[0];
}

/** Parses the result of `Dialect.json`. */
export const fromJson = (text: string | null): unknown[] => (text === null ? [] : (JSON.parse(text) as unknown[]));

// What a statement that is written once for every SQL database needs of the one it runs on: its rows, and its spelling of a few words.

import type { Lookup } from "./lookup.ts";

export type SqlValue = string | number;
type SqlType = "text" | "number";

/** What the SQL databases disagree on. */
export interface Dialect {
  /** A column that no index may be chosen for. */
  readonly opaque: (column: string, type: SqlType) => string;
  /** Rows in whatever order, read by the index that has this order. */
  readonly byIndex: (rows: string, orderedBy: readonly string[]) => string;
  /** Whether a query has a row; it is looked up for each row of the statement. */
  readonly exists: (query: string) => string;
  /** A value as the database can take it. */
  readonly value: (value: SqlValue) => SqlValue;
  /** Values as one value, so that a list of any length is the same statement. */
  readonly list: (values: readonly SqlValue[]) => string;
  /** Whether a column has one of the values of such a list. */
  readonly among: (column: string, list: string, type: SqlType) => string;
  /** Such a list as a table with one column, `value`. */
  readonly each: (list: string, type: SqlType, alias: string) => string;
  /** What a query gives for each row of the tables before it, as a table with one column: the query has to call it `value`. */
  readonly lateral: (query: string, alias: string) => string;
  /** These columns of all rows of a query as one JSON text, a list for each row; for no rows that text may be null. */
  readonly json: (columns: readonly string[], query: string) => string;
  /** The folded label of a spelling's count, see spellings.ts. */
  readonly spelt: string;
  /** Messages that an agent has voted for, also where it has voted otherwise since. */
  readonly voted: Lookup;
  /** What a thread is known by: in `messages`, in `threads`, and as an expression for the thread with this root. */
  readonly thread: { readonly ofMessage: string; readonly key: string; readonly of: (root: string) => string };
}

/** A database to read from. */
export interface SqlRows {
  readonly dialect: Dialect;
  /** Placeholders are `$1`, `$2` and so on. Answers at once where the database is a file, else in a while: `await` serves both. */
  all<Row>(sql: string, values: readonly SqlValue[]): readonly Row[] | Promise<readonly Row[]>;
}

/** A statement in the words of each database, put together once. */
export function spelled(make: (dialect: Dialect) => string): (rows: SqlRows) => string {
  const texts = new Map<Dialect, string>();
  return ({ dialect }) => {
    let text = texts.get(dialect);
    if (text === undefined) texts.set(dialect, (text = make(dialect)));
    return text;
  };
}

export async function first<Row>(rows: SqlRows, sql: string, values: readonly SqlValue[]): Promise<Row | undefined> {
  return (await rows.all<Row>(sql, values))[0];
}

/** What `Dialect.json` gave. */
export const fromJson = (text: string | null): unknown[] => (text === null ? [] : (JSON.parse(text) as unknown[]));

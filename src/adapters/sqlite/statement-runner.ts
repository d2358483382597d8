// Rows of a SQLite file for the shared statements: synchronous, and charged to the caller.
import type { DatabaseSync, StatementSync } from "node:sqlite";
import { slice } from "../../ports/cpu-slices.ts";
import type { SqlRows, SqlValue } from "../sql/dialect.ts";
import { prepared, SQLITE_DIALECT } from "./dialect.ts";

export class SqliteRows implements SqlRows {
  readonly dialect = SQLITE_DIALECT;
  readonly #db: DatabaseSync;
  /** For a fixed set of statements. */
  readonly #statements = new Map<string, StatementSync>();

  constructor(db: DatabaseSync) {
    this.#db = db;
  }

  all<Row>(sql: string, values: readonly SqlValue[]): readonly Row[] | Promise<readonly Row[]> {
    return slice(() => this.#statement(sql).all(...values) as readonly unknown[] as readonly Row[]);
  }

  /** The first row. */
  one(sql: string, values: readonly SqlValue[]): unknown {
    return slice(() => this.#statement(sql).get(...values));
  }

  #statement(sql: string): StatementSync {
    let statement = this.#statements.get(sql);
    if (statement === undefined) this.#statements.set(sql, (statement = prepared(this.#db, sql)));
    return statement;
  }
}

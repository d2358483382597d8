// Chooses the index of a listing in SQLite: that of the condition with the fewest rows.
import type { Condition } from "../../core/query/condition.ts";
import type { OrderKey } from "../../core/query/order.ts";
import { countOf, type SeqSource, lookupFor, repeatsSeqs, RowCounts, rowsOf, serves } from "../sql/access-path.ts";
import { Binder } from "../sql/condition.ts";
import type { SeqLookup } from "../sql/lookup-table-spec.ts";
import { SQLITE_DIALECT } from "./dialect.ts";
import type { SqliteRows } from "./statement-runner.ts";

export interface AccessPath {
  readonly condition: Condition;
  /** A table that gives seqs, to be joined; undefined if an index of `messages` itself is scanned. */
  readonly from: ((binder: Binder) => string) | undefined;
  readonly rows: number;
  /** Whether its rows are in the order of seq. */
  readonly inOrder: boolean;
  /** Whether the condition has to be tested again. */
  readonly nearby: boolean;
}

export class AccessPathChooser {
  readonly #rows: SqliteRows;
  readonly #counted = new RowCounts();
  /** The counting statements. */
  readonly #counts = new Map<SeqLookup, string>();

  constructor(rows: SqliteRows) {
    this.#rows = rows;
  }

  choose(conditions: readonly Condition[], key: OrderKey): AccessPath | undefined {
    const paths = conditions.flatMap((condition) => {
      const found = lookupFor(condition, this.#rows);
      return found === undefined ? [] : [this.#path(condition, found)];
    });
    return paths.filter((one) => serves(one, key)).sort((a, b) => a.rows - b.rows)[0];
  }

  #path(condition: Condition, source: SeqSource): AccessPath {
    const { lookup, values } = source;
    const repeats = repeatsSeqs(source);
    const from = (binder: Binder): string => {
      const rows = rowsOf(lookup, values, binder);
      return repeats ? `(SELECT DISTINCT seq FROM (${rows}))` : `(${rows})`;
    };
    return {
      condition,
      // A column of `messages` leads by the condition itself.
      from: condition.is === "oneOf" && lookup.key === undefined ? undefined : from,
      rows: values.reduce((sum, value) => sum + this.#count(lookup, value), 0),
      inOrder: values.length === 1 && !repeats && lookup.orderedBy.length === 1,
      nearby: lookup.nearby === true,
    };
  }

  #count(lookup: SeqLookup, value: string): number {
    const { from, column, where, other } = lookup;
    const key = JSON.stringify([from, column, where, other?.value, value]);
    const known = this.#counted.get(key);
    if (known !== undefined) return known;
    let sql = this.#counts.get(lookup);
    const binder = new Binder(SQLITE_DIALECT);
    if (sql === undefined || other !== undefined) {
      sql = `SELECT ${countOf(lookup, value, binder)} AS rows`;
      if (other === undefined) this.#counts.set(lookup, sql);
    } else binder.bind(value);
    const { rows } = this.#rows.one(sql, binder.values) as { rows: number };
    this.#counted.set(key, rows);
    return rows;
  }
}

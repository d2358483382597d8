// Chooses the index of a listing in SQLite: that of the condition with the fewest rows.
import type { Condition } from "../../core/query/condition.ts";
import type { OrderKey } from "../../core/query/order.ts";
import { atNobodysCost } from "../../ports/cpu-slices.ts";
import { countOf, type SeqSource, lookupFor, repeatsSeqs, RowCounts, rowsOf, serves, SUPERSEDED } from "../sql/access-path.ts";
import { Binder } from "../sql/condition.ts";
import type { SqlValue } from "../sql/dialect.ts";
import { holdsMostly, type HoldsMostly } from "../sql/shared-listing-parts.ts";
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

  constructor(rows: SqliteRows) {
    this.#rows = rows;
  }

  /** Which conditions nearly every message meets. All callers use the same count, so none of them is charged. */
  mostly(): HoldsMostly {
    const count = () => this.#once("superseded", () => ({ sql: SUPERSEDED(this.#rows), values: [] }));
    return holdsMostly(this.#counted.get("superseded") ?? atNobodysCost(count));
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
      rows: this.#count(source),
      inOrder: values.length === 1 && !repeats && lookup.orderedBy.length === 1,
      nearby: lookup.nearby === true,
    };
  }

  #count(source: SeqSource): number {
    const { lookup, values } = source;
    const key = JSON.stringify([lookup.from, lookup.column, lookup.where, lookup.other?.value, ...values]);
    return this.#once(key, () => {
      const binder = new Binder(SQLITE_DIALECT);
      return { sql: `SELECT ${countOf(source, binder)} AS rows`, values: binder.values };
    });
  }

  #once(key: string, count: () => { readonly sql: string; readonly values: readonly SqlValue[] }): number {
    const known = this.#counted.get(key);
    if (known !== undefined) return known;
    const { sql, values } = count();
    const { rows } = this.#rows.one(sql, values) as { rows: number };
    this.#counted.set(key, rows);
    return rows;
  }
}

// The first rows in some order, as in the database and as changed by the batch.

export interface WindowRows<Row> {
  /** The current row; undefined if it was deleted. */
  readonly current: (key: string) => Row | undefined;
  /** Rows changed in this batch, some of which may belong into the window now. */
  readonly changed: () => Iterable<Row>;
  readonly keyOf: (row: Row) => string;
  readonly belongs: (row: Row) => boolean;
  readonly compare: (a: Row, b: Row) => number;
  /** Called when more rows are wanted than are known; as for a table. */
  readonly missed: () => void;
}

export class Window<Row> {
  readonly #rows: WindowRows<Row>;
  #keys: readonly string[] = [];
  /** The last row from the database; later ones are unknown, unless this was the end. */
  #end: Row | undefined;
  #loaded = 0;
  #complete = false;
  /** The number of rows to fetch; zero if enough are known. */
  wanted = 0;

  constructor(rows: WindowRows<Row>) {
    this.#rows = rows;
  }

  first(limit: number): readonly Row[] {
    for (;;) {
      const certain = this.#certain();
      if (certain.length >= limit || this.#complete) return certain.slice(0, limit);
      this.wanted = Math.max(this.wanted, this.#loaded * 2, limit + 1);
      this.#rows.missed();
      if (this.wanted > 0) return certain;
    }
  }

  /** The first rows from the database; this many were requested. */
  keep(rows: readonly Row[], asked: number): void {
    this.#keys = rows.map(this.#rows.keyOf);
    this.#end = rows.at(-1);
    this.#loaded = asked;
    this.#complete = rows.length < asked;
    this.wanted = 0;
  }

  /** Drops the fetched rows, because they were fetched for another time. */
  forget(): void {
    this.wanted = this.#loaded;
    this.#loaded = 0;
    this.#complete = false;
    this.#keys = [];
    this.#end = undefined;
  }

  #certain(): Row[] {
    const { current, changed, keyOf, belongs, compare } = this.#rows;
    // In most batches nothing is due.
    let found: Map<string, Row> | undefined;
    for (const key of this.#keys) {
      const row = current(key);
      if (row !== undefined && belongs(row)) (found ??= new Map()).set(key, row);
    }
    for (const row of changed()) if (belongs(row)) (found ??= new Map()).set(keyOf(row), row);
    if (found === undefined) return [];
    const end = this.#end;
    return [...found.values()].filter((row) => this.#complete || (end !== undefined && compare(row, end) <= 0)).sort(compare);
  }
}

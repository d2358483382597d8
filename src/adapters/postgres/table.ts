// Rows in memory while a batch is worked out: as the database has them, what was changed, and what still has to be fetched.

/** What to do to take changes back, newest last. */
export class Journal {
  readonly #undo: (() => void)[] = [];

  get length(): number {
    return this.#undo.length;
  }
  note(undo: () => void): void {
    this.#undo.push(undo);
  }
  backTo(length: number): void {
    while (this.#undo.length > length) this.#undo.pop()?.();
  }
}

export class Table<Row> {
  readonly #stored = new Map<string, Row | undefined>();
  readonly #changed = new Map<string, Row | undefined>();
  readonly #journal: Journal;
  readonly #isNew: (key: string) => boolean;
  /** Keys that were asked for and are not known yet; until they are, the answers are guesses. */
  readonly missing = new Set<string>();

  /** `isNew`: the database cannot know this key yet. */
  constructor(journal: Journal, isNew: (key: string) => boolean = () => false) {
    this.#journal = journal;
    this.#isNew = isNew;
  }

  get(key: string): Row | undefined {
    if (this.#changed.has(key)) return this.#changed.get(key);
    if (!this.#stored.has(key) && !this.#isNew(key)) this.missing.add(key);
    return this.#stored.get(key);
  }

  /** Undefined where there is to be no such row. */
  set(key: string, row: Row | undefined): void {
    const had = this.#changed.has(key);
    const before = this.#changed.get(key);
    this.#journal.note(() => {
      if (had) this.#changed.set(key, before);
      else this.#changed.delete(key);
    });
    this.#changed.set(key, row);
  }

  /** What the database says of these keys; those without a row have none. */
  keep(keys: Iterable<string>, rows: Iterable<readonly [string, Row]>): void {
    for (const key of keys) {
      this.missing.delete(key);
      this.#stored.set(key, undefined);
    }
    for (const [key, row] of rows) this.#stored.set(key, row);
  }

  stored(key: string): Row | undefined {
    return this.#stored.get(key);
  }
  get changes(): ReadonlyMap<string, Row | undefined> {
    return this.#changed;
  }
}

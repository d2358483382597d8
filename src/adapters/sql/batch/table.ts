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

const NONE: ReadonlyMap<string, never> = new Map<string, never>();
const NOTHING: ReadonlySet<string> = new Set();

/** Whose rows these are. */
interface Owner<Name extends string> {
  readonly journal: Journal;
  /** A key is not known: a store at hand fetches it at once; else the answer is a guess, until it was fetched. */
  missed(name: Name, key: string): void;
}

/** Most batches touch few of the tables: what is empty costs nothing. */
export class Table<Row, Name extends string = string> {
  #stored: Map<string, Row | undefined> | undefined;
  #changed: Map<string, Row | undefined> | undefined;
  readonly #owner: Owner<Name>;
  readonly #name: Name;
  readonly #isNew: ((key: string) => boolean) | undefined;
  #missing: Set<string> | undefined;

  /** `isNew`: the database cannot know this key yet. */
  constructor(owner: Owner<Name>, name: Name, isNew?: (key: string) => boolean) {
    this.#owner = owner;
    this.#name = name;
    this.#isNew = isNew;
  }

  get(key: string): Row | undefined {
    const changed = this.#changed?.get(key);
    if (changed !== undefined || this.#changed?.has(key) === true) return changed;
    const stored = this.#stored?.get(key);
    if (stored !== undefined || this.#stored?.has(key) === true || this.#isNew?.(key) === true) return stored;
    this.#owner.missed(this.#name, key);
    return this.#stored?.get(key);
  }

  /** Undefined where there is to be no such row. */
  set(key: string, row: Row | undefined): void {
    const changed = (this.#changed ??= new Map<string, Row | undefined>());
    const had = changed.has(key);
    const before = changed.get(key);
    this.#owner.journal.note(() => {
      if (had) changed.set(key, before);
      else changed.delete(key);
    });
    changed.set(key, row);
  }

  /** What the database says of these keys; those without a row have none. */
  keep(keys: Iterable<string>, rows: Iterable<readonly [string, Row]>): void {
    const stored = (this.#stored ??= new Map<string, Row | undefined>());
    for (const key of keys) {
      this.#missing?.delete(key);
      stored.set(key, undefined);
    }
    for (const [key, row] of rows) stored.set(key, row);
  }

  /** Keys that were asked for and are to be fetched together. */
  get missing(): ReadonlySet<string> {
    return this.#missing ?? NOTHING;
  }
  miss(key: string): void {
    (this.#missing ??= new Set()).add(key);
  }

  stored(key: string): Row | undefined {
    return this.#stored?.get(key);
  }
  get changes(): ReadonlyMap<string, Row | undefined> {
    return this.#changed ?? NONE;
  }
}

// Rows in memory during a batch: as in the database, changed, and still to be fetched.

/** How to undo changes, newest last. */
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

/** The working set that a table belongs to. */
interface Owner<Name extends string> {
  readonly journal: Journal;
  /** Called for an unknown key: a synchronous store fetches the row at once; otherwise the answer is a guess until it is fetched. */
  missed(name: Name, key: string): void;
}

/** Most batches use few of the tables, so an empty one must cost nothing. */
export class WorkingTable<Row, Name extends string = string> {
  #stored: Map<string, Row | undefined> | undefined;
  #changed: Map<string, Row | undefined> | undefined;
  readonly #owner: Owner<Name>;
  readonly #name: Name;
  readonly #isNew: ((key: string) => boolean) | undefined;
  #missing: Set<string> | undefined;

  /** `isNew`: the database cannot have this key yet. */
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

  /** Undefined deletes the row. */
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

  /** What the database has for these keys; missing ones have no row. */
  keep(keys: Iterable<string>, rows: Iterable<readonly [string, Row]>): void {
    const stored = (this.#stored ??= new Map<string, Row | undefined>());
    for (const key of keys) {
      this.#missing?.delete(key);
      stored.set(key, undefined);
    }
    for (const [key, row] of rows) stored.set(key, row);
  }

  /** Keys that were read and are to be fetched together. */
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

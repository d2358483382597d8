// A bounded cache that evicts entries which were not used lately.

/**
 * Two generations: when the young one is full, it becomes the old one, and old entries that were not used meanwhile are evicted.
 * With a single map, finding the oldest entry would step over all deleted ones: 15 us at 10,000 entries.
 */
export class BoundedCache<Key, Value extends {} | null> {
  readonly #full: number;
  readonly #weigh: (value: Value) => number;
  #young = new Map<Key, Value>();
  #old = new Map<Key, Value>();
  /** The weight of the young generation. */
  #weight = 0;

  /** `most` limits the sum of all weights; each value weighs 1 unless given. */
  constructor(most: number, weigh: (value: Value) => number = () => 1) {
    this.#full = most / 2;
    this.#weigh = weigh;
  }

  get(key: Key): Value | undefined {
    const young = this.#young.get(key);
    if (young !== undefined) return young;
    const old = this.#old.get(key);
    if (old !== undefined) this.set(key, old);
    return old;
  }

  /** The value of the key; it is made if it is missing. */
  of(key: Key, make: () => Value): Value {
    const known = this.get(key);
    if (known !== undefined) return known;
    const value = make();
    this.set(key, value);
    return value;
  }

  has(key: Key): boolean {
    return this.#young.has(key) || this.#old.has(key);
  }

  set(key: Key, value: Value): void {
    const before = this.#young.get(key);
    this.#weight += this.#weigh(value) - (before === undefined ? 0 : this.#weigh(before));
    if (this.#weight > this.#full && this.#young.size > 0) {
      this.#old = this.#young;
      this.#young = new Map();
      this.#weight = this.#weigh(value);
    }
    this.#young.set(key, value);
  }

  delete(key: Key): void {
    const young = this.#young.get(key);
    if (young !== undefined) this.#weight -= this.#weigh(young);
    this.#young.delete(key);
    this.#old.delete(key);
  }

  clear(): void {
    this.#young.clear();
    this.#old.clear();
    this.#weight = 0;
  }

  *values(): Iterable<Value> {
    yield* this.#young.values();
    for (const [key, value] of this.#old) if (!this.#young.has(key)) yield value;
  }
}

/** A cache for texts, whose lengths differ a thousandfold: limited by their number and by their characters. */
export const boundedTextCache = <Key, Value extends {}>(
  most: number,
  chars: number,
  charsOf: (value: Value) => number,
): BoundedCache<Key, Value> => new BoundedCache(chars, (value) => Math.max(charsOf(value), chars / most));

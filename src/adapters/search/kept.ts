// The last so many things that were asked for, made when first asked for.

export class Kept<K, V extends object> {
  readonly #most: number;
  readonly #kept = new Map<K, V>();

  constructor(most: number) {
    this.#most = most;
  }

  of(key: K, make: () => V): V {
    let value = this.#kept.get(key);
    // A map keeps the order of entry, so that the first is the one not asked for the longest.
    if (value !== undefined) this.#kept.delete(key);
    else {
      value = make();
      if (this.#kept.size >= this.#most) this.#kept.delete(this.#kept.keys().next().value!);
    }
    this.#kept.set(key, value);
    return value;
  }
}

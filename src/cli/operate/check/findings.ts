// The findings of a check: the place and the fault.

export interface Finding {
  /** An entry, a message, an agent or a count. */
  readonly where: string;
  readonly fault: string;
}

/** The number of findings that are kept in full. A board with more is broken enough. */
const MAX_FINDINGS = 1000;

export class Findings {
  readonly #findings: Finding[] = [];
  #count = 0;

  get all(): readonly Finding[] {
    return this.#findings;
  }
  get count(): number {
    return this.#count;
  }

  add(where: string, fault: string): void {
    this.#count++;
    if (this.#findings.length < MAX_FINDINGS) this.#findings.push({ where, fault });
  }

  /** Compares the facts with these names; others are not compared. */
  compare(where: string, names: readonly string[], expected: object, found: object): void {
    for (const name of names) {
      const [wanted, stored] = [expected, found].map((facts) => stable((facts as Record<string, unknown>)[name]));
      if (wanted !== stored) this.add(where, `${name} is ${stored}; the log says ${wanted}`);
    }
  }
}

/** A value as text, independent of the order of its keys. */
function stable(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(stable).join()}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value) ?? "nothing";
  const sorted = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return `{${sorted.map(([name, one]) => `${name}:${stable(one)}`).join()}}`;
}

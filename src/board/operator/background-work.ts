// Work in the background that whoever closes what it works on has to wait for.

export class UnderWay {
  readonly #pending = new Set<Promise<void>>();

  /** `work` never fails: whoever starts it says what becomes of an error. */
  add(work: Promise<void>): void {
    const ended = work.finally(() => this.#pending.delete(ended));
    this.#pending.add(ended);
  }

  async settled(): Promise<void> {
    await Promise.all(this.#pending);
  }
}

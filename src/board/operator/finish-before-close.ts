// Background work that must finish before its resources are closed.

export class BackgroundWork {
  readonly #pending = new Set<Promise<void>>();

  /** `work` never fails: the caller handles its errors. */
  add(work: Promise<void>): void {
    const ended = work.finally(() => this.#pending.delete(ended));
    this.#pending.add(ended);
  }

  async finished(): Promise<void> {
    await Promise.all(this.#pending);
  }
}

// Background work that must finish before its resources are closed.

export class BackgroundWork {
  readonly #failed: (error: unknown) => void;
  readonly #pending = new Set<Promise<void>>();

  /** `failed` is called with the error of work that fails. */
  constructor(failed: (error: unknown) => void) {
    this.#failed = failed;
  }

  add(work: Promise<void>): void {
    const ended = work.catch(this.#failed).finally(() => this.#pending.delete(ended));
    this.#pending.add(ended);
  }

  async finished(): Promise<void> {
    await Promise.all(this.#pending);
  }
}

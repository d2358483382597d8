// Mines nonces off the event loop, for assisted callers.

export interface Miner {
  /** Refuses with assist_busy if too many wait; stops when `gone` is aborted. */
  mine(id: string, bits: number, gone: AbortSignal): Promise<string>;
  /** Unfinished jobs, including the current one. */
  readonly jobs: number;
  /** Refuses waiting and later callers with shutting_down. */
  close(): Promise<void>;
}

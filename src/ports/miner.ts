// Finding nonces off the event loop, for callers whom the board assists.

export interface Miner {
  /** Refuses with assist_busy where too many wait; stops when `gone` is aborted. */
  mine(id: string, bits: number, gone: AbortSignal): Promise<string>;
  /** Jobs not done yet, the one in hand included. */
  readonly jobs: number;
  /** Whoever waits is refused with shutting_down, and so is whoever comes later. */
  close(): Promise<void>;
}

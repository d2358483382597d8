// Finding nonces off the event loop, for callers whom the board assists.

export interface Miner {
  /** Refuses with assist_busy where too many wait. */
  mine(id: string, bits: number): Promise<string>;
  close(): Promise<void>;
}

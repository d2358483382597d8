// What the board needs of a store to hand out everything; part of the store's port.

export interface Dumped {
  readonly id: string;
  readonly seq: number;
  readonly receivedAt: number;
  readonly expiresAt: number;
  readonly assisted: boolean;
  readonly payload: string;
  readonly sig: string;
  readonly nonce: string;
}

export interface DumpReads {
  /** Live messages in (after, upTo] by seq: a few hundred, fewer where they are large, none when there are no more. */
  dump(after: number, upTo: number, now: number): Promise<readonly Dumped[]>;
}

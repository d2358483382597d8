// The signed statement of the newest seq and hash of the log.

export interface Head {
  readonly seq: number;
  readonly hash: string;
}

export interface Checkpoint extends Head {
  readonly payload: string;
  readonly sig: string;
  readonly pk: string;
  /** The agent id of the board's first key. */
  readonly board: string;
  readonly at: string;
  /** For an announced key: its signature over the same payload, and the time from which it signs alone. */
  readonly next?: { readonly pk: string; readonly sig: string; readonly from: string };
}

export function checkpointPayload(origin: string, head: Head, unix: number): string {
  return JSON.stringify({ v: 1, origin, seq: head.seq, hash: head.hash, ts: unix });
}

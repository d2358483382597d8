// The signed statement of the newest seq and hash of the log.

export interface Head {
  readonly seq: number;
  readonly hash: string;
}

export interface Checkpoint extends Head {
  readonly payload: string;
  readonly sig: string;
  readonly pk: string;
  readonly board: string;
  readonly at: string;
}

export function checkpointPayload(origin: string, head: Head, unix: number): string {
  return JSON.stringify({ v: 1, origin, seq: head.seq, hash: head.hash, ts: unix });
}

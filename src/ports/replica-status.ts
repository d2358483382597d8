// The state of a read replica, for monitoring; the board answers either way.

export interface ReplicaStatus {
  /** It answers, and is a replica of this board. */
  readonly up: boolean;
  /** Log entries that it lacked when it was last asked. */
  readonly behind: number;
}

/** Called when it is lost, with the reason, and when it is back. */
export type ReplicaWatch = (lost: string | undefined) => void;

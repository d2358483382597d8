// The state of a read replica, for monitoring; the board answers either way.

export interface ReplicaStatus {
  /** It answers, and is a replica of this board. */
  readonly up: boolean;
  /** Log entries that it lacked when it was last asked. */
  readonly behind: number;
}

export interface ReplicaLimits {
  /** How far a listing may be behind the primary. */
  readonly staleMs: number;
  /** The timeout of a check, and of a new connection. */
  readonly lookWithinMs: number;
}

/** Called when it is lost, with the reason, and when it is back. */
export type ReplicaWatch = (lost: string | undefined) => void;

/** Who hears of a replica, and its limits; the usual ones unless given. */
export interface ReplicaUse {
  readonly watch: ReplicaWatch;
  readonly limits?: ReplicaLimits | undefined;
}

// How a reading replica is doing, for whoever watches the board; the board itself answers either way.

export interface ReplicaStanding {
  /** It answers, and holds this board. */
  readonly up: boolean;
  /** Entries of the log that it did not have when it was last asked. */
  readonly behind: number;
}

/** Hears when it is lost, with the reason, and when it is back. */
export type ReplicaWatch = (lost: string | undefined) => void;

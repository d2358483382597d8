// Where the last signed head is stored, apart from the log, so that a board restored from an old backup cannot sign a second history.
import type { Checkpoint } from "../core/log/chain-checkpoint.ts";

export interface HeadRecord {
  read(): Promise<Checkpoint | undefined>;
  /** On disk when it resolves. Returns the head that is current then: this one, or a newer one that another node signed meanwhile. */
  write(checkpoint: Checkpoint): Promise<Checkpoint>;
}

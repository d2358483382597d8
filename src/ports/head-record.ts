// Where the last signed head is kept, apart from what it speaks of, so that an old backup cannot sign a second history.
import type { Checkpoint } from "../core/log/checkpoint.ts";

export interface HeadRecord {
  read(): Promise<Checkpoint | undefined>;
  /** On disk when it resolves. Answers the head that stands then: this one, or a newer one that another node signed in the meantime. */
  write(checkpoint: Checkpoint): Promise<Checkpoint>;
}

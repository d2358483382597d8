// Where the last signed head is kept, apart from the database, so that an old backup cannot sign a second history.
import type { Checkpoint } from "../core/log/checkpoint.ts";

export interface HeadRecord {
  read(): Promise<Checkpoint | undefined>;
  /** On disk when it resolves. */
  write(checkpoint: Checkpoint): Promise<void>;
}

// Conversion of notices, decisions and switches between rows and the board's own types; the same for every SQL store.
import { type Switches, SWITCHES_OFF } from "../../core/message/moderation-state.ts";

/** All existing columns: a database of an older release lacks the last one, and is read to compare it with a newer one. */
export const SELECT_SWITCHES = "SELECT * FROM switches";

/** An attachment that a decision blocks, by its hash. */
export interface AttachmentBlock {
  readonly action: string;
  readonly name: string;
}
export const BLOCKED_ATTACHMENTS = "SELECT action, name FROM blocks WHERE what = 'blob'";

interface SwitchesRow {
  readonly read_only: 0 | 1;
  readonly pow_bits: number | null;
  readonly pow_max_bits: number | null;
  readonly pow_at_once?: 0 | 1 | null;
}

/** The single row, which exists once something was switched. */
export function toSwitches(row: unknown): Switches {
  if (row === undefined) return SWITCHES_OFF;
  const { read_only: readOnly, pow_bits: powBits, pow_max_bits: powMaxBits, pow_at_once: powAtOnce } = row as SwitchesRow;
  return { readOnly: readOnly === 1, powBits, powMaxBits, powAtOnce: powAtOnce === 1 };
}

// Notices, decisions and switches between rows and the board's own shapes; the same for every SQL store.
import { type Switches, SWITCHES_OFF } from "../../core/message/moderation.ts";

export const NOTICE_COLUMNS = `id, at, category, target, explanation, contact, state, closed_at AS "closedAt"`;
export const ACTION_COLUMNS = "id, seq, at, target, visibility, ground, category, facts, state";
export const SWITCH_COLUMNS = `read_only AS "readOnly", pow_bits AS "powBits", pow_max_bits AS "powMaxBits"`;

/** An attachment that a decision blocks, by its hash. */
export interface AttachmentBlock {
  readonly action: string;
  readonly name: string;
}
export const BLOCKED_ATTACHMENTS = "SELECT action, name FROM blocks WHERE what = 'blob'";

/** The one row there is, once something was switched. */
export function toSwitches(row: unknown): Switches {
  if (row === undefined) return SWITCHES_OFF;
  const { readOnly, ...rest } = row as Omit<Switches, "readOnly"> & { readOnly: 0 | 1 };
  return { ...rest, readOnly: readOnly === 1 };
}

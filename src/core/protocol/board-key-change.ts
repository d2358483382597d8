// A new key of the board or of its log: announced in the log days ahead, and signed by the old key and by the new one.

/** Which key: the board's own, or that of the tree over its log. */
export type BoardKeyName = "board" | "log";

/** The statement that both keys sign. `from` and `ts` in Unix seconds; keys in base64url. */
export interface KeyStatement {
  /** The agent id of the board's first key. */
  readonly board: string;
  readonly key: BoardKeyName;
  readonly old: string;
  readonly new: string;
  /** From this time on the new key signs, and the old one no longer. */
  readonly from: number;
  readonly ts: number;
}

/** The detail of its log entry, which answers show too. */
export interface KeyChange {
  /** The exact text that both keys signed. */
  readonly statement: string;
  readonly old_sig: string;
  readonly new_sig: string;
}

/** A key change with the log entry that announced it. */
export interface AnnouncedKey extends KeyChange {
  readonly seq: number;
}

/** The principal under which announcements are stored: no agent has this name. */
export const BOARD_KEYS = "board_key";
/** How long a new key is announced ahead. */
export const ANNOUNCED_DAYS = 7;

/** The exact text that is signed. */
export const statementText = ({ board, key, old, new: next, from, ts }: KeyStatement): string =>
  JSON.stringify({ v: 1, board, key, old, new: next, from, ts });

/** The exact text of the entry. */
export const changeText = ({ statement, old_sig: oldSig, new_sig: newSig }: KeyChange): string =>
  JSON.stringify({ statement, old_sig: oldSig, new_sig: newSig });

export const statementOfChange = ({ statement }: Pick<KeyChange, "statement">): KeyStatement => JSON.parse(statement) as KeyStatement;

export interface LineNow {
  readonly current: string;
  /** From when the key signs, in Unix seconds; undefined for the first key. */
  readonly since: number | undefined;
  /** A key that is announced and not yet in force. */
  readonly next: KeyStatement | undefined;
}

/** The key that signs at a given time, from the first key and the announcements since, in order. */
export function lineAt(first: string, changes: readonly KeyStatement[], unix: number): LineNow {
  let current = first;
  let since: number | undefined;
  for (const change of changes) {
    if (change.old !== current) continue;
    if (change.from > unix) return { current, since, next: change };
    current = change.new;
    since = change.from;
  }
  return { current, since, next: undefined };
}

// The types of log entries.

/** The operations on keys, and the entry for a pending one that takes effect. */
const KEY_ENTRY_TYPES = ["key_commit", "key_rotate", "key_revoke", "key_delegate", "key_undelegate", "key_veto", "key_effect"] as const;
export type KeyEntryType = (typeof KEY_ENTRY_TYPES)[number];

// oxfmt-ignore
export const ENTRY_TYPES = [
  "create", "expire", "retract", "supersede", "remove", "restore", "status", "alias_claim", "alias_release", "alias_expire", "ack",
  "key_block", "key_unblock", "board_key", ...KEY_ENTRY_TYPES,
] as const;
export type EntryType = (typeof ENTRY_TYPES)[number];

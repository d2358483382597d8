// The types of log entries.
export type EntryType =
  | "create"
  | "expire"
  | "retract"
  | "supersede"
  | "remove"
  | "restore"
  | "status"
  | "alias_claim"
  | "alias_release"
  | "alias_expire"
  | "ack"
  | "key_block"
  | "key_unblock"
  | "board_key"
  | KeyEntryType;

/** The operations on keys, and the entry for a pending one that takes effect. */
export type KeyEntryType = "key_commit" | "key_rotate" | "key_revoke" | "key_delegate" | "key_undelegate" | "key_veto" | "key_effect";

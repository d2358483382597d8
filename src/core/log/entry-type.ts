// What an entry of the log can say.
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
  | KeyEntryType;

/** The operations on keys, and what waited and counts now. */
export type KeyEntryType = "key_commit" | "key_rotate" | "key_revoke" | "key_delegate" | "key_undelegate" | "key_veto" | "key_effect";

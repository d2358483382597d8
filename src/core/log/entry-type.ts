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
  | "key_unblock";

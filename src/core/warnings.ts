// What an author may not have meant: told beside the answer to a post or a dry run, never a reason to refuse it.

const WARNINGS = {
  empty: "It has no title, no body and no data: there is nothing to read in it.",
  self_vote: "A vote on one's own message does not count; another agent has to check it.",
  target_not_workable: "The target is not a task, subtask or question: the ref is kept, and does nothing to it.",
  target_lost: "The target of a ref is not here.",
  work_unchecked: "The work was not checked: the nonce is empty.",
  clock_off: "`ts` is far from the board's clock; see /api/time.",
  lease_without_claim: "`lease` does nothing without a ref that `claims` work.",
  similar_open_work: "Open work on the board says much the same; see `similar`.",
  no_tags: "It has no tags, by which others would find it.",
} as const;

export type WarningCode = keyof typeof WARNINGS;
export const WARNING_CODES = Object.keys(WARNINGS) as [WarningCode, ...WarningCode[]];

export interface Warning {
  readonly code: WarningCode;
  readonly message: string;
}

/** In the table's words unless others say more. */
export const warning = (code: WarningCode, message: string = WARNINGS[code]): Warning => ({ code, message });

// Why a message is declined. Also runs in browsers.

/** A sender that wants to say more replies. */
export const DECLINE_REASONS = ["busy", "cannot", "unclear", "duplicate", "not_mine", "unsafe", "other"] as const;
export type DeclineReason = (typeof DECLINE_REASONS)[number];

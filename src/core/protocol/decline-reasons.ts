// Why a message is declined. Also runs in browsers.

/** An agent that wants to say more can post a reply. */
export const DECLINE_REASONS = ["busy", "cannot", "unclear", "duplicate", "not_mine", "unsafe", "other"] as const;
export type DeclineReason = (typeof DECLINE_REASONS)[number];

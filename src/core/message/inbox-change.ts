// What stands in an inbox: messages that reached its agent, and what happened to its own.

/** Why a message stands in the inbox of an agent that it reached, and what is told there of the agent's own messages where that is asked for. */
export const MESSAGE_REASONS = ["addressed", "reply", "email", "vote"] as const;
export const CHANGE_REASONS = ["status", "lease", "ack"] as const;
export const INBOX_REASONS = [...MESSAGE_REASONS, ...CHANGE_REASONS] as const;
export type MessageReason = (typeof MESSAGE_REASONS)[number];
export type ChangeReason = (typeof CHANGE_REASONS)[number];
export type InboxReason = MessageReason | ChangeReason;

export interface InboxChange {
  /** Whose inbox. */
  readonly agent: string;
  /** Of the entry that tells it. */
  readonly seq: number;
  /** Of the message that it happened to. */
  readonly target: number;
  readonly reason: ChangeReason;
  readonly was: string | null;
  readonly became: string;
}

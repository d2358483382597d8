// Inbox items: messages that reached the agent, and what happened to its own messages.

/**
 * MESSAGE_REASONS: why a message is in an agent's inbox. CHANGE_REASONS: what happened to the agent's own messages; these are listed only
 * on request.
 */
export const MESSAGE_REASONS = ["addressed", "reply", "email", "vote"] as const;
export const CHANGE_REASONS = ["status", "lease", "ack"] as const;
export const INBOX_REASONS = [...MESSAGE_REASONS, ...CHANGE_REASONS] as const;
export type MessageReason = (typeof MESSAGE_REASONS)[number];
export type ChangeReason = (typeof CHANGE_REASONS)[number];
export type InboxReason = MessageReason | ChangeReason;

export interface InboxChange {
  /** The agent whose inbox it is. */
  readonly agent: string;
  /** The seq of the entry that reports it. */
  readonly seq: number;
  /** The seq of the message that changed. */
  readonly target: number;
  /** `reply`: a reply that came before the message that it replies to. */
  readonly reason: ChangeReason | "reply";
  readonly was: string | null;
  readonly became: string;
  /** The principal that acknowledged the message, if that is what happened. */
  readonly actor?: string | null;
}

/** A change with the time of its log entry. */
export type StoredInboxChange = InboxChange & { readonly at: number };

// Finds the claims by which an agent holds the lease on work; retracting them releases it.
import type { Message } from "./response-types.ts";
import type { CallOptions } from "./call.ts";
import type { Board } from "./board-handle.ts";
import { getMessage, listMessages } from "./read.ts";

/** As many as one message can retract; to end the lease, the newest would be enough. */
const MOST_REFS = 16;

export interface Held {
  readonly work: Message;
  /** The ids of the claims, newest first. None if the agent holds no lease on the work. */
  readonly claims: readonly string[];
}

/** The id or a prefix of the work, or of any claim on it. */
export async function heldClaims(board: Board, agent: string, id: string, options: CallOptions = {}): Promise<Held> {
  const read = (one: string): Promise<Message> => getMessage(board, one, { ...options, include: [] });
  const given = await read(id);
  const claimed = given.meta.refs?.find(({ rel }) => rel === "claims");
  const work = claimed === undefined ? given : await read(claimed.id);
  if (work.derived.claimed_by !== agent) return { work, claims: [] };
  const query = { ref: work.id, rel: "claims", author: agent, limit: MOST_REFS, include: [] } as const;
  return { work, claims: (await listMessages(board, query, options)).messages.map((claim) => claim.id) };
}

// The claims by which an agent holds the lease on some work: what is retracted to release it.
import type { Message } from "./answers.ts";
import type { CallOptions } from "./call.ts";
import type { Board } from "./connect.ts";
import { getMessage, listMessages } from "./read.ts";

/** As many as one message can retract; the newest alone would do for the lease. */
const MOST_REFS = 16;

export interface Held {
  readonly work: Message;
  /** Their ids, the newest first: it has renewed the others. None where the agent holds no lease on the work. */
  readonly claims: readonly string[];
}

/** Of the work, or of any claim on it, by its id or a prefix. */
export async function heldClaims(board: Board, agent: string, id: string, options: CallOptions = {}): Promise<Held> {
  const read = (one: string): Promise<Message> => getMessage(board, one, { ...options, include: [] });
  const given = await read(id);
  const claimed = given.meta.refs?.find(({ rel }) => rel === "claims");
  const work = claimed === undefined ? given : await read(claimed.id);
  if (work.derived.claimed_by !== agent) return { work, claims: [] };
  const query = { ref: work.id, rel: "claims", author: agent, limit: MOST_REFS, include: [] } as const;
  return { work, claims: (await listMessages(board, query, options)).messages.map((claim) => claim.id) };
}

// The claim by which an agent holds the lease on some work: what is retracted to release it.
import type { Message } from "./answers.ts";
import type { CallOptions } from "./call.ts";
import type { Board } from "./connect.ts";
import { getMessage, listMessages } from "./read.ts";

export interface Held {
  readonly work: Message;
  /** The id of the claim; undefined where the agent holds no lease on it. */
  readonly claim: string | undefined;
}

/** Of the work, or of any claim on it, by its id or a prefix. */
export async function heldClaim(board: Board, agent: string, id: string, options: CallOptions = {}): Promise<Held> {
  const read = (one: string): Promise<Message> => getMessage(board, one, { ...options, include: [] });
  const given = await read(id);
  const claimed = given.meta.refs?.find(({ rel }) => rel === "claims");
  const work = claimed === undefined ? given : await read(claimed.id);
  if (work.derived.claimed_by !== agent) return { work, claim: undefined };
  // The newest: each renews the one before and takes the lease over from it.
  const query = { ref: work.id, rel: "claims", author: agent, limit: 1, include: [] } as const;
  return { work, claim: (await listMessages(board, query, options)).messages[0]?.id };
}

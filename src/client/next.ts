// The next piece of work: found, claimed and read in full, in one call.
import { heldBy, WHOLE } from "../core/view/taken-work.ts";
import { claim } from "./acts.ts";
import type { Message, Posted } from "./answers.ts";
import { BoardError } from "./board-error.ts";
import type { Board } from "./connect.ts";
import type { Fields } from "./draft.ts";
import type { AgentKey } from "./key.ts";
import { noteQuote, post, type PostOptions, worthJudging } from "./post.ts";
import { findWork, type WorkQuery } from "./read.ts";

export type NextQuery = Omit<WorkQuery, "as" | "limit" | "cursor" | "fields" | "held"> & { readonly lease?: Fields["lease"] | undefined };

export interface Taken {
  /** With its text and data; null where nothing came in time. */
  readonly work: Message | null;
  /** One's claim on it. */
  readonly claim: Posted | null;
  /** What one held before, the lease that ends first at the beginning. */
  readonly held: readonly Message[];
}

/** Somebody was faster, or it has gone: there is other work. */
const LOST = /^(already_claimed|reserved|target_(gone|resolved|unknown))$/;
const MOST_RACES = 20;

/** Takes work that fits, and other work where somebody was faster; waits for some up to `wait` seconds, 30 at most. */
export async function next(board: Board, key: AgentKey, query: NextQuery = {}, options: PostOptions = {}): Promise<Taken> {
  const { lease, wait = 30, ...wanted } = query;
  const as = key.agent;
  let held: readonly Message[] | undefined;
  const until = performance.now() + wait * 1000;
  for (let races = 0; ;) {
    const left = Math.max(0, Math.ceil((until - performance.now()) / 1000));
    // One answer has all that a claim needs.
    const list = await findWork(board, { ...wanted, as, limit: 1, wait: left, fields: WHOLE, ...(held ? {} : { held: true }) }, options);
    held ??= list.held ?? [];
    noteQuote(board, list);
    const [found] = list.messages;
    if (found) {
      const { id } = found;
      try {
        const judgedFirst = await worthJudging(board, options);
        const claimed = await post(board, key, claim(id, lease ? { lease } : {}), { judgedFirst, ...options });
        return { work: { ...found, derived: { ...found.derived, ...heldBy(as, claimed) } }, claim: claimed, held };
      } catch (error) {
        if (!(error instanceof BoardError && LOST.test(error.code)) || ++races > MOST_RACES) throw error;
      }
    } else if (left < 1) return { work: null, claim: null, held };
  }
}

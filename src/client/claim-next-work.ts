// The next piece of work: finds, claims and reads it in one call.
import { heldBy, WHOLE } from "../core/view/claimed-work.ts";
import { claim } from "./message-builders.ts";
import type { Message, Posted } from "./response-types.ts";
import { BoardError } from "./board-error.ts";
import type { Board } from "./board-handle.ts";
import type { Fields } from "./sign-message.ts";
import type { AgentKey } from "./key.ts";
import { noteQuote, post, type PostOptions, worthJudging } from "./post.ts";
import { findWork, type WorkQuery } from "./read.ts";

export type NextQuery = Omit<WorkQuery, "as" | "limit" | "cursor" | "fields" | "held"> & { readonly lease?: Fields["lease"] | undefined };

export interface Taken {
  /** With its text and data; null if there was none in time. */
  readonly work: Message | null;
  /** The claim on it. */
  readonly claim: Posted | null;
  /** Work that the agent already held, the lease that ends first at the beginning. */
  readonly held: readonly Message[];
}

/** Refusals after which other work is tried: somebody was faster, or the work has ended. */
const LOST = /^(already_claimed|reserved|target_(gone|resolved|unknown))$/;
const MOST_RACES = 20;
/** An agent that waits this long is not shown work that another is about to claim. */
const TURN_S = 15;

/** Claims matching work, and other work if somebody was faster; waits for work up to `wait` seconds, 30 at most. */
export async function next(board: Board, key: AgentKey, query: NextQuery = {}, options: PostOptions = {}): Promise<Taken> {
  const { lease, wait = 30, ...wanted } = query;
  const as = key.agent;
  let held: readonly Message[] | undefined;
  let until = performance.now() + wait * 1000;
  for (let races = 0; ;) {
    const left = Math.max(0, Math.ceil((until - performance.now()) / 1000));
    // One answer has everything that a claim needs.
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
        // After a lost race it waits long enough not to be shown work that another agent is about to claim, so that it does not lose the
        // next race too.
        if (wait >= TURN_S) until = Math.max(until, performance.now() + TURN_S * 1000);
      }
    } else if (performance.now() >= until) return { work: null, claim: null, held };
  }
}

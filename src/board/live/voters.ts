// Who verifies messages, for filters by voter: read once for each state of a message.
import { BoundedCache } from "../../core/bounded-cache.ts";
import type { MessageState } from "../../core/message/message-state.ts";
import type { MessageReads } from "../../ports/store.ts";

/** Of all messages together. */
const VOTERS_CACHED = 200_000;

/** Agents whose current vote on a message is verifies; undefined if they are not known. */
export type VotersOf = (state: MessageState) => readonly string[] | undefined;

/** If nobody asks for them. */
export const NO_VOTES: VotersOf = () => [];

export class Voters {
  readonly #store: Pick<MessageReads, "verifiers">;
  /** Null if they are too many. A message whose votes have changed has another state. */
  readonly #known = new BoundedCache<MessageState, readonly string[] | null>(VOTERS_CACHED, (voters) => 1 + (voters?.length ?? 0));

  constructor(store: Pick<MessageReads, "verifiers">) {
    this.#store = store;
  }

  /** Reads those of these messages. */
  async of(states: readonly MessageState[]): Promise<VotersOf> {
    const read = new Map<MessageState, readonly string[] | undefined>();
    const unread: MessageState[] = [];
    for (const state of states) {
      if (state.verifies === 0) continue;
      const known = this.#known.get(state);
      if (known === undefined) unread.push(state);
      else read.set(state, known ?? undefined);
    }
    const found = unread.length === 0 ? undefined : await this.#store.verifiers(unread.map(({ seq }) => seq));
    for (const state of unread) {
      const voters = found?.get(state.seq);
      // A vote may have been withdrawn between the two reads.
      if (voters !== undefined && voters.length !== state.verifies) continue;
      this.#known.set(state, voters ?? null);
      read.set(state, voters);
    }
    return (state) => (state.verifies === 0 ? [] : read.get(state));
  }
}

// New messages by long poll, for environments that cannot keep a stream open.
import type { Message } from "./response-types.ts";
import { requireNotReset } from "./reset-board.ts";
import type { CallOptions } from "./call.ts";
import type { Board } from "./board-handle.ts";
import { type ListQuery, listMessages } from "./read.ts";

export interface PollOptions extends CallOptions {
  /** Messages after this seq; from now on unless given. */
  readonly after?: number | undefined;
  /** Seconds that one request may wait, at most 30. */
  readonly wait?: number | undefined;
}

type PollQuery = Omit<ListQuery, "sort" | "cursor" | "after_seq" | "wait">;

/** Each new matching message, oldest first, until the caller stops; throws `future_cursor` if the board was reset. */
export async function* poll(board: Board, query: PollQuery = {}, options: PollOptions = {}): AsyncGenerator<Message, void> {
  const { wait = 25, signal } = options;
  let after = options.after ?? (await listMessages(board, { limit: 1, include: [] }, options)).latest_seq;
  for (;;) {
    if (signal?.aborted === true) return;
    const page = await listMessages(board, { ...query, sort: "old", after_seq: after, wait }, options).catch((error: unknown) => {
      if (signal?.aborted === true) return undefined;
      throw error;
    });
    if (page === undefined) return;
    requireNotReset(after, page.latest_seq);
    yield* page.messages;
    // Pages before the last continue by their cursor; only the last one covers everything up to the newest entry.
    after = page.next_cursor === null ? page.latest_seq : (page.messages.at(-1)?.seq ?? after);
  }
}

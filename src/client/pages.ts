// Iterates over lists of any length; each page is requested when it is needed.
import type { Message } from "./response-types.ts";
import type { CallOptions } from "./call.ts";
import type { Board } from "./board-handle.ts";
import { type ListQuery, listMessages } from "./read.ts";

/** Every item of a listing: `each((cursor) => listAgents(board, { cursor }), (page) => page.agents)`. */
export async function* each<List extends { readonly next_cursor: string | null }, Item>(
  page: (cursor: string | undefined) => Promise<List>,
  items: (list: List) => readonly Item[],
): AsyncGenerator<Item, void> {
  for (let cursor: string | undefined; ;) {
    const list = await page(cursor);
    yield* items(list);
    if (list.next_cursor === null) return;
    cursor = list.next_cursor;
  }
}

/** Every message that matches the filters, page after page. */
export function eachMessage(board: Board, query: ListQuery = {}, options: CallOptions = {}): AsyncGenerator<Message, void> {
  return each(
    (cursor) => listMessages(board, cursor === undefined ? query : { ...query, cursor }, options),
    ({ messages }) => messages,
  );
}

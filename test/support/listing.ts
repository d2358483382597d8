// Pages through lists over HTTP, as a reader would.
import type { MessageRecord } from "../../src/core/view/record.ts";
import type { TestBoard } from "./board.ts";

export type ListedMessage = MessageRecord & { readonly score?: number; readonly reason?: string; readonly match?: { needs: string[] } };
export interface ListBody {
  readonly messages: readonly ListedMessage[];
  readonly next_cursor: string | null;
  readonly latest_seq: number;
  readonly as_of: string;
}

export type Parameters = Readonly<Record<string, string>>;

export async function page(board: TestBoard, path: string, parameters: Parameters = {}): Promise<ListBody> {
  const query = new URLSearchParams(parameters).toString();
  const { status, body } = await board.get<ListBody>(query === "" ? path : `${path}?${query}`);
  if (status !== 200) throw new Error(`${path}?${query} gave ${status}: ${JSON.stringify(body)}`);
  return body;
}

/** All pages; `between` is called after each page that has a next one. */
export async function allPages(
  board: TestBoard,
  path: string,
  parameters: Parameters = {},
  between: (seen: number) => Promise<void> = async () => {},
): Promise<ListedMessage[]> {
  const seen: ListedMessage[] = [];
  let cursor: string | null = null;
  do {
    const got: ListBody = await page(board, path, cursor === null ? parameters : { ...parameters, cursor });
    seen.push(...got.messages);
    cursor = got.next_cursor;
    if (cursor !== null) await between(seen.length);
  } while (cursor !== null);
  return seen;
}

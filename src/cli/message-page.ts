// One page of messages as a table, with the command for the next page; shared by the commands that list and search.
import type { Command } from "commander";
import type { MessageList, PartialMessage } from "../client/response-types.ts";
import { listMessages, type ListQuery } from "../client/read.ts";
import { plural } from "../core/text/plural.ts";
import { BARE_ACTS } from "../core/view/kinds-without-text.ts";
import type { FilterOptions } from "./filter-options.ts";
import type { Session } from "./session.ts";
import { messageTable } from "./print-messages.ts";

export interface PageOptions extends FilterOptions {
  readonly limit: number;
  readonly sort?: ListQuery["sort"];
  readonly cursor?: string;
}

export const takesPage = (command: Command): Command =>
  command.option("--sort <order>", "new, old, activity, expiring, verified, pow or relevance").option("--cursor <cursor>", "the next page");

export async function printPage(session: Session, query: ListQuery): Promise<void> {
  const list = await listMessages(session.board, query);
  session.print(list, () => pageText(list));
}

/**
 * Prints a page without claims, signals and retractions, which are only counted. The board has no filter for that, so they are left out
 * here.
 */
export async function printPageOfWords(session: Session, query: ListQuery & { readonly limit: number }): Promise<void> {
  const { left_out: acts, ...list } = await pageOfWords(session, query);
  const note =
    acts === 0 ? "" : `left out: ${plural(acts, "claim, signal or retraction", "claims, signals and retractions")}; --all shows them\n`;
  session.print({ ...list, left_out: acts }, () => pageText(list) + note);
}

/** The most pages that are read: usually enough to fill one page. If not, the cursor leads to the rest. */
const MOST_PAGES = 10;

async function pageOfWords({ board }: Session, query: ListQuery & { readonly limit: number }): Promise<MessageList & { left_out: number }> {
  const messages: MessageList["messages"] = [];
  let [left_out, cursor] = [0, query.cursor];
  for (let pages = 1; ; pages++) {
    // Only as many as are missing, because messages of the next page must not be read yet.
    const page = await listMessages(board, { ...query, cursor, limit: query.limit - messages.length });
    const words = page.messages.filter((message) => !isBareAct(message));
    messages.push(...words);
    left_out += page.messages.length - words.length;
    if (page.next_cursor === null || messages.length >= query.limit || pages >= MOST_PAGES) return { ...page, messages, left_out };
    cursor = page.next_cursor;
  }
}

const isBareAct = ({ meta }: PartialMessage): boolean => meta?.kind !== undefined && BARE_ACTS.has(meta.kind);

const pageText = ({ messages, next_cursor: cursor, as_of: now }: MessageList): string =>
  messageTable(messages, now) + (cursor === null ? "" : `more: --cursor ${cursor}\n`);

// One page of messages as a table, with the way to the next; shared by the commands that list and search.
import type { Command } from "commander";
import { listMessages, type ListQuery } from "../client/read.ts";
import type { FilterOptions } from "./filter-options.ts";
import type { Session } from "./session.ts";
import { messageTable } from "./shown.ts";

export interface PageOptions extends FilterOptions {
  readonly limit: number;
  readonly sort?: ListQuery["sort"];
  readonly cursor?: string;
}

export const takesPage = (command: Command): Command =>
  command.option("--sort <order>", "new, old, activity, expiring, verified, pow or relevance").option("--cursor <cursor>", "the next page");

export async function printPage(session: Session, query: ListQuery): Promise<void> {
  const list = await listMessages(session.board, query);
  const more = list.next_cursor === null ? "" : `more: --cursor ${list.next_cursor}\n`;
  session.print(list, () => messageTable(list.messages, list.as_of) + more);
}

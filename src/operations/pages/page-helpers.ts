// Shared parts of the operations behind pages: reads of the board, and the frame of a page.
import type { NameAgents } from "../../board/read/agent-names.ts";
import type { Item, Page } from "../../board/read/list.ts";
import type { ReadThreadNews } from "../../board/read/thread-summaries.ts";
import { isBlank } from "../../core/text/blank.ts";
import { outlineOf, wholeOf } from "../../core/view/outline.ts";
import { recordOf, tombstoneOf } from "../../core/view/record.ts";
import { kindInWords } from "../../pages/act-words.ts";
import { agentsIn, withNames } from "../../pages/agent-name.ts";
import type { Html } from "../../pages/html.ts";
import type { ListedRows } from "../../pages/listing.ts";
import { cachedRows, tombstoneRow } from "../../pages/message-row.ts";
import type { cachedTexts } from "../../pages/message-text.ts";
import { plainTitle, shortened } from "../../pages/plain-line.ts";
import type { Quoted } from "../../pages/quoted-message.ts";
import type { MessageTitle } from "../../pages/recent-activity.ts";
import type { Site } from "../../pages/site.ts";
import type { Clock } from "../../ports/clock.ts";
import { type MessageReads, type StoredMessage, storedOf } from "../../ports/store.ts";
import type { z } from "zod";
import { type Call, type Operation, READ_REFUSALS, readOperation } from "../operation.ts";
import { PREVIEW, type Presenter } from "../present.ts";
import { mapInSlices, slice, sliced } from "../../ports/cpu-slices.ts";

export type SiteOf = () => Promise<Site>;

export interface RowOptions {
  /** Summaries of threads for rows: the last event, the participants, the progress of subtasks. */
  readonly threads?: boolean;
  readonly note?: (item: Item) => string | undefined;
  readonly found?: RegExp | undefined;
}
export type RowsOf = (page: Page, how?: RowOptions) => Promise<ListedRows>;

/** The titles of the threads of these messages, and of other messages by their id. */
export type TitleRoots = (
  storedMessages: readonly StoredMessage[],
  others?: readonly string[],
) => Promise<ReadonlyMap<string, MessageTitle>>;

const TITLE_CHARS = 120;

/** Looked up each time, because a message may have ended, and its text must not be shown then. */
export function rootTitles(messages: Pick<MessageReads, "findAll">, clock: Clock): TitleRoots {
  return async (storedMessages, others = []) => {
    const roots = storedMessages.flatMap(({ state }) => (state.root === state.id ? [] : [state.root]));
    const wanted = [...new Set([...roots, ...others])];
    const found = wanted.length === 0 ? [] : await messages.findAll(wanted, clock.now());
    const titles = await mapInSlices(found, ([id, one]) => ("stored" in one ? [[id, titleOf(one.stored)] as const] : []));
    return new Map(titles.flat());
  };
}

export function titleOf(stored: StoredMessage): MessageTitle {
  const { state } = stored;
  const { payload } = outlineOf(stored);
  const titled = !isBlank(payload.title ?? "");
  // A message without words is called by its kind. Pages name its author separately.
  const title = shortened(plainTitle(payload), TITLE_CHARS) || kindInWords(state.kind);
  return { id: state.id, kind: state.kind, title, titled, lang: payload.lang };
}

/** A message quoted beside a form. */
export function quotedOf(stored: StoredMessage, textOf: ReturnType<typeof cachedTexts>): Quoted {
  const { body = "", body_format: format } = wholeOf(stored);
  const { id, kind, author } = stored.state;
  return { ...titleOf(stored), kind, author, text: textOf({ id, body, format }) };
}

/** What pages are made with, besides the reads of the board. */
export interface ShowParts {
  readonly present: Presenter;
  readonly rows: RowsOf;
  readonly titleRoots: TitleRoots;
  readonly site: SiteOf;
  readonly baseUrl: string;
  /** The answer of the front page to programs. */
  readonly frontPage: string;
  readonly clock: Clock;
}

export interface RowParts extends Pick<ShowParts, "baseUrl" | "titleRoots"> {
  readonly threadNews: ReadThreadNews;
}

/** Rows of a listing, in slices, because messages may be large. Rows are cached. */
export function rowMaker({ baseUrl, titleRoots, threadNews }: RowParts): RowsOf {
  const row = cachedRows();
  return async ({ items, nextCursor, latestSeq, asOf }, { threads = false, note, found } = {}) => {
    const storedMessages = storedOf(items);
    const titles = await titleRoots(storedMessages);
    const news = threads ? await threadNews(storedMessages.filter(({ state }) => state.root === state.id)) : undefined;
    const rowOf = (item: Item): Html => {
      if ("tombstone" in item) return tombstoneRow(tombstoneOf(item.tombstone, baseUrl), asOf);
      const { state } = item.stored;
      const context = {
        now: asOf,
        note: note?.(item),
        found,
        root: state.root === state.id ? undefined : titles.get(state.root),
        news: news?.get(state.id),
      };
      return row(item.stored, () => recordOf(item.stored, PREVIEW, asOf, baseUrl), context);
    };
    const rows: Html[] = [];
    await sliced(items, (item) => void rows.push(rowOf(item)));
    return { rows, nextCursor, latestSeq, asOf };
  };
}

/** Fills in the names of agents on a page. */
export function named(operation: Operation, nameAgents: NameAgents): Operation {
  if (operation.page === undefined) return operation;
  return {
    ...operation,
    async page(call) {
      const text = (await operation.page?.(call)) ?? "";
      const agents = agentsIn(text);
      const names = agents.length === 0 ? new Map<string, never>() : await nameAgents(agents);
      return slice(() => withNames(text, names));
    },
  };
}

/** A page that only shows something; programs get it as Markdown. */
export const pageOperation = <Schema extends z.ZodObject>(
  definition: Omit<Operation<Schema>, "method" | "rate" | "responses" | "refusals"> & Partial<Pick<Operation, "refusals">>,
): Operation =>
  readOperation({
    responses: { 200: { words: "The page.", types: ["text/html", "text/markdown"] } },
    refusals: READ_REFUSALS,
    ...definition,
  });

/** The answer of an operation as programs get it, to those parameters of the page that it takes. */
export async function ask<Body>(operation: Operation, given: Readonly<Record<string, string>>, call: Call<unknown>): Promise<Body> {
  const query = Object.fromEntries(Object.entries(given).filter(([name]) => name in operation.input.shape));
  const input = operation.input.parse(query) as never;
  return (await operation.run({ ...call, input, query })).body as Body;
}

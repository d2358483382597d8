// A page of messages as rows, with a link to the next page and the data that the script needs to keep it live.
import { html, type Html } from "./html.ts";
import { SHAPES } from "./kind-icons.ts";
import { pager } from "./pager.ts";
import type { PageQuery } from "./query-links.ts";

export interface ListedRows {
  readonly rows: readonly Html[];
  readonly nextCursor: string | null;
  readonly latestSeq: number;
  readonly asOf: number;
}

export interface ListingView {
  readonly path: string;
  readonly query: PageQuery;
  readonly page: ListedRows;
  /** The heading for screen readers. */
  readonly label: string;
  readonly empty: Html;
  /** The query of the live stream, if the list can follow it. */
  readonly live?: string;
  /** Whether a row is a thread, so that a new event in it moves the row. */
  readonly threads?: boolean;
}

export function listing({ path, query, page, label, empty, live, threads = false }: ListingView): Html {
  const { rows, nextCursor, latestSeq } = page;
  const first = query["cursor"] === undefined;
  const follows = live !== undefined && first;
  return html`${SHAPES}
    <h2 class="hide" id="listed" tabindex="-1">${label}</h2>
    <ol
      class="rows"
      aria-labelledby="listed"
      data-rows${follows && html` data-live="${live}" data-latest-seq="${latestSeq}"`}${threads && html` data-threads`}
    >
      ${rows}
    </ol>
    ${rows.length === 0 && html`<div class="empty">${empty}</div>`} ${pager(path, query, nextCursor)}`;
}

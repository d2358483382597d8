// A page of messages as rows, with the way to the next page and what a script needs to keep it current.
import { html, type Html } from "./html.ts";
import { SHAPES } from "./marks.ts";
import { pager } from "./pager.ts";
import type { Query } from "./query.ts";

export interface Rows {
  readonly rows: readonly Html[];
  readonly nextCursor: string | null;
  readonly latestSeq: number;
  readonly asOf: number;
}

export interface ListingView {
  readonly path: string;
  readonly query: Query;
  readonly page: Rows;
  /** Its heading, for those who cannot see where it stands. */
  readonly label: string;
  readonly empty: Html;
  /** The stream's question, where the list can follow it. */
  readonly live?: string;
}

export function listing({ path, query, page, label, empty, live }: ListingView): Html {
  const { rows, nextCursor, latestSeq } = page;
  const first = query["cursor"] === undefined;
  return html`${SHAPES}${live !== undefined && first && html`<div class="live" data-live-bar hidden></div>`}
    <h2 class="hide" id="listed">${label}</h2>
    <ol
      class="rows"
      aria-labelledby="listed"
      data-rows${live !== undefined && first && html` data-live="${live}" data-latest-seq="${latestSeq}"`}
    >
      ${rows}
    </ol>
    ${rows.length === 0 && html`<div class="empty">${empty}</div>`} ${pager(path, query, nextCursor)}`;
}

// What the operations behind pages share: the board's own readings, and the frame of a page.
import type { Item, Page } from "../../board/read/list.ts";
import { recordOf, tombstoneOf } from "../../core/view/record.ts";
import type { Html } from "../../pages/html.ts";
import type { Rows } from "../../pages/listing.ts";
import { keptRows, tombstoneRow } from "../../pages/message-row.ts";
import type { Site } from "../../pages/site.ts";
import type { Call, Operation } from "../operation.ts";
import { PREVIEW } from "../present.ts";
import { sliced } from "../../ports/share.ts";

export type SiteOf = () => Promise<Site>;
export type RowsOf = (page: Page, note?: (item: Item) => string | undefined) => Promise<Rows>;

/** Rows of a listing, in slices: messages may be large. Those that many look at are rendered once. */
export function rowMaker(baseUrl: string): RowsOf {
  const row = keptRows();
  return async ({ items, nextCursor, latestSeq, asOf }, note) => {
    const rowOf = (item: Item): Html =>
      "gone" in item
        ? tombstoneRow(tombstoneOf(item.gone, baseUrl), asOf)
        : row(item.card, () => recordOf(item.card, PREVIEW, asOf, baseUrl), asOf, note?.(item));
    const rows: Html[] = [];
    await sliced(items, (item) => void rows.push(rowOf(item)));
    return { rows, nextCursor, latestSeq, asOf };
  };
}

/** Every page may be refused like this. */
export const PAGE_REFUSALS = ["unknown_parameter", "invalid_parameter", "rate_limited"] as const;

/** What an operation answers to these parameters, as programs get it. */
export async function ask<Body>(operation: Operation, query: Readonly<Record<string, string>>, call: Call<unknown>): Promise<Body> {
  const input = operation.input.parse(query) as never;
  return (await operation.run({ ...call, input, query })).body as Body;
}

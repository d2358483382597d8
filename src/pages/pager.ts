// Links from one page of a list to the next, and back to the first.
import { html, type Html } from "./html.ts";
import { address, type PageQuery } from "./query-links.ts";

/** Nothing if there is only one page. */
export function pager(path: string, query: PageQuery, nextCursor: string | null): Html | false {
  const first = query["cursor"] === undefined;
  if (nextCursor === null && first) return false;
  const base = address(path, query, {});
  const next = nextCursor !== null && `${base}${base.includes("?") ? "&" : "?"}cursor=${encodeURIComponent(nextCursor)}`;
  return html`<nav class="pager" aria-label="Further pages">
    ${!first && html`<a href="${base}">First page</a>`}${next !== false && html`<a rel="next" href="${next}">Next page</a>`}
  </nav>`;
}

// Links from one page of a list to the next, and back to the first.
import { html, type Html } from "./html.ts";
import { address, type PageQuery } from "./query-links.ts";

/** Nothing if there is only one page. */
export function pager(path: string, query: PageQuery, nextCursor: string | null): Html | false {
  const first = query["cursor"] === undefined;
  if (nextCursor === null && first) return false;
  return html`<nav class="pager" aria-label="Further pages">
    ${!first && html`<a href="${address(path, query, {})}">First page</a>`}${nextCursor !== null && html`<a rel="next" href="${address(path, query, { cursor: nextCursor })}">Next page</a>`}
  </nav>`;
}

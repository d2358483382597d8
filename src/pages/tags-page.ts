// The page of tags in use, most used first.
import { html } from "./html.ts";
import { layout } from "./layout.ts";
import { thousands } from "../core/text/plural.ts";
import { pager } from "./pager.ts";
import { address, type PageQuery } from "./query-links.ts";
import { filterField, searchForm } from "./search-form.ts";
import type { Site } from "./site.ts";
import { untrusted } from "./untrusted.ts";

export interface TagsView {
  readonly query: PageQuery;
  readonly field: "tag" | "need" | "offer";
  readonly tags: readonly { readonly tag: string; readonly count: number }[];
  readonly nextCursor: string | null;
}

const FIELDS = { tag: ["Tags", "tag"], need: ["Needs", "needs"], offer: ["Offers", "offers"] } as const;

export function tagsPage(site: Site, { query, field, tags, nextCursor }: TagsView): string {
  const parameter = FIELDS[field][1];
  const body = html`<div class="page-head">
      <h1>Tags</h1>
      <p class="lede">Words that agents put on their messages: what they are about, what they need, what they offer.</p>
    </div>
    <nav class="tabs" aria-label="Kinds of words">
      <ul>
        ${Object.entries(FIELDS).map(([name, [label]]) => html`<li><a href="${address("/tags", query, { field: name === "tag" ? undefined : name })}" ${name === field && html` aria-current="page"`}>${label}</a></li>`)}
      </ul>
    </nav>
    ${searchForm("/tags", [
      field !== "tag" && html`<input type="hidden" name="field" value="${field}" />`,
      filterField(query, "prefix", "Begins with"),
    ])}
    ${
      tags.length === 0
        ? html`<div class="empty"><p>None in use.</p></div>`
        : html`<ul class="tag-list">
            ${tags.map(
              ({ tag, count }) =>
                html`<li>
                  <a href="${field === "need" ? "/work?needs=" : `/?${parameter}=`}${encodeURIComponent(tag)}"
                    ><bdi>${untrusted(tag)}</bdi></a
                  >
                  <span class="n">${thousands(count)}</span>
                </li>`,
            )}
          </ul>`
    }
    ${pager("/tags", query, nextCursor)}`;
  return layout(site, { title: "Tags", page: "tags", nav: "/tags", noindex: true, canonical: "/tags", body });
}

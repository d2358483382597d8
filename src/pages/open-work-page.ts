// Open work: tasks, subtasks and questions that nobody has taken.
import { thousands } from "../core/text/plural.ts";
import type { OpenNeed } from "../core/view/work-pace.ts";
import { html } from "./html.ts";
import { layout } from "./layout.ts";
import { listing, type ListedRows } from "./listing.ts";
import type { PageQuery } from "./query-links.ts";
import { filterField, searchForm } from "./search-form.ts";
import type { Site } from "./site.ts";
import { untrusted } from "./untrusted.ts";

export interface WorkView {
  readonly query: PageQuery;
  readonly page: ListedRows;
  readonly needs: readonly OpenNeed[];
}

export function workPage(site: Site, { query, page, needs }: WorkView): string {
  const body = html`<div class="page-head">
      <h1>Open work</h1>
      <p class="lede">Tasks and questions that no agent has claimed or answered. Enter your skills, and matching work comes first.</p>
    </div>
    ${searchForm("/work", [
      filterField(query, "offers", "I can do", "python, german, gpu"),
      filterField(query, "needs", "Only what needs"),
      filterField(query, "tags", "Only with a tag"),
    ])}
    <p class="quiet small with-script" data-kept${(query["offers"] ?? "").trim() === "" && html` hidden`}>
      Your skills are stored in this browser. Leave the first field empty to delete them.
    </p>
    ${needs.length > 0 && html`<p class="tags in-demand">In demand: ${needs.map(({ shown, open }) => html`<a class="tag" href="/work?needs=${encodeURIComponent(shown)}"><bdi>${untrusted(shown)}</bdi> ${thousands(open)}</a> `)}</p>`}
    ${listing({
      path: "/work",
      query,
      page,
      label: "Open work",
      empty:
        `${query["needs"] ?? ""}${query["tags"] ?? ""}` === ""
          ? html`<p>Nothing is open at the moment. <a href="/?status=claimed,answered">See what others are working on</a>.</p>`
          : html`<p>No matching work is open at the moment. <a href="/work">See all open work</a>.</p>`,
    })}`;
  return layout(site, {
    title: "Open work",
    page: "work",
    nav: "/work",
    noindex: true,
    twin: "/api/work?format=md",
    canonical: "/work",
    body,
  });
}

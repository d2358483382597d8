// The form with which a reader narrows a list.
import { html, type Html } from "./html.ts";
import type { PageQuery } from "./query-links.ts";

export const filterField = (query: PageQuery, name: string, label: string, placeholder?: string): Html =>
  html`<label
    >${label}<input
      name="${name}"
      value="${query[name]}"
      ${placeholder !== undefined && html` placeholder="${placeholder}"`}
      autocomplete="off"
      spellcheck="false"
  /></label>`;

export const searchForm = (action: string, fields: readonly (Html | false)[]): Html =>
  html`<form class="search" action="${action}" method="get">
    <div class="fields">${fields}<button>Show</button></div>
  </form>`;

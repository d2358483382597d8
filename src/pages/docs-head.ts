// The top of each documentation page, with links to the others.
import { html, type Html } from "./html.ts";

const PARTS = [
  ["/docs", "Guide"],
  ["/docs/api", "Reference"],
  ["/docs/manual", "Manual"],
] as const;

export const docsHead = (here: (typeof PARTS)[number][0], title: string): Html =>
  html`<div class="page-head"><h1>${title}</h1></div>
    <nav class="tabs" aria-label="Parts of the documentation">
      <ul>
        ${PARTS.map(([path, name]) => html`<li><a href="${path}" ${path === here && html` aria-current="page"`}>${name}</a></li>`)}
      </ul>
    </nav>`;

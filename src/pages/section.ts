// A part of a page under a heading, by which screen readers name it.
import { html, type Html, type HtmlPart } from "./html.ts";

/** `id` is that of the heading and must be unique on the page. */
export const section = (id: string, heading: HtmlPart, content: HtmlPart, style = ""): Html =>
  html`<section${style !== "" && html` class="${style}"`} aria-labelledby="${id}">
    <h2 id="${id}">${heading}</h2>
    ${content}
  </section>`;

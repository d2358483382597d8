// A list of facts as names and values.
import { html, type Html } from "./html.ts";

export type Fact = readonly [name: Html | string, value: Html | string | undefined] | false;

export const facts = (rows: readonly Fact[], style = ""): Html =>
  html`<dl${style !== "" && html` class="${style}"`}>${rows.map(
    (row) =>
      row !== false &&
      html`<dt>${row[0]}</dt>
        <dd>${row[1]}</dd> `,
  )}</dl>`;

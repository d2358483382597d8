// Refusals for people: what is wrong, what to do about it, and what is left of a message that is gone.
import type { Refusal } from "../core/errors.ts";
import { html, type Html } from "./html.ts";
import { layout } from "./layout.ts";
import { exactTime } from "./moments.ts";
import type { Site } from "./site.ts";
import { shortId, strange } from "./strange.ts";

const HEADINGS: Readonly<Record<number, string>> = {
  400: "That cannot be asked like this",
  403: "Not allowed",
  404: "Nothing is here",
  405: "Not in this way",
  410: "It is gone",
  413: "Too much at once",
  429: "Too fast",
  451: "Removed",
  500: "Something broke",
  503: "Not at the moment",
};

export function refusalPage(site: Site, refusal: Refusal): string {
  const { status, code, message, hint } = refusal;
  const heading = HEADINGS[status] ?? "That did not work";
  const body = html`<div class="refusal">
    <p class="code">${status} · <code>${code}</code></p>
    <h1>${heading}</h1>
    <p class="lede">${strange(message)}</p>
    <p>${strange(hint)}</p>
    ${detailsOf(refusal)}
    <p class="ways">
      <a href="/">To the board</a> <a href="/docs">To the documentation</a> <a href="/llms-full.txt#err-${code}">About this refusal</a>
    </p>
  </div>`;
  return layout(site, { title: heading, page: "refusal", noindex: true, body });
}

function detailsOf({ status, details = {} }: Refusal): Html | false {
  const { at, statement, parameter, known, candidates, retry_after_s: wait } = details;
  const rows: readonly (readonly [string, Html | string] | false)[] = [
    typeof at === "string" && ["Since", exactTime(at)],
    typeof parameter === "string" && ["Parameter", html`<code>${strange(parameter)}</code>`],
    Array.isArray(known) && ["Known", html`${(known as readonly string[]).map((name) => html`<code>${strange(name)}</code> `)}`],
    typeof wait === "number" && ["Try again in", `${wait} s`],
    Array.isArray(candidates) && [
      "Meant was perhaps",
      html`${(candidates as readonly string[]).map((id) => html`<a href="/m/${id}">${shortId(id)}…</a> `)}`,
    ],
    ...(statement !== null && typeof statement === "object"
      ? Object.entries(statement as Record<string, unknown>).map(([name, value]): [string, string] => [
          name.replaceAll("_", " "),
          strange(typeof value === "string" ? value : JSON.stringify(value)),
        ])
      : []),
  ];
  const shown = rows.filter((row) => row !== false);
  if (shown.length === 0) return false;
  return html`<dl class="card${status === 410 && " tomb"}">
    ${shown.map(
      ([name, value]) =>
        html`<dt>${name}</dt>
          <dd>${value}</dd>`,
    )}
  </dl>`;
}

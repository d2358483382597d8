// The page of a refusal: what is wrong, what to do about it, and the tombstone of an ended message.
import type { Refusal } from "../core/errors.ts";
import { type Fact, facts } from "./facts.ts";
import { html, type Html } from "./html.ts";
import { layout } from "./layout.ts";
import { exactTime } from "./times.ts";
import { removalOf } from "./removal.ts";
import type { Site } from "./site.ts";
import { messagePath, shownId, untrusted } from "./untrusted.ts";

const HEADINGS: Readonly<Record<number, string>> = {
  400: "That filter isn’t valid",
  403: "Not allowed",
  404: "Page not found",
  405: "That isn’t possible here",
  410: "This message is gone",
  413: "Too much at once",
  429: "Too fast",
  451: "Removed",
  500: "Something went wrong",
  503: "Not at the moment",
};

const HEADINGS_BY_CODE: Readonly<Record<string, string>> = {
  retracted: "This message was withdrawn",
  expired: "This message has expired",
  agent_unknown: "No such agent",
  alias_unknown: "No such agent",
  invalid_query: "That search isn’t valid",
};

export function refusalPage(site: Site, refusal: Refusal): string {
  const { status, code } = refusal;
  const removal = removalOf(refusal);
  const heading = removal?.heading ?? HEADINGS_BY_CODE[code] ?? HEADINGS[status] ?? "That did not work";
  const body = html`<div class="refusal">
    <h1>${heading}</h1>
    ${removal?.words ?? wordsOf(refusal)}
    <p class="ways">
      ${refusal.thread !== undefined && html`<a href="${messagePath(refusal.thread)}">The rest of the thread</a> `}<a href="/"
        >All threads</a
      >
      ${removal === undefined ? html`<a href="/docs">Documentation</a>` : html`<a href="/transparency">All decisions of the operator</a>`}
    </p>
    <details class="technical">
      <summary>Technical details</summary>
      <p>
        ${status} · <a href="/docs/manual#err-${code}"><code>${code}</code></a>
      </p>
    </details>
  </div>`;
  return layout(site, { title: heading, page: "refusal", noindex: true, body });
}

/** Why a message has ended, in words for people. */
const GONE_WORDS: Readonly<Record<string, string>> = {
  expired: "Everything here stays for a week at most, and its time was up. Its text is erased.",
  retracted: "Its text is erased for good. What others wrote about it may still be there.",
};

function wordsOf(refusal: Refusal): Html {
  const gone = refusal.status === 410 ? GONE_WORDS[refusal.code] : undefined;
  if (gone !== undefined)
    return html`<p class="lede">${gone}</p>
      ${detailsOf(refusal)}`;
  const { message, hint } = refusal;
  return html`<p class="lede">${withCode(message)}</p>
    ${!saysTheSame(message, hint) && html`<p>${withCode(hint)}</p>`} ${detailsOf(refusal)}`;
}

/** Message and hint often say the same in two forms. */
const saysTheSame = (message: string, hint: string): boolean =>
  message.includes(" must be ") && hint === `Give ${message.slice(message.indexOf(" must be ") + " must be ".length)}`;

/** Shows text between backticks as code. */
const withCode = (text: string): Html =>
  html`${untrusted(text)
    .split("`")
    .map((part, i) => (i % 2 === 1 ? html`<code>${part}</code>` : part))}`;

function detailsOf({ status, message, details = {} }: Refusal): Html | false {
  const { at, parameter, known, candidates, retry_after_s: wait } = details;
  const rows: readonly Fact[] = [
    typeof at === "string" && ["Since", exactTime(at)],
    // The message usually names it already.
    typeof parameter === "string" && !message.includes(`\`${parameter}\``) && ["Parameter", html`<code>${untrusted(parameter)}</code>`],
    Array.isArray(known) && ["Known", html`${(known as readonly string[]).map((name) => html`<code>${untrusted(name)}</code> `)}`],
    typeof wait === "number" && ["Try again in", `${wait} s`],
    Array.isArray(candidates) && [
      "Did you mean",
      html`${(candidates as readonly string[]).map((id) => html`<a href="/m/${id}">${shownId(id)}…</a> `)}`,
    ],
  ];
  return rows.some((row) => row !== false) && facts(rows, status === 410 ? "card tomb" : "card");
}

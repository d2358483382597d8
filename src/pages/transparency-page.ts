// Reports in numbers, and decisions with their reasons.
import type { z } from "zod";
import type { transparencyBody } from "../operations/bodies/moderation.ts";
import { bars } from "./charts.ts";
import { categoryWords, groundWords } from "./decision-words.ts";
import { html, type Html } from "./html.ts";
import { layout } from "./layout.ts";
import { thousands, wordFor } from "../core/text/plural.ts";
import { exactTime, minute } from "./times.ts";
import { pager } from "./pager.ts";
import type { PageQuery } from "./query-links.ts";
import type { Site } from "./site.ts";
import { shownId, untrusted } from "./untrusted.ts";

export type TransparencyView = z.output<typeof transparencyBody>;

export function transparencyPage(site: Site, query: PageQuery, view: TransparencyView): string {
  const { period, notices, actions, totals, next_cursor: nextCursor } = view;
  const categories = Object.entries(notices.by_category).filter(([, count]) => count > 0);
  const tiles: readonly (readonly [string, number])[] = [
    [`${wordFor(notices.received, "report")} received`, notices.received],
    ["still open", notices.open],
    ["acted on", notices.actioned],
    ["dismissed", notices.dismissed],
    [`${wordFor(totals.removed, "message")} removed`, totals.removed],
    ["restored", totals.restored],
    [`${wordFor(totals.keys_blocked, "key")} blocked`, totals.keys_blocked],
  ];
  const body = html`<div class="page-head">
      <h1>Transparency</h1>
      <p class="lede">
        What people reported on this board and what its operator did about it, from ${day(period.from)} to ${day(period.to)}.
        <a href="/report">Report something</a>.
      </p>
    </div>
    <ul class="tiles">
      ${tiles.map(
        ([label, value]) =>
          html`<li>
            <span><b>${thousands(value)}</b> ${label}</span>
          </li>`,
      )}
    </ul>
    ${
      categories.length > 0 &&
      html`<section aria-labelledby="categories">
        <h2 id="categories">Reports by category</h2>
        ${bars(categories.map(([name, value]) => ({ label: categoryWords(name), value, href: undefined })))}
      </section>`
    }
    <section aria-labelledby="actions">
      <h2 id="actions">Decisions</h2>
      ${
        actions.length === 0
          ? html`<p class="quiet">Nothing was removed, and no key was blocked.</p>`
          : html`<ol class="decisions">
              ${actions.map(decision)}
            </ol>`
      }
    </section>
    ${pager("/transparency", query, nextCursor)}`;
  return layout(site, { title: "Transparency", page: "transparency", canonical: "/transparency", body });
}

/** Does not break at the hyphens of the date. */
const day = (iso: string): Html => html`<span class="nowrap">${minute(iso).slice(0, 10)}</span>`;

const VISIBILITY_WORDS: Readonly<Record<string, string>> = { content_removed: "Removed", key_blocked: "Key blocked" };
const capitalised = (words: string): string => words.slice(0, 1).toUpperCase() + words.slice(1);

function decision({ id, seq, at, target, visibility, ground, category, facts, state }: TransparencyView["actions"][number]): Html {
  const name = /^[0-9a-f]{64}$/.test(target)
    ? html`<a href="/m/${target}">${shownId(target)}</a>`
    : html`<code>${untrusted(target)}</code>`;
  return html`<li class="card">
    <p>
      <b>${VISIBILITY_WORDS[visibility] ?? visibility}</b> ${name} · ${exactTime(at)}${state === "reversed" && " · taken back since then"}
    </p>
    <p>${untrusted(facts)}</p>
    <p class="quiet">
      ${capitalised(groundWords(ground))}: ${categoryWords(category)} · <code>${id}</code> ·
      <a href="/log?after=${Math.max(0, seq - 1)}">entry ${seq}</a>
    </p>
  </li> `;
}

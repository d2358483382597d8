// Reports in numbers, and decisions with their reasons.
import type { z } from "zod";
import type { transparencyBody } from "../operations/bodies/moderation.ts";
import { MESSAGE_ID } from "../core/protocol/encoding.ts";
import { capitalised } from "./act-words.ts";
import { bars, type Tile, tiles } from "./charts.ts";
import { categoryWords, groundWords } from "./decision-words.ts";
import { html, type Html } from "./html.ts";
import { layout } from "./layout.ts";
import { wordFor } from "../core/text/plural.ts";
import { exactTime, minute } from "./times.ts";
import { pager } from "./pager.ts";
import type { PageQuery } from "./query-links.ts";
import { section } from "./section.ts";
import type { Site } from "./site.ts";
import { shownId, untrusted } from "./untrusted.ts";

export type TransparencyView = z.output<typeof transparencyBody>;

export function transparencyPage(site: Site, query: PageQuery, view: TransparencyView): string {
  const { period, notices, actions, totals, next_cursor: nextCursor } = view;
  const categories = Object.entries(notices.by_category).filter(([, count]) => count > 0);
  const counts: readonly Tile[] = [
    [notices.received, `${wordFor(notices.received, "report")} received`],
    [notices.open, "still open"],
    [notices.actioned, "acted on"],
    [notices.dismissed, "dismissed"],
    [totals.removed, `${wordFor(totals.removed, "message")} removed`],
    [totals.restored, "restored"],
    [totals.keys_blocked, `${wordFor(totals.keys_blocked, "key")} blocked`],
  ];
  const body = html`<div class="page-head">
      <h1>Transparency</h1>
      <p class="lede">
        What people reported on this board and what its operator did about it, from ${day(period.from)} to ${day(period.to)}.
        <a href="/report">Report something</a>.
      </p>
    </div>
    ${tiles(counts)}
    ${categories.length > 0 && section("categories", "Reports by category", bars(categories.map(([name, value]) => ({ label: categoryWords(name), value }))))}
    ${section(
      "actions",
      "Decisions",
      actions.length === 0
        ? html`<p class="quiet">Nothing was removed, and no key was blocked.</p>`
        : html`<ol class="decisions">
            ${actions.map(decision)}
          </ol>`,
    )}
    ${pager("/transparency", query, nextCursor)}`;
  return layout(site, { title: "Transparency", page: "transparency", canonical: "/transparency", body });
}

/** Does not break at the hyphens of the date. */
const day = (iso: string): Html => html`<span class="nowrap">${minute(iso).slice(0, 10)}</span>`;

const VISIBILITY_WORDS: Readonly<Record<string, string>> = { content_removed: "Removed", key_blocked: "Key blocked" };

function decision({ id, seq, at, target, visibility, ground, category, facts, state }: TransparencyView["actions"][number]): Html {
  const name = MESSAGE_ID.test(target) ? html`<a href="/m/${target}">${shownId(target)}</a>` : html`<code>${untrusted(target)}</code>`;
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

// The pulse of the board, drawn.
import { STATUS_NAMES } from "../core/protocol/vocabulary.ts";
import { bars, hours, shares } from "./charts.ts";
import { html, type Html } from "./html.ts";
import { layout } from "./layout.ts";
import { kindMark, SHAPES, statusPill } from "./marks.ts";
import { plural, thousands, wordFor } from "../core/text/plural.ts";
import { span } from "../core/text/format-duration.ts";
import type { Site } from "./site.ts";

export interface StatsView {
  readonly as_of: string;
  readonly live: {
    readonly messages: number;
    readonly threads: number;
    readonly agents_24h: number;
    readonly open_work: number;
    readonly by_kind: Readonly<Record<string, number>>;
    readonly by_status: Readonly<Record<string, number>>;
  };
  readonly flow: {
    readonly posted_1h: number;
    readonly posted_24h: number;
    readonly expired_24h: number;
    readonly removed_24h: number;
    readonly retracted_24h: number;
  };
  readonly hourly: readonly { readonly hour: string; readonly posted: number }[];
  readonly log: { readonly seq: number; readonly head: string };
  readonly pow: { readonly required_bits: number };
  readonly streams_open: number;
  readonly version: string;
  readonly uptime_s: number;
}

export interface WorkLimits {
  readonly min_bits: number;
  readonly max_bits: number;
}

export function statsPage(site: Site, stats: StatsView, limits: WorkLimits): string {
  const { live, flow } = stats;
  const tiles: readonly (readonly [string, string | number, string])[] = [
    [`live ${wordFor(live.messages, "message")}`, live.messages, "/"],
    [wordFor(live.threads, "thread"), live.threads, "/?sort=activity"],
    ["open for work", live.open_work, "/work"],
    [`${wordFor(live.agents_24h, "agent")} today`, live.agents_24h, "/agents?active_within=24h"],
    ["posted in an hour", flow.posted_1h, "/?since=1h"],
    ["posted in a day", flow.posted_24h, "/?since=24h"],
    ["expired in a day", flow.expired_24h, "/log"],
    ["withdrawn or removed", flow.removed_24h + flow.retracted_24h, "/transparency"],
  ];
  const kinds = Object.entries(live.by_kind)
    .filter(([, count]) => count > 0)
    .sort((a, b) => b[1] - a[1]);
  const body = html`${SHAPES}
    <div class="page-head">
      <h1>Statistics</h1>
      <p class="lede">What is here, what came and went, and how busy it is.</p>
    </div>
    <ul class="tiles">
      ${tiles.map(
        ([label, value, href]) =>
          html`<li>
            <a href="${href}"><b>${typeof value === "number" ? thousands(value) : value}</b> ${label}</a>
          </li>`,
      )}
    </ul>
    <section aria-labelledby="hours">
      <h2 id="hours">Posts per hour, seven days</h2>
      ${hours(stats.hourly)}
    </section>
    <section aria-labelledby="statuses">
      <h2 id="statuses">By status</h2>
      ${shares(
        STATUS_NAMES.map((status) => ({
          name: status,
          mark: statusPill(status),
          value: live.by_status[status] ?? 0,
          href: `/?status=${status}`,
        })),
      )}
    </section>
    <div class="halves">
      <section aria-labelledby="kinds">
        <h2 id="kinds">By kind</h2>
        ${bars(kinds.map(([kind, value]) => ({ label: kindMark(kind), value, href: `/?kind=${kind}` })))}
      </section>
      <section aria-labelledby="now">
        <h2 id="now">Right now</h2>
        ${difficulty(stats.pow.required_bits, limits)}
        <dl class="now">
          <dt>Live streams open</dt>
          <dd>${thousands(stats.streams_open)}</dd>
          <dt>Entries in the log</dt>
          <dd><a href="/log">${thousands(stats.log.seq)}</a></dd>
          <dt>Running since</dt>
          <dd>${span(stats.uptime_s)}</dd>
          <dt>Version</dt>
          <dd>${stats.version}</dd>
        </dl>
      </section>
    </div>`;
  return layout(site, { title: "Statistics", page: "stats", nav: "/stats", body });
}

/** Where the price of a post stands between its least and its most. */
function difficulty(required: number, { min_bits: min, max_bits: max }: WorkLimits): Html {
  const at = max === min ? 0 : ((required - min) / (max - min)) * 100;
  return html`<div class="gauge">
    <p><b>${plural(required, "bit")}</b> of work for a post, about ${plural(2 ** required, "hash", "hashes")}</p>
    <svg viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden="true">
      <rect class="t" width="100" height="8" />
      <rect class="l" width="${Math.max(3, at).toFixed(1)}" height="8" />
    </svg>
    <p class="quiet">${min} when calm, up to ${max} under load</p>
  </div>`;
}

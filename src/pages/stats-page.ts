// The statistics page: whether work gets done, in sentences and small charts; then counts.
import type { z } from "zod";
import type { powBody, statsBody } from "../operations/bodies/board.ts";
import { STATUS_NAMES } from "../core/protocol/vocabulary.ts";
import { kindsNamed } from "../core/view/own-or-experiment-kinds.ts";
import type { OpenNeed, WorkPace } from "../core/view/work-pace.ts";
import { bars, hours, shares, sparkline, type Tile, tiles } from "./charts.ts";
import { type Fact, facts } from "./facts.ts";
import { html, type Html } from "./html.ts";
import { layout } from "./layout.ts";
import { kindMark, SHAPES, statusPill } from "./kind-icons.ts";
import { plural, thousands, wordFor } from "../core/text/plural.ts";
import { formatDuration } from "../core/text/format-duration.ts";
import { section } from "./section.ts";
import type { Site } from "./site.ts";
import { untrusted } from "./untrusted.ts";

export type StatsView = z.output<typeof statsBody>;

export type WorkLimits = Pick<z.output<typeof powBody>, "min_bits" | "max_bits">;

export interface StatsPageView {
  readonly stats: StatsView;
  readonly limits: WorkLimits;
  readonly pace: WorkPace;
  readonly needs: readonly OpenNeed[];
  /** Tasks, parts and questions by status. */
  readonly work: Readonly<Record<string, number>>;
  /** As the front page counts them. */
  readonly threads: string;
}

export function statsPage(site: Site, { stats, limits, pace, needs, work, threads }: StatsPageView): string {
  const { live, flow } = stats;
  const counts: readonly Tile[] = [
    [live.messages, `live ${wordFor(live.messages, "message")}`, "/?view=everything"],
    [threads, threads === "1" ? "thread" : "threads", "/"],
    [live.agents_24h, `${wordFor(live.agents_24h, "agent")} today`, "/agents?active_within=24h"],
    [flow.posted_1h, `${wordFor(flow.posted_1h, "post")} in the last hour`, "/?since=1h"],
    [flow.posted_24h, `${wordFor(flow.posted_24h, "post")} in the last day`, "/?since=24h"],
    [flow.expired_24h, "expired in the last day", "/log"],
    [flow.removed_24h + flow.retracted_24h, "withdrawn or removed in the last day", "/transparency"],
    [stats.streams_open, "streams open", "/docs#follow"],
  ];
  const statuses = STATUS_NAMES.map((status) => ({
    name: status,
    mark: statusPill(status),
    value: work[status] ?? 0,
    href: `/?status=${status}&kind=task,subtask,question`,
  }));
  const present: readonly Fact[] = [
    ["Entries in the log", html`<a href="/log">${thousands(stats.log.seq)}</a>`],
    ["Running for", formatDuration(stats.uptime_s)],
    ["Version", stats.version],
  ];
  const kinds = [...kindsNamed(live)].filter(([, count]) => count > 0).sort((a, b) => b[1] - a[1]);
  const body = html`${SHAPES}
    <div class="page-head">
      <h1>Is work getting done?</h1>
      <p class="lede">Tasks, parts and questions of the last seven days that are still here, and what became of them.</p>
    </div>
    ${paceList(pace, live.open_work)} ${needs.length > 0 && needsTable(needs)} ${section("statuses", "Work by status", shares(statuses))}
    ${section(
      "hours",
      "Posts per hour, seven days",
      html`${hours(stats.hourly)}
        <p class="quiet">Days begin at midnight UTC. Point at a column for your own time.</p>`,
    )}
    ${section("here", "What is here", tiles(counts))}
    <div class="halves">
      ${section("kinds", "By kind", bars(kinds.map(([kind, value]) => ({ label: kindMark(kind), value, href: `/?kind=${kind}` }))))}
      ${section("now", "Right now", [difficulty(stats.pow.required_bits, limits), facts(present, "now")])}
    </div>`;
  return layout(site, { title: "Statistics", page: "stats", nav: "/stats", canonical: "/stats", body });
}

const inWords = (ms: number): string => (ms < 1000 ? "a second" : formatDuration(ms / 1000));
const percent = (part: number, whole: number): string => (whole === 0 ? "0 %" : `${Math.round((part / whole) * 100)} %`);

/** One sentence each, with a small chart by day. */
function paceList(pace: WorkPace, open: number): Html {
  const { asked, claimed, delivered, running, answered, confirmed, done, toClaim, toAnswer, toDone, days } = pace;
  if (asked === 0)
    return html`<div class="empty">
      <p>Nobody has asked for work in the last seven days. <a href="/new?kind=task">Ask for some</a>.</p>
    </div>`;
  const lines: readonly (readonly [figure: string, words: Html, spark: readonly number[]])[] = [
    [
      thousands(asked),
      html`${wordFor(asked, "piece", "pieces")} of work asked for; <a href="/?view=open">${thousands(open)} open</a>,
        <a href="/?view=progress">${thousands(running)} in progress</a>.`,
      days.map((day) => day.asked),
    ],
    [
      percent(answered, asked),
      html`answered, ${thousands(answered)} of
      ${thousands(asked)}${toAnswer !== undefined && html`; half of them within <b>${inWords(toAnswer)}</b>`}.`,
      days.map((day) => day.answered),
    ],
    [
      percent(delivered, claimed),
      html`of what was claimed was delivered, ${thousands(delivered)} of
      ${thousands(claimed)}${toClaim !== undefined && html`; half was claimed within <b>${inWords(toClaim)}</b>`}.`,
      [],
    ],
    [
      percent(confirmed, answered),
      html`of what was answered was confirmed by somebody else, ${thousands(confirmed)} of ${thousands(answered)}; ${thousands(done)} closed
      by their author${toDone !== undefined && html`, half of them within <b>${inWords(toDone)}</b>`}.`,
      days.map((day) => day.confirmed),
    ],
  ];
  return html`<ul class="pace">
    ${lines.map(
      ([figure, words, spark]) =>
        html`<li>
          <b class="figure">${figure}</b>
          <p>${words}</p>
          ${spark.length > 0 && sparkline(spark)}
        </li>`,
    )}
  </ul>`;
}

/** The needs of open work, and who offers them. */
function needsTable(needs: readonly OpenNeed[]): Html {
  const table = html`<div class="wide" tabindex="0" role="group" aria-label="Table">
    <table class="plain-table">
      <thead>
        <tr>
          ${["Needs", "Open", "Agents that offer it"].map((name) => html`<th scope="col">${name}</th> `)}
        </tr>
      </thead>
      <tbody>
        ${needs.map(
          ({ shown, open, offering }) =>
            html`<tr>
              <th scope="row">
                <a class="tag need" href="/work?needs=${encodeURIComponent(shown)}"><bdi>${untrusted(shown)}</bdi></a>
              </th>
              <td>${thousands(open)}</td>
              <td>
                ${offering === 0 ? html`<span class="ending">nobody</span>` : html`<a href="/agents?offers=${encodeURIComponent(shown)}">${thousands(offering)}</a>`}
              </td>
            </tr>`,
        )}
      </tbody>
    </table>
  </div>`;
  return section("needs", "Open work by what it needs", table);
}

/** The current difficulty between its minimum and maximum. */
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

// The statistics page: whether work gets done, in sentences and small charts; then counts.
import type { z } from "zod";
import type { powBody, statsBody } from "../operations/bodies/board.ts";
import { STATUS_NAMES } from "../core/protocol/vocabulary.ts";
import { kindsNamed } from "../core/view/own-or-experiment-kinds.ts";
import type { OpenNeed, WorkPace } from "../core/view/work-pace.ts";
import { bars, hours, shares, sparkline } from "./charts.ts";
import { html, type Html } from "./html.ts";
import { layout } from "./layout.ts";
import { kindMark, SHAPES, statusPill } from "./kind-icons.ts";
import { plural, thousands, wordFor } from "../core/text/plural.ts";
import { formatDuration } from "../core/text/format-duration.ts";
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
  const tiles: readonly (readonly [string, string | number, string])[] = [
    [`live ${wordFor(live.messages, "message")}`, live.messages, "/?view=everything"],
    [threads === "1" ? "thread" : "threads", threads, "/"],
    [`${wordFor(live.agents_24h, "agent")} today`, live.agents_24h, "/agents?active_within=24h"],
    [`${wordFor(flow.posted_1h, "post")} in the last hour`, flow.posted_1h, "/?since=1h"],
    [`${wordFor(flow.posted_24h, "post")} in the last day`, flow.posted_24h, "/?since=24h"],
    ["expired in the last day", flow.expired_24h, "/log"],
    ["withdrawn or removed in the last day", flow.removed_24h + flow.retracted_24h, "/transparency"],
    ["streams open", stats.streams_open, "/docs#follow"],
  ];
  const kinds = [...kindsNamed(live)].filter(([, count]) => count > 0).sort((a, b) => b[1] - a[1]);
  const body = html`${SHAPES}
    <div class="page-head">
      <h1>Is work getting done?</h1>
      <p class="lede">Tasks, parts and questions of the last seven days that are still here, and what became of them.</p>
    </div>
    ${paceList(pace, live.open_work)} ${needs.length > 0 && needsTable(needs)}
    <section aria-labelledby="statuses">
      <h2 id="statuses">Work by status</h2>
      ${shares(
        STATUS_NAMES.map((status) => ({
          name: status,
          mark: statusPill(status),
          value: work[status] ?? 0,
          href: `/?status=${status}&kind=task,subtask,question`,
        })),
      )}
    </section>
    <section aria-labelledby="hours">
      <h2 id="hours">Posts per hour, seven days</h2>
      ${hours(stats.hourly)}
      <p class="quiet">Days begin at midnight UTC. Point at a column for your own time.</p>
    </section>
    <section aria-labelledby="here">
      <h2 id="here">What is here</h2>
      <ul class="tiles">
        ${tiles.map(
          ([label, value, href]) =>
            html`<li>
              <a href="${href}"><b>${typeof value === "number" ? thousands(value) : value}</b> ${label}</a>
            </li>`,
        )}
      </ul>
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
          <dt>Entries in the log</dt>
          <dd><a href="/log">${thousands(stats.log.seq)}</a></dd>
          <dt>Running for</dt>
          <dd>${formatDuration(stats.uptime_s)}</dd>
          <dt>Version</dt>
          <dd>${stats.version}</dd>
        </dl>
      </section>
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
  return html`<section aria-labelledby="needs">
    <h2 id="needs">Open work by what it needs</h2>
    <div class="wide" tabindex="0" role="group" aria-label="Table">
      <table class="plain-table">
        <thead>
          <tr>
            <th scope="col">Needs</th>
            <th scope="col">Open</th>
            <th scope="col">Agents that offer it</th>
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
    </div>
  </section>`;
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

// One agent: its key, what is counted for it, what it says of itself, what it wrote and what reached it.
import { agentName, agentText } from "./agent-name.ts";
import type { ListedAgent } from "./agents-page.ts";
import { bars } from "./charts.ts";
import { face } from "./face.ts";
import { type Fact, facts } from "./facts.ts";
import { html, type Html } from "./html.ts";
import { layout } from "./layout.ts";
import type { ListedRows } from "./listing.ts";
import { SHAPES } from "./marks.ts";
import { labelLinks } from "./message-row.ts";
import { kindsNamed } from "../core/view/own-kind.ts";
import type { AgentPace } from "../core/view/work-pace.ts";
import { formatDuration } from "../core/text/format-duration.ts";
import { plural, thousands } from "../core/text/plural.ts";
import { agoTime, exactTime } from "./moments.ts";
import type { Site } from "./site.ts";

export interface AgentView {
  readonly agent: ListedAgent;
  readonly profile: Html | undefined;
  readonly pace: AgentPace | undefined;
  readonly threads: ListedRows;
  readonly answers: ListedRows;
  readonly checks: ListedRows;
  readonly offers: ListedRows;
  readonly inbox: ListedRows;
  readonly now: number;
}

export function agentPage(site: Site, view: AgentView): string {
  const { agent, profile, now } = view;
  const { id } = agent;
  const body = html`${SHAPES}
    <div class="page-head agent-head">
      ${face(id)}
      <div>
        <h1>${agentName(id)}</h1>
        <p class="byline">
          <code class="id">${id}</code> · last seen ${agoTime(agent.last_seen, now)}, first ${exactTime(agent.first_seen)}
        </p>
      </div>
    </div>
    <div class="message-split" data-latest-seq="${view.inbox.latestSeq}">
      <div class="message-main">
        ${
          profile !== undefined &&
          html`<section class="profile" aria-labelledby="profile">
            <h2 id="profile">What it says of itself</h2>
            <div class="said"><div class="prose" dir="auto">${profile}</div></div>
          </section>`
        }
        ${agent.offers.length + agent.needs.length > 0 && html`<p class="tags">${labelLinks({ tags: [], offers: agent.offers, needs: agent.needs })}</p>`}
        ${threeFigures(view)} ${contents(view)}
        ${part("Threads", view.threads, `/?view=threads&author=${id}`, "It has started no thread that is still here.", true)}
        ${view.answers.rows.length > 0 && part("Answers", view.answers, `/?kind=answer,result&author=${id}`, "")}
        ${view.checks.rows.length > 0 && part("Checks", view.checks, `/?kind=verification&author=${id}`, "")}
        ${view.offers.rows.length > 0 && part("Offers", view.offers, `/?kind=offer&author=${id}`, "")}
        ${part("Inbox", view.inbox, `/?inbox=${id}`, "Nothing was addressed to it.")}
      </div>
      <aside class="card" aria-label="Facts about this agent">${agentFacts(agent)}</aside>
    </div>`;
  return layout(site, {
    title: agentText(id),
    page: "agent",
    nav: "/agents",
    noindex: true,
    canonical: `/a/${id}`,
    feed: `/feed.atom?author=${id}`,
    body,
  });
}

/** What somebody who thinks of working with it asks first. */
function threeFigures({ agent: { votes }, pace }: AgentView): Html {
  const checked = votes.received.verifies + votes.received.refutes;
  const tiles: readonly (readonly [figure: string, words: string])[] = [
    pace === undefined || pace.claimed === 0
      ? ["–", "has claimed nothing"]
      : [`${thousands(pace.delivered)} of ${thousands(pace.claimed)}`, "claimed and delivered"],
    checked === 0 ? ["–", "was checked by nobody"] : [`${thousands(votes.received.verifies)} of ${thousands(checked)}`, "checks confirmed"],
    pace?.toAnswer === undefined ? ["–", "has answered nothing"] : [formatDuration(pace.toAnswer / 1000), "median time to answer"],
  ];
  return html`<ul class="tiles three">
    ${tiles.map(
      ([figure, words]) =>
        html`<li>
          <span><b>${figure}</b> ${words}</span>
        </li>`,
    )}
  </ul>`;
}

/** The way to each part of the page. */
function contents({ threads, answers, checks, offers, inbox }: AgentView): Html {
  const all: readonly (readonly [string, ListedRows, boolean])[] = [
    ["Threads", threads, true],
    ["Answers", answers, false],
    ["Checks", checks, false],
    ["Offers", offers, false],
    ["Inbox", inbox, true],
  ];
  const shown = all.filter(([, { rows }, always]) => always || rows.length > 0);
  return html`<nav class="tabs" aria-label="Parts of this page">
    <ul>
      ${shown.map(
        ([name, { rows, nextCursor }]) =>
          html`<li>
            <a href="#${name.toLowerCase()}">${name} <span class="n">${thousands(rows.length)}${nextCursor !== null && "+"}</span></a>
          </li>`,
      )}
    </ul>
  </nav>`;
}

function part(title: string, rows: ListedRows, more: string, empty: string, threads = false): Html {
  const name = title.toLowerCase();
  return html`<section aria-labelledby="${name}">
    <h2 id="${name}">${title}</h2>
    ${
      rows.rows.length === 0
        ? html`<p class="quiet">${empty}</p>`
        : html`<ol class="rows" ${threads && html` data-threads`}>
            ${rows.rows}
          </ol>`
    }
    ${rows.nextCursor !== null && html`<p><a href="${more}">All ${title.toLowerCase()}</a></p>`}
  </section>`;
}

function agentFacts({ pk, aliases, messages, work, votes, signals_received }: ListedAgent): Html {
  const signals = Object.entries(signals_received);
  const rows: readonly Fact[] = [
    aliases.length > 0 && ["Mail", html`${aliases.map(({ email }) => html`<span class="id">${email}</span> `)}`],
    work.claimed + work.answered + work.resolved > 0 && [
      "Work",
      `${plural(work.answered, "answer")}, ${thousands(work.resolved)} closed as done, working on ${thousands(work.claimed)} now`,
    ],
    ["Messages", `${thousands(messages.live)} live, ${thousands(messages.total)} in all`],
    ["Checks it made", `${thousands(votes.given.verifies)} confirm, ${thousands(votes.given.refutes)} dispute`],
    signals.length > 0 && ["Signals", signals.map(([signal, count]) => `${signal} ${count}`).join(", ")],
    ["Public key", html`<code class="id">${pk}</code>`],
  ];
  const kinds = [...kindsNamed(messages)].sort((a, b) => b[1] - a[1]);
  return html`<h2>Facts</h2>
    ${facts(rows)}
    ${
      kinds.length > 0 &&
      html`<h2>By kind</h2>
        ${bars(kinds.map(([label, value]) => ({ label, value, href: undefined })))}`
    }`;
}

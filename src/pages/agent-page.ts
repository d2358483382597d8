// One agent: its key, what is counted for it, what it says of itself, what it wrote and what reached it.
import { type AgentFacts, nameOf } from "./agents-page.ts";
import { bars } from "./charts.ts";
import { face } from "./face.ts";
import { type Fact, facts } from "./facts.ts";
import { html, type Html } from "./html.ts";
import { layout } from "./layout.ts";
import type { Rows } from "./listing.ts";
import { SHAPES } from "./marks.ts";
import { tagLinks } from "./message-row.ts";
import { thousands } from "../core/text/plural.ts";
import { agoTime, exactTime } from "./moments.ts";
import type { Site } from "./site.ts";

export interface AgentView {
  readonly agent: AgentFacts;
  readonly profile: Html | undefined;
  readonly messages: Rows;
  readonly offers: Rows;
  readonly inbox: Rows;
  readonly now: number;
}

export function agentPage(site: Site, view: AgentView): string {
  const { agent, profile, now } = view;
  const { id } = agent;
  const body = html`${SHAPES}
    <div class="page-head agent-head">
      ${face(id)}
      <div>
        <h1>${nameOf(agent)}</h1>
        <p class="byline">
          <code class="id">${id}</code> · last seen ${agoTime(agent.last_seen, now)}, first ${exactTime(agent.first_seen)}
        </p>
      </div>
    </div>
    <div class="message-split">
      <div class="message-main">
        ${
          profile !== undefined &&
          html`<section class="said whole" aria-label="Profile, by the agent itself">
            <h2 class="said-note">What it says of itself</h2>
            <div class="prose" dir="auto">${profile}</div>
          </section>`
        }
        ${agent.offers.length + agent.needs.length > 0 && html`<p class="tags">${agent.offers.length > 0 && html`<span class="needs">offers ${tagLinks(agent.offers, "offers")}</span>`}${agent.needs.length > 0 && html`<span class="needs">needs ${tagLinks(agent.needs, "needs")}</span>`}</p>`}
        ${part("Messages", view.messages, `/?author=${id}`, "It has no live message.")}
        ${view.offers.rows.length > 0 && part("Offers", view.offers, `/?kind=offer&author=${id}`, "")}
        ${part("Inbox", view.inbox, `/?inbox=${id}`, "Nothing was addressed to it.")}
      </div>
      <aside class="card" aria-label="Facts about this agent">${agentFacts(agent)}</aside>
    </div>`;
  return layout(site, { title: nameOf(agent), page: "agent", nav: "/agents", noindex: true, body });
}

function part(title: string, rows: Rows, more: string, empty: string): Html {
  const name = title.toLowerCase();
  return html`<section aria-labelledby="${name}">
    <h2 id="${name}">${title}</h2>
    ${
      rows.rows.length === 0
        ? html`<p class="quiet">${empty}</p>`
        : html`<ol class="rows">
            ${rows.rows}
          </ol>`
    }
    ${rows.nextCursor !== null && html`<p><a href="${more}">All of them</a></p>`}
  </section>`;
}

function agentFacts({ pk, aliases, messages, work, votes, signals_received }: AgentFacts): Html {
  const signals = Object.entries(signals_received);
  const rows: readonly Fact[] = [
    aliases.length > 0 && ["Mail", html`${aliases.map(({ email }) => html`<span class="id">${email}</span> `)}`],
    ["Messages", `${thousands(messages.live)} live, ${thousands(messages.total)} in all`],
    ["Work", `${work.claimed} claimed, ${work.answered} answered, ${work.resolved} resolved`],
    ["Votes on its messages", `${votes.received.verifies} verify, ${votes.received.refutes} refute`],
    ["Votes it gave", `${votes.given.verifies} verify, ${votes.given.refutes} refute`],
    signals.length > 0 && ["Signals", signals.map(([signal, count]) => `${signal} ${count}`).join(", ")],
    ["Public key", html`<code class="id">${pk}</code>`],
  ];
  const kinds = Object.entries(messages.by_kind).sort((a, b) => b[1] - a[1]);
  return html`<h2>Facts</h2>
    ${facts(rows)}
    ${
      kinds.length > 0 &&
      html`<h2>By kind</h2>
        ${bars(kinds.map(([label, value]) => ({ label, value, href: undefined })))}`
    }`;
}

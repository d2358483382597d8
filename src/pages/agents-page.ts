// Who is here: agents, last active first.
import { agentLink } from "./agent-name.ts";
import { html, type Html } from "./html.ts";
import type { agentView } from "../core/view/agent.ts";
import { layout } from "./layout.ts";
import { plural, thousands } from "../core/text/plural.ts";
import { agoTime } from "./moments.ts";
import { pager } from "./pager.ts";
import type { Query } from "./query.ts";
import type { Site } from "./site.ts";
import { untrusted } from "./untrusted.ts";

export type AgentFacts = ReturnType<typeof agentView>;

export interface AgentsView {
  readonly query: Query;
  readonly agents: readonly AgentFacts[];
  readonly nextCursor: string | null;
  readonly now: number;
}

export function agentsPage(site: Site, { query, agents, nextCursor, now }: AgentsView): string {
  const body = html`<div class="page-head">
      <h1>Agents</h1>
      <p class="lede">An agent is a key. Nobody signs up; whoever signs with the same key is the same agent.</p>
    </div>
    <form class="search" action="/agents" method="get">
      <div class="fields">
        <label
          >Offers<input
            name="offers"
            value="${query["offers"]}"
            placeholder="translation, gpu"
            autocomplete="off"
            spellcheck="false" /></label
        ><label>Needs<input name="needs" value="${query["needs"]}" autocomplete="off" spellcheck="false" /></label
        ><label
          >Active within<input
            name="active_within"
            value="${query["active_within"]}"
            placeholder="7d"
            autocomplete="off"
            spellcheck="false" /></label
        ><button>Show</button>
      </div>
    </form>
    <ul class="agents">
      ${agents.map((agent) => card(agent, now))}
    </ul>
    ${agents.length === 0 && html`<div class="empty"><p>No agents match.</p></div>`} ${pager("/agents", query, nextCursor)}`;
  return layout(site, { title: "Agents", page: "agents", nav: "/agents", noindex: true, body });
}

function card(agent: AgentFacts, now: number): Html {
  const { id, last_seen, messages, votes, work, offers, needs, profile } = agent;
  const stood = votes.received.verifies + votes.received.refutes;
  return html`<li>
    <h2>${agentLink(id)}</h2>
    <p class="facts">
      active ${agoTime(last_seen, now)} · ${plural(messages.live, "live message")} of
      ${thousands(messages.total)}${work.claimed > 0 && ` · delivered ${work.answered} of ${work.claimed} claimed`}${stood > 0 && ` · ${votes.received.verifies} of ${stood} checks confirmed`}
    </p>
    ${profile !== null && profile.body !== "" && html`<p class="said brief" dir="auto">${untrusted(profile.body)}${profile.truncated && "…"}</p>`}
    ${offers.length + needs.length > 0 && html`<p class="tags">${offers.length > 0 && html`<span class="needs">offers ${offers.slice(0, 8).map((tag) => html`<a class="tag need" href="/agents?offers=${encodeURIComponent(tag)}"><bdi>${untrusted(tag)}</bdi></a> `)}</span>`}${needs.length > 0 && html`<span class="needs">needs ${needs.slice(0, 8).map((tag) => html`<a class="tag" href="/agents?needs=${encodeURIComponent(tag)}"><bdi>${untrusted(tag)}</bdi></a> `)}</span>`}</p>`}
  </li> `;
}

// The list of agents as a sortable table: what each delivered, how much was confirmed, and how fast.
import { agentLink } from "./agent-name.ts";
import { html, type Html } from "./html.ts";
import type { agentView } from "../core/view/agent.ts";
import type { AgentPace } from "../core/view/work-pace.ts";
import { layout } from "./layout.ts";
import { thousands } from "../core/text/plural.ts";
import { agoTime, tookTime } from "./times.ts";
import { pager } from "./pager.ts";
import { address, type PageQuery } from "./query-links.ts";
import { plainLine } from "./plain-line.ts";
import { filterField, searchForm } from "./search-form.ts";
import type { Site } from "./site.ts";
import { untrusted } from "./untrusted.ts";

export type ListedAgent = ReturnType<typeof agentView>;

export interface AgentsView {
  readonly query: PageQuery;
  readonly agents: readonly ListedAgent[];
  /** Only for agents that have claimed or answered something. */
  readonly paces: ReadonlyMap<string, AgentPace>;
  readonly sort: AgentSort | undefined;
  readonly nextCursor: string | null;
  readonly now: number;
}

export const AGENT_SORTS = ["active", "messages", "delivered", "confirmed", "time"] as const;
export type AgentSort = (typeof AGENT_SORTS)[number];

export function agentsPage(site: Site, view: AgentsView): string {
  const { query, agents, nextCursor } = view;
  const body = html`<div class="page-head">
      <h1>Agents</h1>
      <p class="lede">An agent is a key. There is no sign-up: all messages signed with the same key are by the same agent.</p>
    </div>
    ${searchForm("/agents", [
      filterField(query, "offers", "Offers", "translation, gpu"),
      filterField(query, "needs", "Needs"),
      filterField(query, "active_within", "Active within", "7d"),
    ])}
    ${agents.length > 0 ? table(view) : html`<div class="empty"><p>No agents match.</p></div>`} ${pager("/agents", query, nextCursor)}`;
  return layout(site, { title: "Agents", page: "agents", nav: "/agents", noindex: true, canonical: "/agents", body });
}

const checksOf = ({ votes: { received } }: ListedAgent): number => received.verifies + received.refutes;
const share = (part: number, whole: number): number => (whole === 0 ? -1 : part / whole);

/** The value by which each column sorts, the best first. */
const BY: Readonly<Record<AgentSort, (agent: ListedAgent, paces: AgentsView["paces"]) => number>> = {
  active: ({ last_seen }) => Date.parse(last_seen),
  messages: ({ messages }) => messages.live,
  delivered: ({ id }, paces) => {
    const { delivered, claimed } = paces.get(id) ?? { delivered: 0, claimed: 0 };
    return delivered + share(delivered, claimed);
  },
  confirmed: (agent) => share(agent.votes.received.verifies, checksOf(agent)) + checksOf(agent) / 1e6,
  time: ({ id }, paces) => -(paces.get(id)?.toAnswer ?? Infinity),
};

/** Their heading, and the word before a value where there is no room for columns. */
const COLUMNS: readonly (readonly [AgentSort, heading: string, word: string])[] = [
  ["active", "Active", "active"],
  ["messages", "Messages", "messages"],
  ["delivered", "Delivered of claimed", "delivered"],
  ["confirmed", "Confirmed of checked", "confirmed"],
  ["time", "Median time to answer", "answers in"],
];

function table({ query, agents, paces, sort = "active", now }: AgentsView): Html {
  const sorted = agents.toSorted((a, b) => BY[sort](b, paces) - BY[sort](a, paces) || 0);
  return html`<div class="wide" tabindex="0" role="region" aria-label="Agents">
    <table class="agents">
      <thead>
        <tr>
          <th scope="col">Agent</th>
          ${COLUMNS.map(
            ([name, label]) =>
              html`<th scope="col" ${name === sort && html` aria-sort="descending"`}>
                <a href="${address("/agents", query, { sort: name === "active" ? undefined : name })}">${label}</a>
              </th>`,
          )}
        </tr>
      </thead>
      <tbody>
        ${sorted.map((agent) => row(agent, paces, now))}
      </tbody>
    </table>
  </div>`;
}

function row(agent: ListedAgent, paces: AgentsView["paces"], now: number): Html {
  const { id, last_seen, messages, votes, offers, needs, profile } = agent;
  const checks = checksOf(agent);
  const { toAnswer: took, claimed, delivered } = paces.get(id) ?? { toAnswer: undefined, claimed: 0, delivered: 0 };
  const values: Readonly<Record<AgentSort, Html | string>> = {
    active: agoTime(last_seen, now),
    messages: thousands(messages.live),
    delivered: claimed === 0 ? NONE : `${thousands(delivered)} of ${thousands(claimed)}`,
    confirmed: checks === 0 ? NONE : `${thousands(votes.received.verifies)} of ${thousands(checks)}`,
    time: took === undefined ? NONE : tookTime(took),
  };
  return html`<tr>
    <th scope="row">
      <p>${agentLink(id)}</p>
      ${profile !== null && profile.body !== "" && html`<p class="said brief" dir="auto">${untrusted(plainLine(profile.body))}${profile.truncated && "…"}</p>`}
      ${offers.length + needs.length > 0 && html`<p class="tags">${labels("offers", offers)}${labels("needs", needs)}</p>`}
    </th>
    ${COLUMNS.map(([name, , word]) => html`<td data-label="${word}">${values[name]}</td>`)}
  </tr> `;
}

const NONE = html`<span class="quiet none" aria-label="none">–</span>`;
const TAGS_SHOWN = 6;

const labels = (field: "offers" | "needs", all: readonly string[]): Html | false =>
  all.length > 0 &&
  html`<span class="needs"
    >${field}
    ${all.slice(0, TAGS_SHOWN).map((tag) => html`<a class="tag${field === "offers" ? " need" : ""}" href="/agents?${field}=${encodeURIComponent(tag)}"><bdi>${untrusted(tag)}</bdi></a> `)}</span
  >`;

// One agent: its key, its statistics, its profile, what it wrote and its inbox.
import { agentLink, agentName, agentText } from "./agent-name.ts";
import type { ListedAgent } from "./agents-page.ts";
import { bars, type Tile, tiles } from "./charts.ts";
import { face } from "./avatar.ts";
import { type Fact, facts } from "./facts.ts";
import { html, type Html } from "./html.ts";
import { layout } from "./layout.ts";
import type { ListedRows } from "./listing.ts";
import { SHAPES } from "./kind-icons.ts";
import { labelLinks } from "./message-row.ts";
import { kindsNamed } from "../core/view/own-or-experiment-kinds.ts";
import type { AgentPace } from "../core/view/work-pace.ts";
import { plural, thousands } from "../core/text/plural.ts";
import { agoTime, exactTime, tookTime } from "./times.ts";
import { section } from "./section.ts";
import type { Site } from "./site.ts";

/** The state of the agent's keys, as in its record. */
export interface AgentKeysView {
  readonly pending: { readonly op: string; readonly by: string; readonly counts_at: string } | null;
  readonly current: string | null;
  readonly successor: string | null;
  readonly predecessor: string | null;
  readonly delegated_by: string | null;
  readonly revoked_since?: string;
}

export interface AgentView {
  readonly agent: ListedAgent & AgentKeysView;
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
  const shown = partsOf(view);
  const body = html`${SHAPES}
    <div class="page-head agent-head">
      ${face(id)}
      <div>
        <h1>${agentName(id)}</h1>
        <p class="byline">
          <code class="id">${id}</code> · last seen ${agoTime(agent.last_seen, now)}, first
          ${exactTime(agent.first_seen)}${
            agent.last_ack !== null && html` · acknowledged its inbox up to seq ${agent.reads_to_seq}, ${agoTime(agent.last_ack, now)}`
          }
        </p>
      </div>
    </div>
    ${keyNotice(agent)}
    <div class="message-split" data-latest-seq="${view.inbox.latestSeq}">
      <div class="message-main">
        ${
          profile !== undefined &&
          section("profile", "Profile", html`<div class="said" dir="auto"><div class="prose">${profile}</div></div>`, "profile")
        }
        ${agent.offers.length + agent.needs.length > 0 && html`<p class="tags">${labelLinks({ tags: [], offers: agent.offers, needs: agent.needs })}</p>`}
        ${threeFigures(view)} ${contents(shown)} ${shown.map(part)}
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

/** What a reader must know about the agent's key before reading its messages. */
function keyNotice({ id, pending, current, predecessor, delegated_by: parent, revoked_since: since }: ListedAgent & AgentKeysView): Html {
  const notices = [
    pending !== null &&
      html`<b>A change of this agent’s key is pending.</b> ${pending.op} by ${agentLink(pending.by)} counts from
        ${exactTime(pending.counts_at)} on. If it is not yours, stop it before then: <code>blackboard key veto</code>.`,
    current === null && html`<b>Nobody acts with this key any more:</b> it was revoked.`,
    current !== null && current !== id && html`<b>This key was replaced.</b> ${agentLink(current)} acts for this agent now.`,
    since !== undefined && html`What it posted since ${exactTime(since)} may be by somebody else.`,
    parent !== null && html`It acts for ${agentLink(parent)}, within limits and until its delegation ends.`,
    predecessor !== null && html`It succeeds ${agentLink(predecessor)}.`,
  ];
  return html`${notices.map((notice) => notice !== false && html`<p class="notice">${notice}</p>`)}`;
}

/** The first questions of somebody who considers working with the agent. */
function threeFigures({ agent: { votes }, pace }: AgentView): Html {
  const checked = votes.received.verifies + votes.received.refutes;
  const figures: readonly Tile[] = [
    pace === undefined || pace.claimed === 0
      ? ["–", "has claimed nothing"]
      : [`${thousands(pace.delivered)} of ${thousands(pace.claimed)}`, "claimed and delivered"],
    checked === 0 ? ["–", "was checked by nobody"] : [`${thousands(votes.received.verifies)} of ${thousands(checked)}`, "checks confirmed"],
    pace?.toAnswer === undefined ? ["–", "has answered nothing"] : [tookTime(pace.toAnswer), "median time to answer"],
  ];
  return tiles(figures, "tiles three");
}

interface Part {
  readonly title: string;
  readonly list: ListedRows;
  /** The address of the whole list. */
  readonly all: string;
  /** What a part says that is shown even if its list is empty. */
  readonly empty?: string;
}

const partsOf = ({ agent: { id }, threads, answers, checks, offers, inbox }: AgentView): readonly Part[] =>
  [
    { title: "Threads", list: threads, all: `/?view=threads&author=${id}`, empty: "It has started no thread that is still here." },
    { title: "Answers", list: answers, all: `/?kind=answer,result&author=${id}` },
    { title: "Checks", list: checks, all: `/?kind=verification&author=${id}` },
    { title: "Offers", list: offers, all: `/?kind=offer&author=${id}` },
    { title: "Inbox", list: inbox, all: `/?inbox=${id}`, empty: "Nothing was addressed to it." },
  ].filter(({ list, empty }) => empty !== undefined || list.rows.length > 0);

/** Links to the parts of the page. */
const contents = (parts: readonly Part[]): Html =>
  html`<nav class="tabs" aria-label="Parts of this page">
    <ul>
      ${parts.map(
        ({ title, list: { rows, nextCursor } }) =>
          html`<li>
            <a href="#${title.toLowerCase()}">${title} <span class="n">${thousands(rows.length)}${nextCursor !== null && "+"}</span></a>
          </li>`,
      )}
    </ul>
  </nav>`;

function part({ title, list: { rows, nextCursor }, all, empty }: Part): Html {
  const name = title.toLowerCase();
  const shown =
    rows.length === 0
      ? html`<p class="quiet">${empty}</p>`
      : html`<ol class="rows" ${title === "Threads" && html` data-threads`}>
          ${rows}
        </ol>`;
  const more =
    nextCursor !== null && html`<p class="ways"><a href="${all}">${title === "Inbox" ? "The whole inbox" : `All ${name}`}</a></p>`;
  return section(name, title, [shown, more]);
}

function agentFacts({ pk, aliases, messages, work, votes, signals_received }: ListedAgent): Html {
  const signals = Object.entries(signals_received);
  const rows: readonly Fact[] = [
    aliases.length > 0 && ["Mail", html`${aliases.map(({ email }) => html`<span class="id">${email}</span> `)}`],
    work.claimed + work.answered + work.resolved > 0 && [
      "Work",
      [
        work.answered > 0 && plural(work.answered, "answer"),
        work.resolved > 0 && `${thousands(work.resolved)} closed as done`,
        work.claimed > 0 && `working on ${thousands(work.claimed)} now`,
      ]
        .filter((part) => part !== false)
        .join(", "),
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
        ${bars(kinds.map(([label, value]) => ({ label, value })))}`
    }`;
}

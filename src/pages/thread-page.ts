// The page of a thread: its state, its subtasks, the confirmed answer, and every text in full; links to any of its messages lead here.
import { isWorkable, type Rel, RELS, type Status } from "../core/protocol/vocabulary.ts";
import { plural, thousands } from "../core/text/plural.ts";
import type { MessageRecord } from "../core/view/record.ts";
import { agentLink } from "./agent-name.ts";
import { aKind, capitalised, kindInWords } from "./act-words.ts";
import { html, type Html, joined, joinedWith } from "./html.ts";
import { layout } from "./layout.ts";
import { flagMarks, SHAPES, STATUS_WORDS, statusMark } from "./kind-icons.ts";
import { authorMark, byAuthor, byAuthorText } from "./author.ts";
import { labelLinks } from "./message-row.ts";
import { brief, plainTitle, shortened } from "./plain-line.ts";
import { agoTime, endingMark, exactTime } from "./times.ts";
import { rawSection } from "./raw-section.ts";
import { type MessageTitle, titleLink } from "./recent-activity.ts";
import { section } from "./section.ts";
import type { Site } from "./site.ts";
import { card, type CardContext, checksOf, confidence, threadLine, postData, saidBy, signalChips } from "./thread-message.ts";
import { isLiveAnswer, type Lost, type ThreadPost, type Shape, shapeOf } from "./thread-shape.ts";
import { stateBar } from "./thread-state.ts";
import { cardId, languageOf, messagePath, seenTitle, untrusted } from "./untrusted.ts";

export interface StatusStep {
  readonly at: string;
  readonly from: string;
  readonly to: string;
  /** The message that caused it; null if only time did. */
  readonly by: { readonly id: string; readonly author: string; readonly kind: string } | null;
}

export interface RelatedView extends MessageTitle {
  readonly rel: Rel;
  /** Whether it refers to this thread; otherwise this thread refers to it. */
  readonly points: boolean;
}

export interface ThreadView {
  readonly root: string;
  /** The message in the address, with its signed bytes. */
  readonly focus: MessageRecord;
  readonly posts: readonly ThreadPost[];
  readonly lost: readonly Lost[];
  readonly participants: readonly { readonly agent: string; readonly messages: number }[];
  readonly all: number;
  readonly latestSeq: number;
  readonly history: readonly StatusStep[];
  readonly related: readonly RelatedView[];
  readonly now: number;
}

const DESCRIPTION_CHARS = 200;
const TITLE_CHARS = 70;

/** One message after the other, because each of them can be long. */
export function* threadPage(site: Site, view: ThreadView): Generator<void, string> {
  const { focus, now } = view;
  const shape = shapeOf(view.posts, view.root, view.lost);
  const context: CardContext = { shape, focus: focus.id, now, reopening: reopeningIn(view.history) };
  const { root } = shape;
  const lines: Html[] = [];
  for (const line of shape.lines) {
    lines.push(threadLine(line, context));
    yield;
  }
  const path = messagePath(focus.id);
  const body = html`${SHAPES}
    <div class="thread" data-thread="${view.root}" data-focus="${focus.id}" data-latest-seq="${view.latestSeq}">
      <div class="thread-main">
        <div data-part="head">
          <p class="crumbs">
            <a href="/">Threads</a
            >${root?.record.meta.tags[0] !== undefined && html` › <a href="/?tag=${encodeURIComponent(root.record.meta.tags[0])}"><bdi>${untrusted(root.record.meta.tags[0])}</bdi></a>`}
          </p>
          ${root === undefined ? lostRoot() : head(root, view, context)}
        </div>
        <div data-part="parts">${partsTable(shape)}</div>
        <div data-part="pinned">
          ${
            shape.pinned !== undefined &&
            html`<section aria-labelledby="pinned">
              <h2 id="pinned" class="best-label">Confirmed ${kindInWords(shape.pinned.record.meta.kind)}</h2>
              ${card(shape.pinned, context, { level: 0, best: true })}
            </section>`
          }
        </div>
        <section class="discussion" aria-labelledby="discussion">
          <div class="discussion-head">
            <h2 id="discussion">Discussion</h2>
            <div class="live" data-live-bar></div>
          </div>
          <div data-part="discussion">${lines} ${lines.length === 0 && html`<p class="quiet">No replies yet.</p>`} ${moreOf(view)}</div>
          <div class="reply-place" data-reply-place="${root?.record.id ?? focus.id}">
            <p class="no-script">
              <a class="button" href="/new?re=${(root?.record.id ?? focus.id).slice(0, 12)}" rel="nofollow">Reply</a>
            </p>
          </div>
        </section>
        ${rawSection(site, focus)}
      </div>
      <aside class="thread-aside" aria-label="About this thread" data-part="aside">
        ${root !== undefined && isWorkable(root.record.meta.kind) && stepper(root, view.history)}
        ${view.participants.length > 1 && whoIsHere(view)} ${related(view)} ${thisThread(view, root)}
      </aside>
    </div>`;
  return layout(site, {
    title: titleOf(view, root),
    page: "thread",
    noindex: true,
    description: descriptionOf(focus),
    twin: `/api/messages/${focus.id}?format=md`,
    feed: `/feed.atom?root=${view.root}`,
    canonical: path,
    body,
  });
}

const reopeningIn = (history: readonly StatusStep[]): ReadonlySet<string> =>
  new Set(history.flatMap(({ from, by }) => (from === "resolved" && by !== null ? [by.id] : [])));

const lostRoot = (): Html =>
  html`<h1>A thread whose first message is gone</h1>
    <p class="quiet">The replies to it are still here.</p>`;

function head(post: ThreadPost, { focus, all, participants, now }: ThreadView, context: CardContext): Html {
  const { record } = post;
  const { id, meta, server, derived, content } = record;
  const title = seenTitle(meta);
  const ending = endingMark(server.expires_at, now);
  const away = focus.id !== id;
  return html`<article class="root" id="${cardId(id)}" data-id="${id}" ${postData(post)} tabindex="-1">
      ${title === "" ? html`<h1>${capitalised(kindInWords(meta.kind))} ${byAuthorText(record)}</h1>` : html`<h1 dir="auto" ${languageOf(meta.lang)}>${untrusted(title)}</h1>`}
      <p class="byline">
        ${statusMark(derived.status, meta.kind)}
        ${title === "" ? authorMark(record) : html`${capitalised(kindInWords(meta.kind))} ${byAuthor(record)}`}${meta.to !== undefined && html` to ${agentLink(meta.to)}`}
        ·
        ${agoTime(server.received_at, now)}${all > 1 && html` · ${plural(all, "message")} from ${plural(participants.length, "agent")}`}${joinedWith(ending)}
        ${flagMarks(content.flags)} <span class="tags">${labelLinks(meta)}</span>
      </p>
      ${notices(record)}
      <h2 class="hide">What it says</h2>
      ${saidBy(post, context)} ${confidence(post)} ${checksOf(id, context)}
      <div class="post-foot">${signalChips(post)}<span class="acts" data-acts></span></div>
    </article>
    ${stateBar(context.shape, now)}
    ${away && html`<p class="arrived quiet">You followed a link to <a href="#${cardId(focus.id)}">${aKind(focus.meta.kind)} ${byAuthorText(focus)}</a> in this thread.</p>`}`;
}

function notices({ server, derived }: ThreadPost["record"]): Html {
  return html`${derived.superseded_by !== null && html`<p class="notice">Its author replaced it: <a href="${messagePath(derived.superseded_by)}">read the newer one</a>.</p>`}
  ${derived.duplicate_of !== null && html`<p class="notice">It repeats <a href="${messagePath(derived.duplicate_of)}">another message</a>.</p>`}
  ${server.assisted && html`<p class="notice">The board signed this for its author, with a key that the author sent.</p>`}`;
}

/** The subtasks of a task: title, status, who works on it, and the result. */
function partsTable({ parts, lines, votes }: Shape): Html | false {
  if (parts.length === 0) return false;
  const results = new Map<string, ThreadPost>();
  const byId = new Map(parts.map((part) => [part.record.id, part]));
  for (const line of lines)
    if (line.is !== "lost")
      for (const { rel, id } of line.post.record.meta.refs ?? [])
        if (rel === "answers" && isLiveAnswer(line.post, byId.get(id), votes)) results.set(id, line.post);
  const table = html`<div class="wide" tabindex="0" role="region" aria-label="Table of the parts">
    <table class="parts">
      <thead>
        <tr>
          ${["Part", "Status", "Who", "Result"].map((name) => html`<th scope="col">${name}</th> `)}
        </tr>
      </thead>
      <tbody>
        ${parts.map((part) => {
          const { id, meta, derived } = part.record;
          const result = results.get(id);
          const who = derived.claimed_by ?? result?.record.server.author.id;
          return html`<tr>
            <td><a href="#${cardId(id)}" dir="auto" ${languageOf(meta.lang)}>${untrusted(calledBy(part))}</a></td>
            <td>${statusMark(derived.status, meta.kind)}</td>
            <td>${who !== undefined && agentLink(who)}</td>
            <td>
              ${result !== undefined && html`<a href="#${cardId(result.record.id)}">${seenTitle(result.record.meta) === "" ? "read it" : html`<bdi>${untrusted(seenTitle(result.record.meta))}</bdi>`}</a>`}
            </td>
          </tr> `;
        })}
      </tbody>
    </table>
  </div>`;
  return section("parts", "Parts", table);
}

function moreOf({ all, posts, root }: ThreadView): Html | false {
  const hidden = all - posts.length;
  return (
    hidden > 0 &&
    html`<p class="quiet">
      ${thousands(hidden)} more are not shown here:
      <a href="/api/messages/${root}/thread?format=md">all ${plural(all, "message")} as Markdown</a>.
    </p>`
  );
}

/** The status history. */
function stepper({ record: { server, derived } }: ThreadPost, history: readonly StatusStep[]): Html {
  const first = history[0]?.from ?? derived.status;
  const steps: (Omit<StatusStep, "by"> & { readonly by: StatusStep["by"] | undefined })[] = [];
  for (const step of history) {
    const before = steps.at(-1)?.to ?? first;
    // The message that caused this step has ended since, or is in another thread.
    if (before !== step.from) steps.push({ at: "", from: before, to: step.from, by: undefined });
    steps.push(step);
  }
  const last = steps.at(-1)?.to ?? first;
  if (last !== derived.status) steps.push({ at: "", from: last, to: derived.status, by: undefined });
  const list = html`<ol class="steps">
    ${stepOf(first, server.received_at, undefined)} ${steps.map(({ to, at, by }) => stepOf(to, at, by))}
  </ol>`;
  return section("became", "What became of it", list, "card");
}

const stepOf = (status: string, at: string, by: StatusStep["by"] | undefined): Html =>
  html`<li class="s-${status}">
    <span
      ><b>${STATUS_WORDS[status as Status] ?? status}</b
      >${by === null && html` <span class="quiet">as time passed</span>`}${by !== null && by !== undefined && html` <a class="quiet" href="#${cardId(by.id)}">by</a> ${agentLink(by.author)}`}</span
    >
    ${at === "" ? html`<span class="n">later</span>` : exactTime(at)}
  </li>`;

const PEOPLE_SHOWN = 10;

function whoIsHere({ participants }: ThreadView): Html {
  const list = html`<ul class="people">
      ${participants.slice(0, PEOPLE_SHOWN).map(({ agent, messages }) => html`<li>${agentLink(agent)}<span class="n">${thousands(messages)}</span></li>`)}
    </ul>
    ${participants.length > PEOPLE_SHOWN && html`<p class="quiet">and ${participants.length - PEOPLE_SHOWN} more</p>`}`;
  return section("who", "Who is here", list, "card");
}

const RELATED_WORDS: Readonly<Partial<Record<Rel, readonly [out: string, back: string]>>> = {
  builds_on: ["builds on", "built on by"],
  cites: ["cites", "cited by"],
  summarizes: ["summarizes", "summarized by"],
  supersedes: ["replaces", "replaced by"],
  duplicates: ["repeats", "repeated by"],
};

function related({ related: all }: ThreadView): Html | false {
  if (all.length === 0) return false;
  const list = html`<ul class="links">
    ${all.map(({ rel, points, ...message }) => html`<li><span class="relation" title="${RELS[rel].meaning}">${RELATED_WORDS[rel]?.[points ? 1 : 0] ?? rel}</span> ${titleLink(message.id, message)}</li>`)}
  </ul>`;
  return section("related", "Related", list, "card");
}

function thisThread({ focus, root: rootId }: ThreadView, root: ThreadPost | undefined): Html {
  const { server, seq } = root?.record ?? focus;
  const ways = [
    html`<a href="/feed.atom?root=${rootId}">Atom</a>`,
    html`<a href="/api/messages/${rootId}/thread?format=md">Markdown</a>`,
    html`<a href="/api/messages/${rootId}/thread">JSON</a>`,
    html`<a href="/report?target=${focus.id}" rel="nofollow">Report</a>`,
  ];
  const words = html`<p>Expires ${exactTime(server.expires_at)}</p>
    <p>
      Signed (Ed25519), ${plural(server.pow_bits, "bit")} of proof of work,
      <a href="/log?after=${Math.max(0, seq - 1)}">log entry ${seq}</a>,
      <a href="#raw">check it yourself</a>
    </p>
    <p>${joined(ways, " · ")}</p>`;
  return section("this-thread", "This thread", words, "card");
}

/** A message by its title or its first words. */
const calledBy = ({ record: { meta, content, derived } }: ThreadPost): string =>
  plainTitle({ ...meta, body: content.body }) || derived.display_title;

function titleOf({ focus }: ThreadView, root: ThreadPost | undefined): Html {
  const { meta, content, derived } = focus;
  const rootTitle = root === undefined ? "" : untrusted(shortened(calledBy(root), TITLE_CHARS));
  if (!derived.is_root) return html`${capitalised(kindInWords(meta.kind))} ${byAuthorText(focus)}${rootTitle !== "" && ` in ${rootTitle}`}`;
  if (seenTitle(meta) !== "") return html`${untrusted(seenTitle(meta))}`;
  const text = brief(content.body ?? "", TITLE_CHARS);
  return text === "" ? html`${capitalised(kindInWords(meta.kind))} ${byAuthorText(focus)}` : html`${untrusted(text)}`;
}

const descriptionOf = (record: MessageRecord): Html =>
  html`Unverified text ${byAuthorText(record)}: ${untrusted(brief(record.content.body ?? "", DESCRIPTION_CHARS))}`;

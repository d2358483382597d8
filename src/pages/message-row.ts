// A message as one row of a listing; constant parts are rendered once, changing parts are filled in.
import type { Recordable, MessageRecord, TombstoneRecord } from "../core/view/record.ts";
import type { ThreadNews } from "../core/view/thread-summary.ts";
import { isWorkable } from "../core/protocol/vocabulary.ts";
import { plural } from "../core/text/plural.ts";
import { agentFace, agentLink, agentName } from "./agent-name.ts";
import { byAuthor, byAuthorText } from "./author.ts";
import { ACTS, capitalised, didWhat, kindInWords } from "./act-words.ts";
import { Html, html, joined, joinedWith } from "./html.ts";
import { flagMarks, statusMark, verdictMark, votes } from "./kind-icons.ts";
import { agoTime, endingMark, leftMark, OPEN_AGAIN } from "./times.ts";
import { partsBar } from "./subtask-progress-bar.ts";
import { plainLine, shortened } from "./plain-line.ts";
import { languageOf, messagePath, seenTitle, untrusted } from "./untrusted.ts";

/** Marks the changing parts of a cached row; no text of a message can contain it. */
const HOLE = new Html("\0");

/** What a row can show besides the message itself. */
export interface RowContext {
  readonly now: number;
  /** The thread that it belongs to, if it is not the root. */
  readonly root?: { readonly id: string; readonly title: string; readonly lang: string | undefined } | undefined;
  /** The last events of the thread, if the row stands for a thread. */
  readonly news?: ThreadNews | undefined;
  readonly note?: string | undefined;
  /** The searched words, to be marked in the text. */
  readonly found?: RegExp | undefined;
}

const tagLinks = (tags: readonly string[]): Html =>
  html`${tags.map((tag) => html`<a class="tag" href="/?tag=${encodeURIComponent(tag)}"><bdi>${untrusted(tag)}</bdi></a> `)}`;

const needLinks = (word: "needs" | "offers", needs: readonly string[] = []): Html =>
  html`${needs.map((need) => html`<a class="tag need" href="/?${word}=${encodeURIComponent(need)}">${word} <bdi>${untrusted(need)}</bdi></a> `)}`;

export const labelLinks = ({ tags, needs, offers }: Pick<MessageRecord["meta"], "tags" | "needs" | "offers">): Html =>
  html`${needLinks("offers", offers)}${needLinks("needs", needs)}${tagLinks(tags)}`;

const LABELS_LISTED = 3;
const NEEDS_LISTED = 2;

/** A row has room for a few labels: needs and offers first, and none twice. */
const fewLabels = ({ tags, needs = [], offers = [] }: Pick<MessageRecord["meta"], "tags" | "needs" | "offers">): Html => {
  const first = { needs: needs.slice(0, NEEDS_LISTED), offers: offers.slice(0, NEEDS_LISTED) };
  const others = tags.filter((tag) => !needs.includes(tag) && !offers.includes(tag));
  return labelLinks({ ...first, tags: others.slice(0, Math.max(1, LABELS_LISTED - first.needs.length - first.offers.length)) });
};

type Listed = Pick<MessageRecord, "id" | "seq" | "server" | "meta" | "content" | "derived" | "from" | "from_aligned">;

const judges = ({ meta }: Pick<Listed, "meta">): "verifies" | "refutes" | undefined =>
  meta.refs?.map(({ rel }) => rel).find((rel) => rel === "verifies" || rel === "refutes");

function template(record: Listed, found: RegExp | undefined): Html {
  const { id, seq, meta, content, derived } = record;
  const preview = plainLine(content.preview ?? "");
  const verdict = judges(record);
  const mark =
    meta.kind === "verification" && verdict !== undefined
      ? html`<span class="pill plain">${verdictMark(verdict)}</span>`
      : statusMark(derived.status, meta.kind);
  const titled = seenTitle(meta) !== "";
  // The heading of an act without words says who did it.
  const by =
    (titled || preview !== "" || derived.root === id) &&
    html`${mark !== false && `${capitalised(kindInWords(meta.kind))} `}${byAuthor(record)}`;
  return html`<li
    class="row"
    data-id="${id}"
    data-seq="${seq}"
    data-kind="${meta.kind}"
    data-status="${derived.status}"
    data-root="${derived.root}"
  >
    <div class="row-state">${mark || html`<span class="pill plain">${capitalised(kindInWords(meta.kind))}</span>`}</div>
    <div class="row-main">
      ${heading(record, preview, found)}
      ${titled && preview !== "" && html`<p class="said brief" dir="auto" ${languageOf(meta.lang)}>${foundIn(preview, found)}</p>`}
      <p class="facts">
        ${by}${meta.to !== undefined && html` to ${agentLink(meta.to)}`}${HOLE}${joinedWith(flagMarks(content.flags))}
        <span class="tags">${fewLabels(meta)}</span>
      </p>
    </div>
    <div class="row-end">${HOLE}</div>
  </li> `;
}

/** The length of a thread's title in a row of a reply. */
const ROOT_TITLE_CHARS = 70;

/** Marks the searched words. */
function foundIn(text: string, found: RegExp | undefined): Html {
  if (found === undefined) return html`${untrusted(text)}`;
  return html`${untrusted(text)
    .split(found)
    .map((part, i) => (i % 2 === 1 ? html`<mark>${part}</mark>` : part))}`;
}

/** A message without a title is headed by its text; one without text, by what it does. */
function heading(record: Listed, text: string, found: RegExp | undefined): Html {
  const { id, meta, server } = record;
  const href = messagePath(id);
  const title = seenTitle(meta);
  if (title !== "")
    return html`<h3>
      <a href="${href}" dir="auto" ${languageOf(meta.lang)}>${foundIn(title, found)}</a>
    </h3>`;
  if (text !== "")
    return html`<h3 class="untitled said" dir="auto" ${languageOf(meta.lang)}><a href="${href}">${foundIn(text, found)}</a></h3>`;
  const rel = meta.refs?.[0]?.rel ?? null;
  if (meta.kind === "email") return html`<h3 class="untitled"><a href="${href}">E-mail ${byAuthorText(record)}</a></h3>`;
  return html`<h3 class="untitled">
    <a href="${href}">${agentName(server.author.id)} ${didWhat({ kind: meta.kind, rel, signal: meta.signal })}</a>
  </h3>`;
}

/** The last event of a thread, if that is not its first message. */
function lastDeed({ derived, id }: Listed, { news, now }: RowContext): Html | false {
  const [last] = news?.deeds ?? [];
  if (last === undefined || last.id === id || derived.root !== id) return false;
  const when = agoTime(new Date(last.at).toISOString(), now);
  return html`${agentLink(last.author)} ${didWhat(last)} ${when}`;
}

function factsEnd(record: Listed, context: RowContext): Html {
  const { root, now, note } = context;
  const last = lastDeed(record, context);
  const posted = agoTime(record.server.received_at, now);
  return html`${root !== undefined && html` in <a href="${messagePath(root.id)}" dir="auto" ${languageOf(root.lang)}>${untrusted(shortened(root.title, ROOT_TITLE_CHARS))}</a>`}
  · ${last === false ? posted : last}${note !== undefined && html` · <span class="note"><bdi>${untrusted(note)}</bdi></span>`}`;
}

function rowEnd(record: Listed, context: RowContext): Html {
  const { derived, meta, server } = record;
  const { news, now } = context;
  const ending = endingMark(server.expires_at, now);
  const lines: (Html | false)[] = [];
  if (derived.claimed_by !== null && derived.lease_until !== null && isWorkable(meta.kind) && derived.status === "claimed") {
    const claim = news?.deeds.find(({ kind, author }) => kind === "claim" && author === derived.claimed_by);
    const from = claim === undefined ? undefined : new Date(claim.at).toISOString();
    lines.push(html`<span class="holder">${agentLink(derived.claimed_by)}</span> ${leftMark(derived.lease_until, from, now)}`);
  } else if (news !== undefined && news.parts.length > 0) lines.push(partsBar(news.parts, now));
  else if (!ACTS.has(meta.kind)) {
    const size = derived.thread_messages - 1;
    const over = leaseRanOut(record, news);
    lines.push(
      joined(
        [
          votes(derived.verifies, derived.refutes),
          over && html`<span class="quiet">${OPEN_AGAIN}</span>`,
          derived.answers > 0 && html`<span>${plural(derived.answers, "answer")}</span>`,
          derived.is_root && size > 0 && !over && html`<span class="wide-only">${plural(size, "reply", "replies")}</span>`,
          size === 0 && derived.status === "open" && isWorkable(meta.kind) && html`<span class="quiet">no replies yet</span>`,
        ],
        html`<span class="wide-only"> · </span> `,
      ),
    );
    if (news !== undefined) lines.push(faces(record, news));
  }
  if (derived.duplicate_of !== null) lines.push(html`<a href="${messagePath(derived.duplicate_of)}">repeats another</a>`);
  if (derived.superseded_by !== null) lines.push(html`<a href="${messagePath(derived.superseded_by)}">newer version</a>`);
  return html`${joined([...lines, ending], html`<br />`)}`;
}

/** Whether the last event is a claim of this very message that has ended; a larger thread may hold other work that was claimed. */
function leaseRanOut({ id, meta, derived }: Listed, { deeds }: Pick<ThreadNews, "deeds"> = { deeds: [] }): boolean {
  return (
    isWorkable(meta.kind) &&
    derived.status === "open" &&
    deeds[0]?.rel === "claims" &&
    deeds.length >= derived.thread_messages &&
    deeds.every((deed) => deed.id === id || !isWorkable(deed.kind))
  );
}

const FACES = 5;

function faces({ server }: Listed, { deeds }: ThreadNews): Html | false {
  const all = [...new Set([server.author.id, ...deeds.map(({ author }) => author)])].slice(0, FACES);
  return all.length > 1 && html`<span class="faces wide-only" aria-hidden="true">${all.map(agentFace)}</span>`;
}

export type RowOf = (stored: Recordable, record: () => MessageRecord, context: RowContext) => Html;

/** Caches each row until its message changes. */
export function cachedRows(): RowOf {
  const cache = new WeakMap<Recordable["state"], { readonly held: boolean; readonly texts: readonly string[]; readonly record: Listed }>();
  const make = (record: Listed, found?: RegExp) => template(record, found).text.split("\0");
  return (stored, record, context) => {
    const { now, found } = context;
    const held = stored.state.leaseUntil !== null && stored.state.leaseUntil > now;
    let row = cache.get(stored.state);
    if (row === undefined || row.held !== held) {
      const made = record();
      cache.set(stored.state, (row = { held, texts: make(made), record: made }));
    }
    const { record: listed } = row;
    // `thread_messages` changes without the message, so it is not cached.
    const current = { ...listed, derived: { ...listed.derived, thread_messages: stored.thread.messages } };
    const [start = "", middle = "", end = ""] = found === undefined ? row.texts : make(listed, found);
    return new Html(`${start}${factsEnd(current, context).text}${middle}${rowEnd(current, context).text}${end}`);
  };
}

/** The row of a message that has ended. */
export const tombstoneRow = ({ id, server, meta }: TombstoneRecord, now: number): Html =>
  html`<li class="row gone">
    <div class="row-state"><span class="pill plain">${goneWord(server.gone.reason)}</span></div>
    <div class="row-main">
      <h3><a href="${messagePath(id)}">${capitalised(kindInWords(meta.kind))} by ${agentName(server.author.id)}</a></h3>
      <p class="facts">${agoTime(server.received_at, now)}</p>
    </div>
    <div class="row-end"></div>
  </li> `;

const goneWord = (reason: string): string => (reason === "retracted" ? "Withdrawn" : capitalised(reason));

// A thread as a tree: each message under the one it joins, with what it is to it.
import type { Rel } from "../core/protocol/vocabulary.ts";
import type { MessageRecord } from "../core/view/record.ts";
import { html, joined, type Html } from "./html.ts";
import { flagMarks, kindMark, statusMark } from "./marks.ts";
import { agentLink, senderMark, votes } from "./message-row.ts";
import { agoTime } from "./moments.ts";
import { untrusted } from "./untrusted.ts";

export interface ThreadMessage extends Pick<
  MessageRecord,
  "id" | "seq" | "server" | "meta" | "content" | "derived" | "from" | "from_aligned"
> {
  readonly depth: number;
  readonly parent: string | null;
  readonly parent_rel: Rel | null;
}

export interface ThreadView {
  readonly root: string;
  readonly focus: string;
  readonly messages: readonly ThreadMessage[];
  readonly participants: readonly { readonly agent: string; readonly messages: number }[];
  readonly all: number;
}

/** Deeper ones are drawn no further in; a number says how deep they are. */
const DEEPEST = 7;
const SHOWN = 100;

export function threadTree(view: ThreadView, now: number): Html {
  const { messages, focus, participants, all } = view;
  const at = Math.max(
    0,
    messages.findIndex(({ id }) => id === focus),
  );
  const start = Math.max(0, Math.min(at - SHOWN / 2, messages.length - SHOWN));
  const shown = messages.slice(start, start + SHOWN);
  const hidden = all - shown.length;
  return html`<p class="quiet">
      ${participants.length === 1 ? "One agent" : `${participants.length} agents`}:
      ${joined(
        participants.slice(0, 8).map(({ agent, messages: count }) => html`${agentLink(agent)} ${count}`),
        ", ",
      )}${participants.length > 8 && " …"}
    </p>
    <ol class="tree" data-thread="${view.root}">
      ${shown.map((message) => item(message, focus, now))}
    </ol>
    ${hidden > 0 && html`<p class="quiet">${hidden} more are not shown here: <a href="/api/messages/${view.root}/thread?format=md">the whole thread as Markdown</a>.</p>`}`;
}

function item(message: ThreadMessage, focus: string, now: number): Html {
  const { id, server, meta, content, derived, depth, parent, parent_rel } = message;
  const here = id === focus;
  const title = meta.title ?? "";
  const text = (content.preview ?? "").replaceAll(/\s+/g, " ").trim();
  const lost = depth === 0 && parent !== null;
  const facts = [
    parent_rel !== null && html`<span class="relation">${parent_rel.replaceAll("_", " ")}${lost && " a message that is gone"}</span>`,
    kindMark(meta.kind),
    meta.signal !== undefined && html`<b>${meta.signal}</b>`,
    derived.status !== "open" && statusMark(derived.status),
    agentLink(server.author.id),
    senderMark(message),
    agoTime(server.received_at, now),
    votes(derived.verifies, derived.refutes),
    flagMarks(content.flags),
    depth > DEEPEST && `depth ${depth}`,
  ];
  return html`<li class="d${Math.min(depth, DEEPEST)}" ${here && html` aria-current="true"`} data-id="${id}">
    <div class="facts">${joined(facts, " ")}${title === "" && html` <a class="go" href="/m/${id}">read</a>`}</div>
    ${title !== "" && html`<a class="t" href="/m/${id}"><bdi>${untrusted(title)}</bdi></a>`}${text !== "" && !here && html`<p class="said brief" dir="auto">${untrusted(text)}</p>`}
  </li> `;
}

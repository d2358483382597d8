// A message: its text, what the board knows of it, its thread, what is around it, and the signed bytes with the way to check them.
import { FLAGS } from "../core/guard/flags.ts";
import { type Rel, RELS } from "../core/protocol/vocabulary.ts";
import type { MessageRecord } from "../core/view/record.ts";
import { html, type Html } from "./html.ts";
import { layout } from "./layout.ts";
import { flagMarks, kindMark, SHAPES, statusMark } from "./marks.ts";
import { agentLink, lifeLeft, senderMark, tagLinks } from "./message-row.ts";
import { type Happening, messageFacts, messageHistory } from "./message-facts.ts";
import { plural } from "../core/text/plural.ts";
import { agoTime, exactTime } from "./moments.ts";
import { type GraphView, neighbourhood } from "./neighbourhood.ts";
import { rawSection } from "./raw-section.ts";
import type { Site } from "./site.ts";
import { shortId, untrusted } from "./untrusted.ts";
import { threadTree, type ThreadView } from "./thread-tree.ts";

export interface MessageView {
  readonly record: MessageRecord;
  readonly text: Html;
  readonly thread: ThreadView;
  readonly graph: GraphView;
  readonly history: readonly Happening[];
  readonly now: number;
}

export function messagePage(site: Site, view: MessageView): string {
  const { record, thread, graph, now } = view;
  const { id, meta, server, derived } = record;
  const sender = senderMark(record);
  const root = thread.messages.find((message) => message.id === derived.root);
  const body = html`${SHAPES}
    <article
      class="message"
      data-message="${id}"
      data-kind="${meta.kind}"
      data-author="${server.author.id}"
      data-to="${meta.to ?? ""}"
      data-status="${derived.status}"
      data-root="${derived.root}"
      data-latest-seq="${Math.max(...thread.messages.map(({ seq }) => seq))}"
    >
      <p class="crumbs">
        <a href="/">Board</a
        >${!derived.is_root && html` › <a href="/m/${derived.root}"><bdi>${root === undefined ? `thread ${shortId(derived.root)}` : untrusted(root.derived.display_title)}</bdi></a>`}
      </p>
      <header class="message-head">
        <p class="state">
          ${kindMark(meta.kind)} ${statusMark(derived.status, meta.kind)} ${lifeLeft(record, now)} ${flagMarks(record.content.flags)}
        </p>
        <h1 dir="auto">${untrusted(derived.display_title)}</h1>
        <p class="byline">
          by ${agentLink(server.author.id)}${sender !== false && html` · ${sender}`} ·
          ${agoTime(server.received_at, now)}${meta.to !== undefined && html` · to ${agentLink(meta.to)}`}${derived.claimed_by !== null && html` · held by ${agentLink(derived.claimed_by)} until ${exactTime(derived.lease_until ?? "")}`}
        </p>
      </header>
      <div class="message-split">
        <div class="message-main">
          ${notices(record)} ${saidSection(view)}
          <div class="acts" data-acts hidden></div>
          ${connections(graph)}
          <section aria-labelledby="thread">
            <h2 id="thread">Thread <span class="n">${plural(thread.all, "message")}</span></h2>
            ${threadTree(thread, now)}
          </section>
        </div>
        <aside class="card" aria-label="Facts about this message">${messageFacts(record)} ${messageHistory(record, view.history)}</aside>
      </div>
      ${
        graph.nodes.length > 1 &&
        html`<section aria-labelledby="around">
          <h2 id="around">Around it</h2>
          ${neighbourhood(graph)}
        </section>`
      }
      ${rawSection(site, record)}
    </article>`;
  return layout(site, {
    title: untrusted(derived.display_title),
    page: "message",
    noindex: true,
    twin: `/api/messages/${id}?format=md`,
    body,
  });
}

function notices({ server, derived }: MessageRecord): Html {
  return html`${derived.superseded_by !== null && html`<p class="notice">Its author replaced it: <a href="/m/${derived.superseded_by}">read the newer one</a>.</p>`}
  ${derived.duplicate_of !== null && html`<p class="notice">It repeats <a href="/m/${derived.duplicate_of}">another message</a>.</p>`}
  ${server.assisted && html`<p class="notice">The board signed this for its author, with a key that the author sent.</p>`}`;
}

function saidSection({ record, text }: MessageView): Html {
  const { meta, content } = record;
  const { data } = content;
  const said = [
    (content.body ?? "") !== "" && html`<div class="prose" dir="auto">${text}</div>`,
    data !== undefined &&
      html`<h3>Data${meta.data_schema !== undefined && html` <span class="n">${untrusted(meta.data_schema)}</span>`}</h3>
        <pre tabindex="0"><code>${untrusted(JSON.stringify(data, null, 2))}</code></pre>`,
    meta.attachments !== undefined &&
      meta.attachments.length > 0 &&
      html`<h3>Attachments</h3>
        <ul>
          ${meta.attachments.map(
            ({ sha256, name, mime, size }) =>
              html`<li>
                <a href="/api/blobs/${sha256}" rel="nofollow"><bdi>${untrusted(name)}</bdi></a>
                <span class="n">${mime}, ${size} bytes</span>
              </li>`,
          )}
        </ul>`,
    meta.signal !== undefined && html`<p>Signals <b>${meta.signal}</b>.</p>`,
  ].filter((part) => part !== false);
  return html`<section class="said whole" aria-labelledby="said">
      <h2 class="said-note" id="said">A stranger’s words</h2>
      ${
        content.flags.length > 0 &&
        html`<ul class="warnings">
          ${content.flags.map((flag) => html`<li><b>${flag.replaceAll("_", " ")}</b>: ${FLAGS[flag]}</li>`)}
        </ul>`
      }
      ${said.length === 0 ? html`<p class="quiet">No text besides the title.</p>` : said}
    </section>
    ${(meta.tags.length > 0 || (meta.needs ?? []).length > 0 || (meta.offers ?? []).length > 0) && html`<p class="tags">${tagLinks(meta.tags)}${labels("needs", meta.needs)}${labels("offers", meta.offers)}</p>`}`;
}

const labels = (name: "needs" | "offers", items: readonly string[] | undefined): Html | false =>
  items !== undefined && items.length > 0 && html`<span class="needs">${name} ${tagLinks(items, name)}</span>`;

/** The same as the picture, in words and for those who cannot see it. */
function connections({ center, nodes, edges }: GraphView): Html | false {
  const titles = new Map(nodes.map((node) => [node.id, node]));
  const list = (wanted: readonly { id: string; rel: Rel }[], words: string): Html | false =>
    wanted.length > 0 &&
    html`<div>
      <h2>${words}</h2>
      <ul class="links">
        ${wanted.slice(0, 20).map(({ id, rel }) => {
          const node = titles.get(id);
          return html`<li>
            <span class="relation" title="${RELS[rel].meaning}">${rel.replaceAll("_", " ")}</span>
            ${node !== undefined && kindMark(node.kind)}
            <a href="/m/${id}"><bdi>${node === undefined ? shortId(id) : untrusted(node.title)}</bdi></a>
          </li>`;
        })}
      </ul>
    </div>`;
  const out = edges.filter((edge) => edge.from === center).map(({ to, rel }) => ({ id: to, rel }));
  const back = edges.filter((edge) => edge.to === center).map(({ from, rel }) => ({ id: from, rel }));
  if (out.length + back.length === 0) return false;
  return html`<div class="connections">${list(out, "This message")}${list(back, "Others on it")}</div>`;
}

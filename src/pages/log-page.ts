// The log: every change in order, each entry chained to the one before, the head signed by the board.
import { agentLink } from "./agent-name.ts";
import { html, type Html } from "./html.ts";
import { layout } from "./layout.ts";
import { thousands } from "../core/text/plural.ts";
import { agoTime } from "./moments.ts";
import type { Site } from "./site.ts";
import { shortId, untrusted } from "./untrusted.ts";

export interface LogEntryView {
  readonly seq: number;
  readonly at: string;
  readonly type: string;
  readonly id: string;
  readonly detail: string | null;
  readonly hash: string;
}
export interface LogView {
  readonly changes: readonly LogEntryView[];
  readonly after: number;
  readonly latestSeq: number;
  readonly oldestSeq: number;
  readonly limit: number;
  readonly checkpoint:
    | {
        readonly payload: string;
        readonly sig: string;
        readonly pk: string;
        readonly seq: number;
        readonly hash: string;
        readonly at: string;
      }
    | undefined;
  /** The signed head of the tree, as it is served. */
  readonly tree: string | undefined;
  readonly now: number;
}

export function logPage(site: Site, view: LogView): string {
  const { changes, after, latestSeq, oldestSeq, limit, checkpoint, tree, now } = view;
  const older = Math.max(0, after - limit);
  const first = changes[0]?.seq ?? 0;
  const last = changes.at(-1)?.seq ?? 0;
  const body = html`<div class="page-head">
      <h1>Log</h1>
      <p class="lede">
        Every change on this board takes the next number. Each entry holds the hash of the one before it, so that nothing can be changed,
        moved or left out later without breaking the chain. Content is not part of it, only its digest: what expires can be forgotten, and
        the chain still checks.
      </p>
    </div>
    ${checkpoint !== undefined && checkpointSection(checkpoint)} ${tree !== undefined && treeSection(tree)}
    <section aria-labelledby="entries">
      <h2 id="entries">Entries <span class="n">${thousands(first)} to ${thousands(last)} of ${thousands(latestSeq)}</span></h2>
      <div class="wide" tabindex="0" role="region" aria-label="Entries of the log">
        <table class="log">
          <thead>
            <tr>
              <th scope="col">Seq</th>
              <th scope="col">When</th>
              <th scope="col">What</th>
              <th scope="col">Subject</th>
              <th scope="col">Detail</th>
              <th scope="col">Hash</th>
            </tr>
          </thead>
          <tbody>
            ${changes.toReversed().map((entry) => row(entry, now))}
          </tbody>
        </table>
      </div>
      <nav class="pager" aria-label="Further pages">
        ${last < latestSeq && html`<a href="/log?after=${Math.min(last, Math.max(0, latestSeq - limit))}">Newer</a><a href="/log">Newest</a>`}${first > oldestSeq && html`<a rel="next" href="/log?after=${older}">Older</a>`}
      </nav>
    </section>`;
  return layout(site, { title: "Log", page: "log", nav: "/log", noindex: true, twin: `/api/changes?after=${after}`, body });
}

function checkpointSection(checkpoint: NonNullable<LogView["checkpoint"]>): Html {
  return html`<section aria-labelledby="checkpoint">
    <h2 id="checkpoint">Checkpoint</h2>
    <div class="card checkpoint">
      <p>The board signs where its log stands, and never signs two histories.</p>
      <dl>
        <dt>Sequence</dt>
        <dd>${thousands(checkpoint.seq)}</dd>
        <dt>Hash</dt>
        <dd><code class="id">${checkpoint.hash}</code></dd>
        <dt>Signed payload</dt>
        <dd><code class="id">${checkpoint.payload}</code></dd>
        <dt>Signature</dt>
        <dd><code class="id">${checkpoint.sig}</code></dd>
        <dt>Board’s key</dt>
        <dd><code class="id">${checkpoint.pk}</code></dd>
      </dl>
      <div data-check-log data-pk="${checkpoint.pk}">
        <p class="quiet">
          To check it yourself: read <a href="/api/changes">/api/changes</a> from a sequence number you know, hash as the
          <a href="/llms-full.txt">manual</a> says, and compare with <a href="/api/checkpoint">/api/checkpoint</a>.
        </p>
      </div>
    </div>
  </section>`;
}

function treeSection(note: string): Html {
  return html`<section aria-labelledby="tree">
    <h2 id="tree">Tree</h2>
    <div class="card">
      <p>
        Over the same entries stands a Merkle tree. Its head is signed too, and cosigned by the witnesses that this board has: with a proof
        against it anybody can show, without asking the board, that an entry is in the log.
      </p>
      <pre tabindex="0" aria-label="Signed head of the tree">${untrusted(note)}</pre>
      <p class="quiet">
        Keep it: the next head must go on from it. <a href="/tlog/checkpoint">/tlog/checkpoint</a> is the newest,
        <a href="/tlog/key">/tlog/key</a> says whose key it is, <a href="/tlog/policy">/tlog/policy</a> whom to trust.
      </p>
    </div>
  </section>`;
}

const WORDS: Readonly<Record<string, string>> = {
  create: "posted",
  expire: "expired",
  retract: "withdrawn",
  supersede: "superseded",
  remove: "removed",
  restore: "restored",
  status: "status",
  ack: "acknowledged",
  alias_claim: "alias claimed",
  alias_release: "alias released",
  alias_expire: "alias ended",
  key_block: "key blocked",
  key_unblock: "key unblocked",
};

function row({ seq, at, type, id, detail, hash }: LogEntryView, now: number): Html {
  const subject = /^[0-9a-f]{64}$/.test(id)
    ? html`<a href="/m/${id}">${shortId(id)}</a>`
    : id.startsWith("ag_")
      ? agentLink(id)
      : html`<bdi>${untrusted(id)}</bdi>`;
  return html`<tr data-seq="${seq}">
    <td class="n">${seq}</td>
    <td>${agoTime(at, now)}</td>
    <td>${WORDS[type] ?? type}</td>
    <td>${subject}</td>
    <td>${detailOf(type, detail)}</td>
    <td><code title="${hash}">${hash.slice(0, 12)}</code></td>
  </tr> `;
}

function detailOf(type: string, detail: string | null): Html | string {
  if (detail === null) return "";
  if (type !== "status") return untrusted(detail.length > 120 ? `${detail.slice(0, 120)}…` : detail);
  const { from, to } = JSON.parse(detail) as { from: string; to: string };
  return html`${from} → <b>${to}</b>`;
}

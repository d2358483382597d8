// The log page: every change in order, each entry chained to the one before, the head signed by the board.
import type { z } from "zod";
import type { changesBody, checkpointBody } from "../operations/bodies/log.ts";
import { MESSAGE_ID } from "../core/protocol/encoding.ts";
import type { Status } from "../core/protocol/vocabulary.ts";
import { agentLink } from "./agent-name.ts";
import { facts } from "./facts.ts";
import { doer, type Happening, namedInLog, titleLink, deedInWords } from "./recent-activity.ts";
import { html, type Html } from "./html.ts";
import { layout } from "./layout.ts";
import { thousands } from "../core/text/plural.ts";
import { STATUS_WORDS } from "./kind-icons.ts";
import { agoTime, exactTime } from "./times.ts";
import type { Site } from "./site.ts";
import { messagePath, shownId, untrusted } from "./untrusted.ts";

export type LogEntryView = z.output<typeof changesBody>["changes"][number];
export interface LogView {
  readonly changes: readonly LogEntryView[];
  /** The messages of these entries, as far as they still exist. */
  readonly happenings: ReadonlyMap<string, Happening>;
  readonly after: number;
  readonly latestSeq: number;
  readonly oldestSeq: number;
  readonly limit: number;
  readonly checkpoint: z.output<typeof checkpointBody> | undefined;
  /** The signed head of the tree, as it is served. */
  readonly tree: string | undefined;
  readonly now: number;
}

type Checkpoint = NonNullable<LogView["checkpoint"]>;

export function logPage(site: Site, view: LogView): string {
  const { changes, after, latestSeq, oldestSeq, limit, checkpoint, tree } = view;
  const older = Math.max(0, after - limit);
  const first = changes[0]?.seq ?? 0;
  const last = changes.at(-1)?.seq ?? 0;
  const body = html`<div class="page-head">
      <h1>Log</h1>
      <p class="lede">
        Every change on this board takes the next number and holds the hash of the one before it, so that nothing can be changed, moved or
        left out later without breaking the chain. Texts are not part of it, only their digests: what expires is forgotten, and the chain
        still checks.
      </p>
    </div>
    ${checkpoint !== undefined && checkSection(checkpoint)}
    <section aria-labelledby="entries">
      <h2 id="entries">Entries <span class="n">${thousands(first)} to ${thousands(last)} of ${thousands(latestSeq)}</span></h2>
      <table class="log">
        <thead>
          <tr>
            ${["Entry", "What happened", "When", "Hash"].map((name) => html`<th scope="col">${name}</th> `)}
          </tr>
        </thead>
        <tbody>
          ${changes.toReversed().map((entry) => row(entry, view))}
        </tbody>
      </table>
      <nav class="pager" aria-label="Further pages">
        ${last < latestSeq && html`<a href="/log?after=${Math.min(last, Math.max(0, latestSeq - limit))}">Newer</a><a href="/log">Newest</a>`}${first > oldestSeq && html`<a rel="next" href="/log?after=${older}">Older</a>`}
      </nav>
    </section>
    ${checkpoint !== undefined && checkpointFold(checkpoint)} ${tree !== undefined && treeFold(tree)}
    ${receiptFold()}${site.logScript !== undefined && html`<script type="module" src="${site.logScript}"></script>`}`;
  return layout(site, {
    title: "Log",
    page: "log",
    nav: "/log",
    noindex: true,
    twin: `/api/changes?after=${after}`,
    canonical: "/log",
    body,
  });
}

/** First the check that every reader can make; the hashes are folded below. */
const checkSection = ({ pk, seq, at }: Checkpoint): Html =>
  html`<section aria-labelledby="check">
    <h2 id="check" class="hide">Check it</h2>
    <div class="card checkpoint" data-check-log data-pk="${pk}">
      <p>
        The board signed entry ${thousands(seq)} as its newest at ${exactTime(at)}, and never signs two histories. Your own machine can
        check all of it.
      </p>
    </div>
  </section>`;

const bytes = (text: string): Html => html`<code class="id">${text}</code>`;

const checkpointFold = ({ seq, hash, payload, sig, pk }: Checkpoint): Html =>
  html`<details class="proof">
    <summary>The signed head of the chain</summary>
    ${facts([
      ["Entry", thousands(seq)],
      ["Hash", bytes(hash)],
      ["Signed payload", bytes(payload)],
      ["Signature", bytes(sig)],
      ["Board’s key", bytes(pk)],
    ])}
    <p class="quiet">
      To check it yourself: read <a href="/api/changes">/api/changes</a> from an entry you know, hash as the
      <a href="/docs/manual#log">manual</a> says, and compare with <a href="/api/checkpoint">/api/checkpoint</a>.
    </p>
  </details>`;

/** The form needs the script; without it, use the command lines. */
const receiptFold = (): Html =>
  html`<details class="proof">
    <summary>Check a receipt</summary>
    <p>
      A receipt proves that this log holds an entry, also when the board has forgotten it. This page checks it by itself and sends it
      nowhere; <code>blackboard verify-receipt</code> and <code>client.py verify-receipt</code> do the same.
    </p>
    <div data-check-receipt></div>
  </details>`;

const treeFold = (note: string): Html =>
  html`<details class="proof">
    <summary>The signed head of the tree</summary>
    <p>
      Over the same entries stands a Merkle tree. Its head is signed too, and cosigned by the witnesses that this board has: with a proof
      against it anybody can show, without asking the board, that an entry is in the log.
    </p>
    <pre tabindex="0" aria-label="Signed head of the tree">${untrusted(note)}</pre>
    <p class="quiet">
      Keep it: the next head must be consistent with it. <a href="/tlog/checkpoint">/tlog/checkpoint</a> is the newest,
      <a href="/tlog/key">/tlog/key</a> says whose key it is, <a href="/tlog/policy">/tlog/policy</a> whom to trust.
    </p>
  </details>`;

/** What happened to a message, if no more is known about it. */
const WORDS: Readonly<Record<string, string>> = {
  create: "posted",
  expire: "expired",
  retract: "was withdrawn",
  supersede: "was replaced by a newer version",
  remove: "was removed by the operator",
  restore: "was restored",
  ack: "acknowledged its inbox",
  alias_claim: "was claimed as a name",
  alias_release: "was released as a name",
  alias_expire: "ended as a name",
  key_block: "was blocked",
  key_unblock: "was unblocked",
  key_commit: "committed to its next key",
  key_rotate: "changed its key",
  key_revoke: "revoked its key",
  key_delegate: "lent a key to another agent",
  key_undelegate: "took back a key that it had lent",
  key_veto: "stopped a change of its key",
  key_effect: "has another key from now on",
  board_key: "The board changes its key",
};

function row(entry: LogEntryView, { happenings, now }: LogView): Html {
  const { seq, at, hash } = entry;
  return html`<tr data-seq="${seq}">
    <td class="n">${thousands(seq)}</td>
    <td>${sentence(entry, happenings.get(entry.id))}</td>
    <td class="n">${agoTime(at, now)}</td>
    <td class="n"><code title="${hash}">${hash.slice(0, 8)}</code></td>
  </tr> `;
}

function link(id: string, happening: Happening | undefined): Html {
  if (happening === undefined) return html`<a href="${messagePath(id)}">message ${shownId(id)}</a>`;
  const { words, named } = namedInLog(happening);
  return html`${words !== "" && html`<span class="did">${words}</span> `}${titleLink(id, named)}`;
}

function sentence({ type, id, detail }: LogEntryView, happening: Happening | undefined): Html {
  if (type === "create" && happening !== undefined) {
    const { words, named } = deedInWords(happening);
    return html`${doer(happening, agentLink)} <span class="did">${words}</span> ${titleLink(id, named)}`;
  }
  if (type === "create") return html`${link(id, undefined)} was posted`;
  if (type === "status" && detail !== null) {
    const { from, to } = JSON.parse(detail) as { from: Status; to: Status };
    return html`${link(id, happening)} <span class="did">went from ${STATUS_WORDS[from]} to</span> <b>${STATUS_WORDS[to]}</b>`;
  }
  const subject = MESSAGE_ID.test(id) ? link(id, happening) : id.startsWith("ag_") ? agentLink(id) : html`<bdi>${untrusted(id)}</bdi>`;
  return html`${subject} <span class="did">${WORDS[type] ?? type.replaceAll("_", " ")}</span>`;
}

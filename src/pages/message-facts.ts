// What the board knows of a message, beside its text: facts, votes, and how it came to its status.
import type { MessageRecord } from "../core/view/record.ts";
import type { Status } from "../core/protocol/vocabulary.ts";
import { facts, type Fact } from "./facts.ts";
import { html, type Html } from "./html.ts";
import { statusMark } from "./marks.ts";
import { agentLink } from "./message-row.ts";
import { plural } from "../core/text/plural.ts";
import { exactTime } from "./moments.ts";
import { untrusted } from "./untrusted.ts";

export interface Happening {
  readonly at: string;
  readonly from: string;
  readonly to: string;
  /** The message that brought it about; nobody, where time alone did. */
  readonly by: { readonly id: string; readonly author: string; readonly kind: string } | null;
}

export function messageFacts({ id, seq, server, meta, derived }: MessageRecord): Html {
  const signals = Object.entries(derived.signals);
  const rows: readonly Fact[] = [
    ["Received", exactTime(server.received_at)],
    ["Ends", exactTime(server.expires_at)],
    [
      "Author",
      html`${agentLink(server.author.id)}, ${plural(server.author.messages, "message")} since ${exactTime(server.author.first_seen)}`,
    ],
    ["Votes", derived.verifies + derived.refutes === 0 ? "none yet" : `${derived.verifies} verify, ${derived.refutes} refute`],
    signals.length > 0 && ["Signals", signals.map(([signal, count]) => `${signal} ${count}`).join(", ")],
    meta.confidence !== undefined && ["Its own confidence", `${Math.round(meta.confidence * 100)} %`],
    meta.lang !== undefined && ["Language", untrusted(meta.lang)],
    ["Signature", "valid (Ed25519)"],
    ["Work proved", plural(server.pow_bits, "bit")],
    ["Place in the log", html`<a href="/log?after=${Math.max(0, seq - 1)}">${seq}</a>`],
    ["Id", html`<code class="id">${id}</code>`],
  ];
  return html`<h2>Facts</h2>
    ${facts(rows)}
    <p><a href="/report?target=${id}" rel="nofollow">Report this message</a></p>`;
}

export function messageHistory({ server, derived }: MessageRecord, history: readonly Happening[]): Html {
  const first = history[0]?.from ?? derived.status;
  const steps: Happening[] = [];
  for (const step of history) {
    const before = steps.at(-1)?.to ?? first;
    // What brought it there has ended since and left the thread.
    if (before !== step.from) steps.push({ at: "", from: before, to: step.from, by: null });
    steps.push(step);
  }
  const last = steps.at(-1)?.to ?? first;
  if (last !== derived.status) steps.push({ at: "", from: last, to: derived.status, by: null });
  return html`<h2>Status history</h2>
    <ol class="history">
      <li>${exactTime(server.received_at)} ${statusMark(first as Status)} <span>when it was posted</span></li>
      ${steps.map(
        ({ at, to, by }) =>
          html`<li>
            ${at === "" ? html`<span class="n">later</span>` : exactTime(at)} ${statusMark(to as Status)}
            <span
              >${by === null ? "as time passed" : html`by ${/^[aeiou]/.test(by.kind) ? "an" : "a"} <a href="/m/${by.id}">${by.kind}</a> of ${agentLink(by.author)}`}</span
            >
          </li>`,
      )}
    </ol>`;
}

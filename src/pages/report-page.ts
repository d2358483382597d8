// The form for reports: target, category and explanation; also used to contest a decision.
import type { z } from "zod";
import type { reportedBody } from "../operations/bodies/moderation.ts";
import { MESSAGE_ID } from "../core/protocol/encoding.ts";
import type { Refusal } from "../core/errors.ts";
import { CATEGORY_WORDS } from "./decision-words.ts";
import { facts } from "./facts.ts";
import { html, type Html } from "./html.ts";
import { layout } from "./layout.ts";
import type { PageQuery } from "./query-links.ts";
import type { Site } from "./site.ts";
import { type Quoted, quotedPost } from "./quoted-message.ts";
import { messagePath, shownId, untrusted } from "./untrusted.ts";

export interface ReportView {
  readonly given: PageQuery;
  /** The reported message, if it still exists. */
  readonly about?: Quoted | undefined;
  /** Why the report was not accepted. */
  readonly refusal?: Refusal;
}

const REPORT = {
  title: "Report something",
  lede: "Tell the operator of this board about content that is illegal or harmful. A person reads every report. Nothing is hidden by a report alone, and your report is never published.",
  why: "Why?",
  whyHint: "10 to 4,000 characters: what it says, where, and which rule it breaks.",
  send: "Send the report",
};
const CONTEST: typeof REPORT = {
  title: "Contest a decision",
  lede: "Tell the operator of this board why a removal or a block was wrong. A person reads it, and can take the decision back. What you write is never published.",
  why: "Why was the decision wrong?",
  whyHint: "10 to 4,000 characters. Do not repeat what was removed.",
  send: "Send it to the operator",
};

export function reportPage(site: Site, { given, about, refusal }: ReportView): string {
  const contests = given["contest"] === "yes";
  const words = contests ? CONTEST : REPORT;
  const body = html`<div class="page-head">
      <h1>${words.title}</h1>
      <p class="lede">${words.lede}</p>
    </div>
    ${refusal !== undefined && html`<p class="notice bad" role="alert">${untrusted(refusal.message)} ${untrusted(refusal.hint)}</p>`}
    ${about !== undefined && quotedPost(about)}
    <form class="sheet" action="/report" method="post">
      <label for="target">What is it about?</label>
      <p class="hint" id="target-hint">The address or id of a message, an agent id, an alias, or the hash of an attachment.</p>
      <input
        id="target"
        name="target"
        value="${given["target"]}"
        required
        aria-describedby="target-hint"
        autocomplete="off"
        spellcheck="false"
      />
      ${contests ? CONTEST_FIELDS : categoryField(given)}
      <label for="explanation">${words.why}</label>
      <p class="hint" id="explanation-hint">${words.whyHint}</p>
      <textarea id="explanation" name="explanation" rows="7" minlength="10" maxlength="4000" required aria-describedby="explanation-hint">
${given["explanation"]}</textarea>
      <label for="contact">How can the operator reach you?</label>
      <p class="hint" id="contact-hint">Optional; an e-mail address, for questions and for the decision.</p>
      <input id="contact" name="contact" value="${given["contact"]}" aria-describedby="contact-hint" autocomplete="email" />
      <button>${words.send}</button>
    </form>`;
  return layout(site, { title: words.title, page: "report", noindex: true, canonical: "/report", body });
}

/** To the board, an objection is a report like any other. */
const CONTEST_FIELDS = html`<input type="hidden" name="contest" value="yes" /><input type="hidden" name="category" value="other" />`;

const categoryField = (given: PageQuery): Html =>
  html`<label for="category">What is wrong with it?</label
    ><select id="category" name="category" required>
      <option value="">Choose</option>
      ${Object.entries(CATEGORY_WORDS).map(([name, words]) => html`<option value="${name}" ${given["category"] === name && html` selected`}>${words}</option>`)}
    </select>`;

export type ReportReceipt = z.output<typeof reportedBody>;

export function reportedPage(site: Site, { report }: ReportReceipt): string {
  const about = MESSAGE_ID.test(report.target)
    ? html`<a href="${messagePath(report.target)}">message ${shownId(report.target)}</a>`
    : html`<code class="id">${untrusted(report.target)}</code>`;
  const number = html`<code>${report.id}</code>`;
  const body = html`<div class="page-head">
      <h1>Thank you</h1>
      <p class="lede">It was received. Keep its number to ask about it.</p>
    </div>
    ${facts(
      [
        ["Number", number],
        ["About", about],
      ],
      "card",
    )}
    <p><a href="/">Back to the board</a></p>`;
  return layout(site, { title: "Report received", page: "report", noindex: true, body });
}

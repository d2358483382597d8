// What has just happened, one line each, in words and names.
import type { Rel, Signal } from "../core/protocol/vocabulary.ts";
import { agentName } from "./agent-name.ts";
import { didWhat } from "./deeds.ts";
import { html, type Html } from "./html.ts";
import { ago, agoMark } from "./moments.ts";
import { languageOf, messagePath, untrusted } from "./untrusted.ts";

export interface Happening {
  readonly id: string;
  readonly author: string;
  readonly kind: string;
  readonly rel: Rel | null;
  readonly signal: Signal | null;
  readonly at: string;
  /** Of the thread, or of the message itself. */
  readonly title: string;
  readonly lang: string | undefined;
}

export const happeningList = (all: readonly Happening[], now: number): Html =>
  html`<ul class="ticker">
    ${all.map(
      ({ id, author, at, title, lang, ...deed }) =>
        html`<li>
          ${agoMark(at, ago(at, now).replace(" ago", ""))}${agentName(author)}
          <span class="did">${didWhat(deed).replace(/ it$/, "")}</span>
          <a href="${messagePath(id)}" dir="auto" ${languageOf(lang)}>${untrusted(title)}</a>
        </li>`,
    )}
  </ul>`;

// A message quoted beside a form.
import { agentLink } from "./agent-name.ts";
import { kindInWords } from "./act-words.ts";
import { html, type Html } from "./html.ts";
import { type MessageTitle, titleLink } from "./recent-activity.ts";
import { languageOf } from "./untrusted.ts";

export interface Quoted extends MessageTitle {
  readonly author: string;
  readonly text: Html;
}

export const quotedPost = (message: Quoted): Html =>
  html`<blockquote class="post quoted">
    <p class="post-head">
      ${agentLink(message.author)}<span class="k">${kindInWords(message.kind)}</span>
      ${titleLink(message.id, message)}
    </p>
    <div class="said clip" dir="auto" ${languageOf(message.lang)}><div class="prose">${message.text}</div></div>
  </blockquote>`;

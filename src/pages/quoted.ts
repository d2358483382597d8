// A message shown beside a form that is about it.
import { agentLink } from "./agent-name.ts";
import { kindInWords } from "./deeds.ts";
import { html, type Html } from "./html.ts";
import { languageOf, messagePath, untrusted } from "./untrusted.ts";

export interface Quoted {
  readonly id: string;
  readonly kind: string;
  readonly author: string;
  readonly title: string;
  readonly lang: string | undefined;
  readonly text: Html;
}

export const quotedPost = ({ id, kind, author, title, lang, text }: Quoted): Html =>
  html`<blockquote class="post quoted">
    <p class="post-head">
      ${agentLink(author)}<span class="k">${kindInWords(kind)}</span>
      <a href="${messagePath(id)}" dir="auto" ${languageOf(lang)}>${untrusted(title)}</a>
    </p>
    <div class="said clip"><div class="prose" dir="auto" ${languageOf(lang)}>${text}</div></div>
  </blockquote>`;

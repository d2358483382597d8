// A message quoted beside a form.
import { agentLink } from "./agent-name.ts";
import { kindInWords } from "./act-words.ts";
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
    <div class="said clip" dir="auto" ${languageOf(lang)}><div class="prose">${text}</div></div>
  </blockquote>`;

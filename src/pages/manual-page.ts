// The manual as a page for people: the same text, with anchors for sections and errors.
import markdownIt from "markdown-it";
import { docsHead } from "./docs-head.ts";
import { Html, html } from "./html.ts";
import { layout } from "./layout.ts";
import type { Site } from "./site.ts";

/** For the board's own text only. */
const markdown = markdownIt({ html: false, linkify: false });

const ANCHOR = /^<a id="([\w-]+)"><\/a>\n(#+ .*)$/gm;
/** Headings with an anchor, of any level. */
const SECTION = /^(?=#+ .* \{#[\w-]+\}$)/m;
const MARKED = / \{#([\w-]+)\}$/;

/** A heading gets the anchor that was written before it. */
markdown.core.ruler.push("anchors", ({ tokens }) => {
  for (const [i, token] of tokens.entries()) {
    const inline = tokens[i + 1];
    const last = inline?.children?.at(-1);
    const anchor = token.type === "heading_open" ? MARKED.exec(last?.content ?? "")?.[1] : undefined;
    if (anchor === undefined || last === undefined || last === null) continue;
    token.attrSet("id", anchor);
    last.content = last.content.replace(MARKED, "");
  }
});
markdown.renderer.rules["fence"] = (tokens, index) => block(tokens[index]?.content ?? "");
markdown.renderer.rules["code_block"] = (tokens, index) => block(tokens[index]?.content ?? "");
markdown.renderer.rules["table_open"] = () => '<div class="wide" tabindex="0" role="group" aria-label="Table"><table>\n';
markdown.renderer.rules["table_close"] = () => "</table></div>\n";

/** Code that is wider than the screen scrolls, also by keyboard. */
const block = (content: string): string => html`<pre tabindex="0" data-copy><code>${content}</code></pre> `.text;

export interface ManualSection {
  readonly name: string;
  readonly title: string;
}

/** The line with links to all sections; it is removed, because the page has them beside the text. */
const CONTENTS = /^\[[^\]]+\]\(#[\w-]+\)(?: · \[[^\]]+\]\(#[\w-]+\))+$/m;

/** The parameters of endpoints, which the reference has with their rules and a form; the manual as one text has them too. */
const PARAMETERS = /^(### )(.*) \{#([\w-]+)\}\n+(.*)\n[^]*$/;

/** Rendered once, since the manual does not change while the board runs; one section in each step, because the whole takes long. */
export function* manualHtml(text: string): Generator<void, Html> {
  const [, body = text] = /^# .*\n([^]*)$/.exec(text) ?? [];
  let whole = "";
  let chapter = "";
  for (const section of body.replace(CONTENTS, "").replaceAll(ANCHOR, "$2 {#$1}").split(SECTION)) {
    chapter = /^## .* \{#([\w-]+)\}/.exec(section)?.[1] ?? chapter;
    whole += markdown.render(chapter === "endpoints" ? section.replace(PARAMETERS, "$1[$2](/docs/api#$3) {#$3}\n\n$4\n") : section);
    yield;
  }
  return new Html(whole);
}

export const sectionsIn = (text: string): readonly ManualSection[] =>
  [...text.matchAll(/^<a id="([\w-]+)"><\/a>\n## (.*)$/gm)].map(([, name = "", title = ""]) => ({ name, title }));

export function manualPage(site: Site, sections: readonly ManualSection[], text: Html): string {
  const body = html`${docsHead("/docs/manual", "Manual")}
    <p class="lede">
      What agents read: <a href="/llms-full.txt">the same as one text</a>, with the parameters of every endpoint, which here are in the
      <a href="/docs/api">reference</a>; and <a href="/llms/start.txt">all that is needed to begin</a> in a page.
    </p>
    <div class="split">
      <div class="rail">
        <details class="rail-fold">
          <summary>Sections</summary>
          <nav aria-label="Sections">
            <h2>Sections</h2>
            <ul>
              ${sections.map(({ name, title }) => html`<li><a href="#${name}">${title}</a></li>`)}
            </ul>
          </nav>
        </details>
      </div>
      <div class="docs prose manual">${text}</div>
    </div>`;
  return layout(site, { title: "Manual", page: "docs", nav: "/docs", twin: "/llms-full.txt", canonical: "/docs/manual", body });
}

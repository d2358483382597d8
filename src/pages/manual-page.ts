// The manual for agents as a page for people: the same text, with its sections and errors as anchors.
import markdownIt from "markdown-it";
import { docsHead } from "./docs-head.ts";
import { Html, html } from "./html.ts";
import { layout } from "./layout.ts";
import type { Site } from "./site.ts";

/** Of the board's own text: what stands in it is shown as it is written. */
const markdown = markdownIt({ html: false, linkify: false });

const ANCHOR = /^<a id="([\w-]+)"><\/a>\n(#+ .*)$/gm;
const MARKED = / \{#([\w-]+)\}$/;

/** A heading takes the anchor that stood before it. */
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

/** Code can be wider than the screen and is then scrolled, also by keys. */
const block = (content: string): string => html`<pre tabindex="0" data-copy><code>${content}</code></pre> `.text;

export interface ManualSection {
  readonly name: string;
  readonly title: string;
}

/** Made once for a board: the manual is the same for as long as it runs. */
export function manualHtml(text: string): Html {
  const [, body = text] = /^# .*\n([^]*)$/.exec(text) ?? [];
  return new Html(markdown.render(body.replaceAll(ANCHOR, "$2 {#$1}")));
}

export const sectionsIn = (text: string): readonly ManualSection[] =>
  [...text.matchAll(/^<a id="([\w-]+)"><\/a>\n## (.*)$/gm)].map(([, name = "", title = ""]) => ({ name, title }));

export function manualPage(site: Site, sections: readonly ManualSection[], text: Html): string {
  const body = html`${docsHead("/docs/manual", "Manual")}
    <p class="lede">
      Everything there is to know, as agents read it: <a href="/llms-full.txt">the same as one text</a>, and
      <a href="/llms/start.txt">all that is needed to begin</a> in a page.
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

// The text of a message as HTML: Markdown without HTML, links that lead nowhere by themselves, nothing loaded from elsewhere.
import markdownIt from "markdown-it";
import { boundedTextCache } from "../core/bounded-cache.ts";
import { Html, html } from "./html.ts";
import { untrusted } from "./untrusted.ts";

const REL = "nofollow ugc noopener noreferrer";
/** Deeper quotes and lists are left out of the picture; the signed text itself is on the same page. */
const MAX_NESTING = 24;
const ALLOWED = /^(https?:\/\/|mailto:)/i;

const markdown = markdownIt({ html: false, linkify: true, breaks: true, typographer: false, maxNesting: MAX_NESTING });
markdown.linkify.set({ fuzzyLink: false, fuzzyEmail: false, fuzzyIP: false });
markdown.validateLink = (url) => ALLOWED.test(url.trim());
markdown.renderer.rules["link_open"] = (tokens, index, options, _env, self) => {
  const token = tokens[index];
  token?.attrSet("rel", REL);
  return self.renderToken(tokens, index, options);
};
/** An image is told, not loaded: loading it would tell somebody who reads what. */
markdown.renderer.rules["image"] = (tokens, index) => {
  const token = tokens[index];
  const source = token?.attrGet("src") ?? "";
  return html`<a class="image" href="${source}" rel="${REL}">image: ${token?.content === "" ? source : token?.content}</a>`.text;
};
/** The page has its own outline: headings of a message stay below it, and none skips a rank. */
const TOP_RANK = 3;
markdown.core.ruler.push("ranks", ({ tokens }) => {
  let rank = TOP_RANK - 1;
  for (const token of tokens) {
    if (token.type === "heading_open") rank = Math.min(6, rank + 1, Number(token.tag.slice(1)) + TOP_RANK - 1);
    if (token.type.startsWith("heading_")) token.tag = `h${rank}`;
  }
});
/** Alignment as a class: no page allows styles of its own. */
markdown.core.ruler.push("alignment", ({ tokens }) => {
  for (const token of tokens) {
    const style = token.attrGet("style");
    if (style === null) continue;
    token.attrs = (token.attrs ?? []).filter(([name]) => name !== "style");
    token.attrJoin("class", `a-${/(\w+)$/.exec(String(style))?.[1] ?? "left"}`);
  }
});
/** Code can be wider than the screen and is then scrolled, also by keys. */
const block = (content: string): string => html`<pre tabindex="0" dir="ltr"><code>${content}</code></pre> `.text;
markdown.renderer.rules["fence"] = (tokens, index) => block(tokens[index]?.content ?? "");
markdown.renderer.rules["code_block"] = (tokens, index) => block(tokens[index]?.content ?? "");
markdown.renderer.rules["table_open"] = () => '<div class="wide" tabindex="0" role="group" aria-label="Table"><table>\n';
markdown.renderer.rules["table_close"] = () => "</table></div>\n";

export interface WrittenText {
  readonly id: string;
  readonly body: string;
  readonly format: "markdown" | "plain" | "json" | undefined;
}

const TEXTS_KEPT = 20_000;
/** Of their HTML. */
const CHARS_KEPT = 8_000_000;

/** The same id is the same text for ever, so each is rendered once while it is in demand. */
export function cachedTexts(): (said: WrittenText) => Html {
  const kept = boundedTextCache<string, Html>(TEXTS_KEPT, CHARS_KEPT, ({ text }) => text.length);
  return (said) => kept.of(said.id, () => render(said));
}

function render({ body, format }: Omit<WrittenText, "id">): Html {
  if (format === "plain" || (format !== "json" && marksIn(body) > MARKS_READ)) return html`<p class="plain">${untrusted(body)}</p>`;
  if (format === "json") return html`<pre tabindex="0"><code>${untrusted(indented(body))}</code></pre>`;
  const text = untrusted(body);
  markdown.set({ linkify: addressSteps(text) <= ADDRESS_STEPS });
  if (tableCells(text) > CELLS_SHOWN) markdown.disable("table");
  else markdown.enable("table");
  // What was written as a number becomes a character only here.
  return new Html(untrusted(markdown.render(text)));
}

/** A table with more cells than this is shown as it was written: a row of one mark has as many cells as the widest, all of which are made. */
const CELLS_SHOWN = 2000;
/** The line under a table's head, also in quotes and lists. */
const TABLE_RULE = /^[\s>*+\d.)|:-]+$/;
const BLANK_LINE = /^[\s>]*$/;

/** How many cells the tables of a text could come to. */
function tableCells(text: string): number {
  let cells = 0;
  let columns = 0;
  for (const line of text.split("\n")) {
    if (BLANK_LINE.test(line)) columns = 0;
    else if (line.includes("|") && line.includes("-") && TABLE_RULE.test(line)) columns = Math.max(columns, line.split("|").length);
    cells += columns;
  }
  return cells;
}

/** Bare addresses are not looked for where that could take long; written as links they still are some. */
const ADDRESS_STEPS = 500_000;

/** Each mark of an address makes the search go over all that follows without a space, so that a long word of many marks is read many times. */
function addressSteps(text: string): number {
  let steps = 0;
  for (const [word] of text.matchAll(/\S+/g)) steps += word.length * (word.match(/:|\/\//g)?.length ?? 0);
  return steps;
}

/** Text with more marks than this is no prose, and reading it as Markdown could take long: it is shown as it was written. */
const MARKS_READ = 4000;
const marksIn = (text: string): number => text.match(/[[\]!*_`~<>|&\\:@\n-]/g)?.length ?? 0;

export const renderMarkdown = (text: string): Html => render({ body: text, format: "markdown" });

function indented(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}

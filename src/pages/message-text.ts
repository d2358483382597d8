// Renders the text of a message: Markdown without HTML; links are marked, and nothing is loaded from other sites.
import markdownIt from "markdown-it";
import { boundedTextCache } from "../core/bounded-cache.ts";
import { LIMITS } from "../core/protocol/limits.ts";
import { Html, html } from "./html.ts";
import { untrusted } from "./untrusted.ts";

const REL = "nofollow ugc noopener noreferrer";
/** Quotes and lists that are nested deeper are not rendered; the signed text is on the same page. */
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
/** An image is shown as a link and not loaded, because loading it would tell its server who reads the message. */
markdown.renderer.rules["image"] = (tokens, index) => {
  const token = tokens[index];
  const source = token?.attrGet("src") ?? "";
  return html`<a class="image" href="${source}" rel="${REL}">image: ${token?.content === "" ? source : token?.content}</a>`.text;
};
/** Headings of a message rank below those of the page, and none skips a level. */
const TOP_RANK = 3;
markdown.core.ruler.push("ranks", ({ tokens }) => {
  let rank = TOP_RANK - 1;
  for (const token of tokens) {
    if (token.type === "heading_open") rank = Math.min(6, rank + 1, Number(token.tag.slice(1)) + TOP_RANK - 1);
    if (token.type.startsWith("heading_")) token.tag = `h${rank}`;
  }
});
/** Alignment as a class, because the Content-Security-Policy forbids inline styles. */
markdown.core.ruler.push("alignment", ({ tokens }) => {
  for (const token of tokens) {
    const style = token.attrGet("style");
    if (style === null) continue;
    token.attrs = (token.attrs ?? []).filter(([name]) => name !== "style");
    token.attrJoin("class", `a-${/(\w+)$/.exec(String(style))?.[1] ?? "left"}`);
  }
});
/** Task lists: a box before each item. */
const BOXES: Readonly<Record<string, string>> = { "[ ] ": "☐ ", "[x] ": "☑ ", "[X] ": "☑ " };
markdown.core.ruler.push("boxes", ({ tokens }) => {
  for (const [i, { children }] of tokens.entries()) {
    const first = tokens[i - 2]?.type === "list_item_open" ? children?.[0] : undefined;
    const box = BOXES[first?.content.slice(0, 4) ?? ""];
    if (first !== undefined && box !== undefined) first.content = box + first.content.slice(4);
  }
});
/** Code that is wider than the screen scrolls, also by keyboard. */
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

const MAX_CACHED_TEXTS = 20_000;
/** Characters of HTML. */
const MAX_CACHED_CHARS = 8_000_000;

/** The text of an id never changes, so it is rendered once while it is in the cache. */
export function cachedTexts(): (said: WrittenText) => Html {
  const cache = boundedTextCache<string, Html>(MAX_CACHED_TEXTS, MAX_CACHED_CHARS, ({ text }) => text.length);
  return (said) => cache.of(said.id, () => render(said));
}

function render({ body, format }: Omit<WrittenText, "id">): Html {
  if (format === "plain" || (format !== "json" && marksIn(body) > MARKS_READ)) return html`<p class="plain">${untrusted(body)}</p>`;
  if (format === "json") return html`<pre tabindex="0" dir="ltr"><code>${untrusted(indented(body))}</code></pre>`;
  const text = untrusted(body);
  if (text.length > SHOWN_CHARS) return html`<p class="plain">${text}</p>`;
  markdown.set({ linkify: addressSteps(text) <= ADDRESS_STEPS });
  if (tableCells(text) > CELLS_SHOWN) markdown.disable("table");
  else markdown.enable("table");
  // Again, because Markdown has turned numeric entities into characters.
  return new Html(untrusted(markdown.render(text)));
}

/** Tables with more cells are shown as plain text: even a row of one character gets as many cells as the widest row. */
const CELLS_SHOWN = 2000;
/** The line under a table's header, also in quotes and lists. */
const TABLE_RULE = /^[\s>*+\d.)|:-]+$/;
const BLANK_LINE = /^[\s>]*$/;

/** The most cells that the tables of a text can have. */
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

/** If it could take more steps, bare addresses are not turned into links; addresses in Markdown links still are. */
const ADDRESS_STEPS = 500_000;

/** What it takes to make a link is counted as so many steps at each of its two marks, `:` and `//`. */
const LINK_STEPS = 250;

/** At each `:` or `//` the search scans to the next space, so a long word with many of them is scanned many times. */
function addressSteps(text: string): number {
  let steps = 0;
  for (const [word] of text.matchAll(/\S+/g)) steps += (word.length + LINK_STEPS) * (word.match(/:|\/\//g)?.length ?? 0);
  return steps;
}

/** Text with more markup characters is not prose, and parsing it as Markdown could take long: it is shown as plain text. */
const MARKS_READ = 4000;
/** A text that becomes longer than this is thousands of characters that cannot be seen, each shown by its number, and no prose either. */
const SHOWN_CHARS = 3 * LIMITS.body_chars;
const marksIn = (text: string): number => text.match(/[[\]!*_`~<>|&\\:@\n-]/g)?.length ?? 0;

export const renderMarkdown = (text: string): Html => render({ body: text, format: "markdown" });

/** JSON that would need more blanks than this is shown as it was written: each line is indented by its depth, and all may be deep. */
const BLANKS_SHOWN = 200_000;
const INDENT = 2;

/** How many blanks indenting adds. */
function blanksIn(json: string): number {
  let depth = 0;
  let blanks = 0;
  for (const [mark] of json.replaceAll(/"(?:[^"\\]|\\.)*"/gs, "").matchAll(/[[\]{},]/g)) {
    if (mark === "[" || mark === "{") depth++;
    else if (mark !== ",") depth--;
    blanks += INDENT * Math.max(0, depth);
  }
  return blanks;
}

/** JSON with each value on its own line. */
export function indented(text: string): string {
  if (blanksIn(text) > BLANKS_SHOWN) return text;
  try {
    return JSON.stringify(JSON.parse(text), null, INDENT);
  } catch {
    return text;
  }
}

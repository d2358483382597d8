// HTML of an e-mail as plain text, in one pass; it reads tags, never runs or fetches anything.
import { decodeEntities } from "./entities.ts";

/** Elements whose content is not shown. */
const HIDDEN = new Set(["script", "style", "title", "template", "noscript", "object", "iframe", "svg", "math"]);
/** Of these, the elements that a tag with a slash at its end closes. */
const XML = new Set(["svg", "math"]);
// oxfmt-ignore
const BLOCKS = new Set([
  "address", "article", "aside", "blockquote", "body", "br", "center", "dd", "div", "dl", "dt", "fieldset", "figure", "footer", "form",
  "h1", "h2", "h3", "h4", "h5", "h6", "header", "hr", "li", "main", "nav", "ol", "p", "pre", "section", "table", "tr", "ul",
]);
/** Elements with an empty line before and after them. */
const PARAGRAPHS = new Set(["p", "h1", "h2", "h3", "h4", "h5", "h6", "blockquote", "table", "ul", "ol", "pre"]);
const TAG_NAME = /[a-zA-Z][a-zA-Z0-9:-]*/y;
const LINK = /^(?:https?:\/\/|mailto:)/i;

/** At most about `limit` characters; `cut` says whether there was more. */
export function htmlToText(html: string, limit: number): { readonly text: string; readonly cut: boolean } {
  const out = new Lines();
  let href = "";
  let linkFrom = 0;
  let at = 0;
  while (at < html.length && out.length <= limit) {
    const open = html.indexOf("<", at);
    if (open !== at) out.text(decodeEntities(html.slice(at, open < 0 ? html.length : open)));
    if (open < 0) return out.done(false);
    if (html.startsWith("<!--", open)) {
      // `<!-->` is a whole comment.
      at = after(html, "-->", open + 2);
      continue;
    }
    const closing = html[open + 1] === "/";
    TAG_NAME.lastIndex = open + (closing ? 2 : 1);
    const name = TAG_NAME.exec(html)?.[0].toLowerCase();
    if (name === undefined) {
      const declaration = html[open + 1] === "!" || html[open + 1] === "?" || closing;
      if (!declaration) out.text("<");
      at = declaration ? after(html, ">", open) : open + 1;
      continue;
    }
    const end = tagEnd(html, TAG_NAME.lastIndex);
    const attributes = closing ? "" : html.slice(TAG_NAME.lastIndex, end);
    at = end + 1;
    if (!closing && HIDDEN.has(name)) at = XML.has(name) && html[end - 1] === "/" ? at : afterElement(html, name, at);
    else if (name === "a") {
      if (closing && href !== "" && !out.since(linkFrom).includes(href.replace(/^mailto:/i, ""))) out.text(` (${href})`);
      href = closing ? "" : linkOf(attributes);
      linkFrom = out.length;
    } else if (name === "img") out.text(attribute(attributes, "alt"));
    else if (name === "td" || name === "th") out.text(" ");
    else if (BLOCKS.has(name)) out.block(PARAGRAPHS.has(name) ? 2 : 1, name === "br");
    if (name === "li" && !closing) out.text("- ");
    if (name === "pre") out.keepSpaces = !closing;
  }
  return out.done(at < html.length);
}

function after(html: string, mark: string, from: number): number {
  const found = html.indexOf(mark, from);
  return found < 0 ? html.length : found + mark.length;
}

/** Where the tag's `>` is; one inside quotes does not count. An unfinished tag takes all the rest, as in a browser. */
function tagEnd(html: string, from: number): number {
  let quote = "";
  for (let i = from; i < html.length; i++) {
    const char = html[i]!;
    if (quote !== "") quote = char === quote ? "" : quote;
    else if (char === ">") return i;
    else if ((char === '"' || char === "'") && html[i - 1] === "=") quote = char;
  }
  return html.length;
}

function afterElement(html: string, name: string, from: number): number {
  const end = new RegExp(`</${name}`, "gi");
  end.lastIndex = from;
  const found = end.exec(html);
  return found === null ? html.length : after(html, ">", found.index);
}

const MAX_ATTRIBUTES = 4096;

function attribute(attributes: string, name: string): string {
  // Each attribute is taken whole, so that a name inside the value of another attribute is not found.
  for (const [, key = "", double, single, bare] of attributes
    .slice(0, MAX_ATTRIBUTES)
    .matchAll(/([^\s=>"'/]+)(?:\s{0,9}=\s{0,9}(?:"([^"]*)"|'([^']*)'|([^\s"'>]+)))?/g)) {
    if (key.toLowerCase() === name) return decodeEntities(double ?? single ?? bare ?? "").trim();
  }
  return "";
}

function linkOf(attributes: string): string {
  const href = attribute(attributes, "href");
  return LINK.test(href) && href.length <= 500 ? href : "";
}

/** Lays out text like a browser: runs of spaces become one, blocks are on separate lines. */
class Lines {
  readonly #parts: string[] = [];
  length = 0;
  keepSpaces = false;
  #breaks = 0;
  #space = false;

  text(text: string): void {
    if (this.keepSpaces) return this.#put(text);
    const collapsed = text.replaceAll(/[ \t\r\n\f]+/g, " ");
    if (collapsed === "") return;
    const inner = collapsed.trim();
    if (collapsed.startsWith(" ")) this.#space = true;
    if (inner === "") return;
    this.#put(inner);
    this.#space = collapsed.endsWith(" ");
  }

  block(breaks: number, always: boolean): void {
    this.#breaks = always ? Math.min(this.#breaks + 1, 2) : Math.max(this.#breaks, breaks);
    this.#space = false;
  }

  since(length: number): string {
    let from = this.#parts.length;
    for (let left = this.length - length; left > 0 && from > 0; from--) left -= this.#parts[from - 1]!.length;
    return this.#parts.slice(from).join("");
  }

  done(cut: boolean): { text: string; cut: boolean } {
    return { text: this.#parts.join("").trim(), cut };
  }

  #put(text: string): void {
    const gap = this.length === 0 ? "" : this.#breaks > 0 ? "\n".repeat(this.#breaks) : this.#space ? " " : "";
    this.#parts.push(gap, text);
    this.length += gap.length + text.length;
    this.#breaks = 0;
    this.#space = false;
  }
}

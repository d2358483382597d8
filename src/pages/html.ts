// HTML as a template tag that escapes whatever is put in; only what is HTML already stays as it is.

export class Html {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
  toString(): string {
    return this.text;
  }
}

export type HtmlPart = Html | string | number | null | undefined | false | readonly HtmlPart[];

/** Stands around what is filled in last of all (agent-name.ts): no text may bring it along. */
export const MARK = "\uE000";

const ESCAPES: Readonly<Record<string, string>> = {
  [MARK]: "\uFFFD",
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

export const escape = (text: string): string =>
  /[&<>"'\uE000]/.test(text) ? text.replaceAll(/[&<>"'\uE000]/g, (char) => ESCAPES[char] ?? "") : text;

function textOf(part: HtmlPart): string {
  if (part === null || part === undefined || part === false) return "";
  if (part instanceof Html) return part.text;
  if (typeof part === "number") return String(part);
  return typeof part === "string" ? escape(part) : part.map(textOf).join("");
}

/** Templates are indented for those who read them; browsers need the line ends only. Text that must keep its spaces is put in as a value. */
const trimmed = new WeakMap<TemplateStringsArray, readonly string[]>();
function trim(strings: TemplateStringsArray): readonly string[] {
  const known = trimmed.get(strings) ?? strings.map((text) => text.replaceAll(/\n\s*/g, "\n"));
  trimmed.set(strings, known);
  return known;
}

/** Values of attributes must stand in double quotes. */
export function html(strings: TemplateStringsArray, ...values: HtmlPart[]): Html {
  const texts = trim(strings);
  let text = texts[0] ?? "";
  for (const [i, value] of values.entries()) text += textOf(value) + (texts[i + 1] ?? "");
  return new Html(text);
}

/** Parts with something between them. */
export const joined = (parts: readonly HtmlPart[], between: HtmlPart): Html =>
  html`${parts.filter((part) => part !== null && part !== undefined && part !== false).map((part, i) => (i === 0 ? part : [between, part]))}`;

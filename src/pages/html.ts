// A template tag for HTML that escapes all values, except those that are HTML already.

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

/** Encloses placeholders that are filled in last (agent-name.ts); it is replaced in every text, so that no text can contain a placeholder. */
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

/** Removes the indentation of templates. Text that must keep its spaces has to be inserted as a value. */
const trimmed = new WeakMap<TemplateStringsArray, readonly string[]>();
function trim(strings: TemplateStringsArray): readonly string[] {
  const known = trimmed.get(strings) ?? strings.map((text) => text.replaceAll(/\n\s*/g, "\n"));
  trimmed.set(strings, known);
  return known;
}

/** Templates must write the values of attributes in double quotes. */
export function html(strings: TemplateStringsArray, ...values: HtmlPart[]): Html {
  const texts = trim(strings);
  let text = texts[0] ?? "";
  for (const [i, value] of values.entries()) text += textOf(value) + (texts[i + 1] ?? "");
  return new Html(text);
}

/** A part that another one follows in the same line. */
export const joinedWith = (part: Html | false): Html | false => part !== false && html` · ${part}`;

/** The parts, with `between` between them. */
export const joined = (parts: readonly HtmlPart[], between: HtmlPart): Html =>
  html`${parts.filter((part) => part !== null && part !== undefined && part !== false).map((part, i) => (i === 0 ? part : [between, part]))}`;

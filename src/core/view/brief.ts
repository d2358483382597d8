// The brief of an agent: its sections, most important entries first, packed into a budget of characters, as JSON and as Markdown.
import { codePoints } from "../protocol/encoding.ts";
import { type Fence, fencedText, fenceRule } from "./fence.ts";
import { kindWord } from "./own-or-experiment-kinds.ts";
import { pack, type PackItem, type Sized } from "./pack.ts";

/** In reading order; the first section is there only if something is pending. */
export const BRIEF_SECTIONS = ["pending", "leases", "threads", "unread", "expiring", "work"] as const;
export type BriefSectionName = (typeof BRIEF_SECTIONS)[number];

/** A line of facts from the board, and below it text that a stranger wrote. */
export interface BriefLine {
  readonly facts: string;
  readonly strange: readonly string[];
}

export interface BriefForm {
  /** The number of the section's entries that it shows. */
  readonly shows: number;
  readonly json: object;
  readonly lines: readonly BriefLine[];
}

export interface BriefItem {
  readonly urgent: boolean;
  /** The longest form first. */
  readonly forms: readonly BriefForm[];
}

export interface BriefSection {
  readonly name: BriefSectionName;
  /** Best first. */
  readonly items: readonly BriefItem[];
  /** The number of entries, shown or not. */
  readonly total: number;
  /** There are more entries than were counted. */
  readonly more: boolean;
}

export interface Brief {
  readonly agent: string;
  readonly from: number;
  readonly to: number;
  /** The limit of the text in code points. */
  readonly budget: number;
  readonly sections: readonly BriefSection[];
}

/** A section as it is shown. */
interface Shown {
  readonly section: BriefSection;
  readonly texts: readonly string[];
  readonly omitted: number;
}

interface WrittenForm extends Sized {
  readonly text: string;
  readonly shows: number;
}

/** The text before and after the items, and the text of one item. */
interface Writing {
  readonly around: (shown: readonly Shown[]) => string;
  readonly item: (form: BriefForm) => string;
}

export const briefJson = (brief: Brief): string => written(brief, jsonWriting(brief));
/** Without marks it contains no text of strangers. */
export const briefMarkdown = (brief: Brief, marks: Fence | undefined): string => written(brief, markdownWriting(brief, marks));

/** The brief without any text of strangers. */
export const wordlessBrief = (brief: Brief): Brief => ({
  ...brief,
  sections: brief.sections.map((section) => ({
    ...section,
    items: section.items.map((item) => ({
      ...item,
      forms: item.forms.map(({ shows, json, lines }) => ({
        shows,
        json: wordless(json),
        lines: lines.map(({ facts }) => ({ facts, strange: [] })),
      })),
    })),
  })),
});

const WORDS = new Set(["title", "preview", "untrusted"]);

/** Text of strangers is left out, or counted. */
function wordless(json: object): object {
  const entries = Object.entries(json).filter(([name]) => !WORDS.has(name));
  return Object.fromEntries(entries.map(([name, value]) => [name, wordlessValue(name, value)]));
}

function wordlessValue(name: string, value: unknown): unknown {
  if (name === "kind") return kindWord(String(value));
  if (name === "messages") return (value as readonly object[]).map(wordless);
  if (name !== "match") return value;
  const { needs, of } = value as { readonly needs: readonly string[]; readonly of: number };
  return { met: needs.length, of };
}

function written({ sections, budget }: Brief, { around, item }: Writing): string {
  const empty = sections.map((section) => ({ section, texts: [], omitted: section.total }));
  const placed = inTurn(sections).map(({ section, urgent, forms }) => ({
    section,
    piece: { urgent, forms: forms.map((form) => writtenForm(item(form), form.shows)) } satisfies PackItem<WrittenForm>,
  }));
  const taken = pack(
    placed.map(({ piece }) => piece),
    // The text states its own length, which may have as many digits as the budget.
    budget - codePoints(around(empty)) - String(budget).length,
  );
  const shown = sections.map((section) => {
    const forms = taken.filter((form, at) => form !== undefined && placed[at]?.section === section) as WrittenForm[];
    const shows = forms.reduce((sum, form) => sum + form.shows, 0);
    return { section, texts: forms.map(({ text }) => text), omitted: section.total - shows };
  });
  return around(shown);
}

/** `size` includes the separator between two items. */
const writtenForm = (text: string, shows: number): WrittenForm => ({ text, shows, size: codePoints(text) + 1 });

/**
 * Urgent entries first, in the order of the sections; then one entry of each section in turn, so that a long section leaves room for the
 * others.
 */
function inTurn(sections: readonly BriefSection[]): (BriefItem & { readonly section: BriefSection })[] {
  const all = sections.flatMap((section, at) => section.items.map((item, place) => ({ ...item, section, at, place })));
  const rank = ({ urgent, place }: { readonly urgent: boolean; readonly place: number }): number => (urgent ? -1 : place);
  return all.sort((a, b) => rank(a) - rank(b) || a.at - b.at || a.place - b.place);
}

function jsonWriting({ agent, from, to, budget }: Brief): Writing {
  const around = (shown: readonly Shown[]): string => {
    const sections = shown.map(({ section: { name, more }, texts, omitted }) => {
      const rest = JSON.stringify({ omitted, ...(more ? { more } : {}) }).slice(1);
      return `{"name":"${name}","items":[${texts.join(",")}],${rest}`;
    });
    const head = `{"agent":"${agent}","from_seq":${from},"to_seq":${to},"budget":${budget},"used":`;
    const tail = `,"sections":[${sections.join(",")}]}`;
    return `${head}${withOwnDigits(codePoints(head) + codePoints(tail))}${tail}`;
  };
  return { around, item: ({ json }) => JSON.stringify(json) };
}

/** The length of a text that states its own length. */
function withOwnDigits(rest: number): number {
  let digits = 1;
  while (String(rest + digits).length > digits) digits++;
  return rest + digits;
}

function markdownWriting({ agent, from, to, budget }: Brief, marks: Fence | undefined): Writing {
  const around = (shown: readonly Shown[]): string => {
    const nothing = shown.filter(({ section }) => section.total === 0).map(({ section }) => section.name);
    return [
      `# Brief for ${agent}`,
      `Seq ${from} to ${to}, at most ${budget} characters.`,
      ...(marks === undefined ? [] : [fenceRule(marks)]),
      ...shown.filter(({ section }) => section.total > 0).flatMap((one) => [sectionLine(one), ...one.texts]),
      ...(nothing.length === 0 ? [] : [`Nothing in: ${nothing.join(", ")}.`]),
      "",
    ].join("\n");
  };
  const lineText = ({ facts, strange }: BriefLine): string =>
    marks === undefined || strange.length === 0 ? facts : `${facts}\n${fencedText(strange.join("\n"), marks)}`;
  return { around, item: ({ lines }) => lines.map(lineText).join("\n") };
}

function sectionLine({ section: { name, total, more }, omitted }: Shown): string {
  const atLeast = more ? "+" : "";
  return `## ${name} (${total}${atLeast}, ${omitted}${atLeast} omitted)`;
}

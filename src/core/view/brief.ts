// What an agent should know before it goes on, best first and never longer than it has room for: the sections, and their two forms of text.
import { codePoints } from "../protocol/encoding.ts";
import { type Fence, fenceRule, inside } from "./markdown.ts";
import { pack, type PackItem, type Sized } from "./pack.ts";

/** In the order in which they are read; the first is there only where something is pending. */
export const BRIEF_SECTIONS = ["pending", "leases", "threads", "unread", "expiring", "work"] as const;
export type BriefSectionName = (typeof BRIEF_SECTIONS)[number];

/** A line of facts that the board vouches for, and below it what a stranger wrote. */
export interface BriefLine {
  readonly facts: string;
  readonly strange: readonly string[];
}

export interface BriefForm {
  /** How many of the section's entries it shows. */
  readonly shows: number;
  readonly json: object;
  readonly lines: readonly BriefLine[];
}

export interface BriefItem {
  readonly urgent: boolean;
  /** The widest first. */
  readonly forms: readonly BriefForm[];
}

export interface BriefSection {
  readonly name: BriefSectionName;
  /** The best first. */
  readonly items: readonly BriefItem[];
  /** Entries that there are, shown or not. */
  readonly total: number;
  /** There are more of them than were counted. */
  readonly more: boolean;
}

export interface Brief {
  readonly agent: string;
  readonly from: number;
  readonly to: number;
  /** Code points that the text may have. */
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

/** How a brief is written: around its items, and one item. */
interface Writing {
  readonly around: (shown: readonly Shown[]) => string;
  readonly item: (form: BriefForm) => string;
}

export const briefJson = (brief: Brief): string => written(brief, jsonWriting(brief));
export const briefMarkdown = (brief: Brief, marks: Fence): string => written(brief, markdownWriting(brief, marks));

function written({ sections, budget }: Brief, { around, item }: Writing): string {
  const empty = sections.map((section) => ({ section, texts: [], omitted: section.total }));
  const placed = inTurn(sections).map(({ section, urgent, forms }) => ({
    section,
    piece: { urgent, forms: forms.map((form) => writtenForm(item(form), form.shows)) } satisfies PackItem<WrittenForm>,
  }));
  const taken = pack(
    placed.map(({ piece }) => piece),
    // The text may name its own length with as many digits as the budget has.
    budget - codePoints(around(empty)) - String(budget).length,
  );
  const shown = sections.map((section) => {
    const forms = taken.filter((form, at) => form !== undefined && placed[at]?.section === section) as WrittenForm[];
    const shows = forms.reduce((sum, form) => sum + form.shows, 0);
    return { section, texts: forms.map(({ text }) => text), omitted: section.total - shows };
  });
  return around(shown);
}

/** With what separates it from its neighbour. */
const writtenForm = (text: string, shows: number): WrittenForm => ({ text, shows, size: codePoints(text) + 1 });

/** What is urgent in the order of the sections; the rest one of each section in turn, so that a long one leaves room for the others. */
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

/** The length of a text that names its own length. */
function withOwnDigits(rest: number): number {
  let digits = 1;
  while (String(rest + digits).length > digits) digits++;
  return rest + digits;
}

function markdownWriting({ agent, from, to, budget }: Brief, marks: Fence): Writing {
  const around = (shown: readonly Shown[]): string => {
    const nothing = shown.filter(({ section }) => section.total === 0).map(({ section }) => section.name);
    return [
      `# Brief for ${agent}`,
      `Seq ${from} to ${to}, at most ${budget} characters.`,
      fenceRule(marks),
      ...shown.filter(({ section }) => section.total > 0).flatMap((one) => [sectionLine(one), ...one.texts]),
      ...(nothing.length === 0 ? [] : [`Nothing in: ${nothing.join(", ")}.`]),
      "",
    ].join("\n");
  };
  const fenced = ({ facts, strange }: BriefLine): string[] =>
    strange.length === 0 ? [facts] : [facts, marks.begin, inside(strange.join("\n"), marks), marks.end];
  return { around, item: ({ lines }) => lines.flatMap(fenced).join("\n") };
}

function sectionLine({ section: { name, total, more }, omitted }: Shown): string {
  const atLeast = more ? "+" : "";
  return `## ${name} (${total}${atLeast}, ${omitted}${atLeast} omitted)`;
}

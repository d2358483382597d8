// Icons of kinds and statuses: each differs by shape and word, and not only by colour.
import { type Flag, FLAGS } from "../core/guard/flags.ts";
import { isWorkable, KIND_NAMES, type Status, STATUSES } from "../core/protocol/vocabulary.ts";
import { Html, html } from "./html.ts";

/** SVG strokes on a grid of 16 by 16. */
const KIND_SHAPES: Readonly<Record<string, string>> = {
  note: "M3 4h10M3 8h10M3 12h6",
  finding: "M8 2l6 6-6 6-6-6z",
  task: "M3 3h10v10H3z",
  question: "M5 5.8A3 3 0 1 1 9.3 8.4C8.3 8.9 8 9.4 8 10.4M8 13v.2",
  subtask: "M6.5 6.5h7v7h-7zM3 10.5V3h7.5",
  answer: "M13 3v4a3 3 0 0 1-3 3H3M6 7l-3 3 3 3",
  result: "M2 8h8M7.5 5l3 3-3 3M13.5 3v10",
  claim: "M4 14V2.5h8.5L10.5 5.5l2 3H4",
  verification: "M2.5 8.5l3.5 3.5L13.5 4.5",
  summary: "M12 5V3H4l4.5 5L4 13h8v-2",
  offer: "M8 3v10M3 8h10",
  profile: "M8 8a2.7 2.7 0 1 0 0-5.4A2.7 2.7 0 0 0 8 8zM2.8 13.5c.6-2.7 2.7-3.7 5.2-3.7s4.6 1 5.2 3.7",
  signal: "M8 7.9v.2M5.2 10.8a4 4 0 0 1 0-5.6M10.8 5.2a4 4 0 0 1 0 5.6M3 13a7 7 0 0 1 0-10M13 3a7 7 0 0 1 0 10",
  retraction: "M8 2.5a5.5 5.5 0 1 0 0 11 5.5 5.5 0 0 0 0-11zM4.2 11.8l7.6-7.6",
  email: "M2 4h12v8.5H2zM2 4.5l6 4.5 6-4.5",
  experiment: "M6 2.5h4M7 2.5V7l-3.5 6.5h9L9 7V2.5",
};

const RING = `<circle cx="8" cy="8" r="5.5"/>`;
const STATUS_SHAPES: Readonly<Record<Status, string>> = {
  open: RING,
  claimed: `${RING}<path class="f" d="M8 2.5a5.5 5.5 0 0 1 0 11z"/>`,
  answered: `${RING}<circle class="f" cx="8" cy="8" r="2.2"/>`,
  disputed: `<path d="M8 1.8L14.2 8 8 14.2 1.8 8zM8 5v3.5M8 10.8v.2"/>`,
  verified: `${RING}<path d="M5.3 8.2l2 2 3.5-4"/>`,
  resolved: `<circle class="f" cx="8" cy="8" r="6"/><path class="p" d="M5.3 8.2l2 2 3.5-4"/>`,
};

const VERDICT_SHAPES = { for: "M2.5 8.5l3.5 3.5L13.5 4.5", against: "M4 4l8 8M12 4l-8 8" } as const;

const symbol = (id: string, shape: string): string => `<symbol id="${id}" viewBox="0 0 16 16">${shape}</symbol>`;

const SYMBOLS = [
  ...Object.entries(KIND_SHAPES).map(([name, path]) => symbol(`k-${name}`, `<path d="${path}"/>`)),
  ...Object.entries(VERDICT_SHAPES).map(([name, path]) => symbol(`v-${name}`, `<path d="${path}"/>`)),
  ...Object.entries(STATUS_SHAPES).map(([name, shape]) => symbol(`s-${name}`, shape)),
];

/** Each page contains every shape once; icons refer to them. */
export const SHAPES = new Html(`<svg class="shapes" aria-hidden="true" width="0" height="0">${SYMBOLS.join("")}</svg>`);

/** The shape of a kind; all experiments have the same. */
export const kindShape = (kind: string): string => (KIND_NAMES.includes(kind) ? kind : "experiment");

const icon = (id: string): Html => html`<svg class="i" aria-hidden="true"><use href="#${id}" /></svg>`;

export const kindMark = (kind: string): Html => html`<span class="kind k-${kindShape(kind)}">${icon(`k-${kindShape(kind)}`)}${kind}</span>`;

/** The flags of a text. */
export const flagMarks = (flags: readonly Flag[]): Html | false =>
  flags.length > 0 &&
  html`<span class="flags"
    >${flags.map((flag) => html`<span class="flag" title="${FLAGS[flag]}">${flag.replaceAll("_", " ")}</span> `)}</span
  >`;

export const STATUS_WORDS: Readonly<Record<Status, string>> = {
  open: "Open",
  claimed: "Claimed",
  answered: "Answered",
  disputed: "Disputed",
  verified: "Confirmed",
  resolved: "Done",
};

export const statusPill = (status: Status): Html =>
  html`<span class="pill s-${status}" title="${STATUSES[status]}">${icon(`s-${status}`)}${STATUS_WORDS[status]}</span>`;

/** Shown on work always, and on other messages once they have votes. */
export const statusMark = (status: Status, kind: string): Html | false => (isWorkable(kind) || status !== "open") && statusPill(status);

/** The result of a verification. */
export const verdictMark = (rel: "verifies" | "refutes", words = true): Html =>
  rel === "verifies"
    ? html`<span class="for">${icon("v-for")}${words ? "confirms" : html`<span class="hide">confirms</span>`}</span>`
    : html`<span class="against">${icon("v-against")}${words ? "disputes" : html`<span class="hide">disputes</span>`}</span>`;

/** How many agents confirmed and disputed it. */
export const votes = (verifies: number, refutes: number): Html | false =>
  verifies + refutes > 0 &&
  html`<span class="votes"
    >${verifies > 0 && html`<span class="for" title="confirmed by ${verifies}">${icon("v-for")}${verifies}</span> `}${refutes > 0 && html`<span class="against" title="disputed by ${refutes}">${icon("v-against")}${refutes}</span>`}</span
  >`;

// The form of a message: what may be said for its kind, and the fields that come out of it.
import type { Fields } from "../client/client.ts";
import { make } from "./dom.ts";

/** A message about another one: what it is to it is fixed, the words are the author's. */
export interface Preset {
  readonly heading: string;
  readonly words?: string;
  readonly fields: Fields;
  /** Fields of the form that make no sense here. */
  readonly without?: readonly (keyof Inputs)[];
}

interface Inputs {
  readonly kind: HTMLSelectElement;
  readonly title: HTMLInputElement;
  readonly body: HTMLTextAreaElement;
  readonly tags: HTMLInputElement;
  readonly ttl: HTMLSelectElement;
}

const KINDS: readonly (readonly [kind: string, words: string])[] = [
  ["question", "Question: an answer is wanted"],
  ["task", "Task: work is wanted"],
  ["finding", "Finding: others may verify or refute it"],
  ["note", "Note: for information"],
  ["offer", "Offer: what I can do"],
];
const LIVES: readonly (readonly [seconds: number, words: string])[] = [
  [3600, "one hour"],
  [86_400, "a day"],
  [3 * 86_400, "three days"],
  [7 * 86_400, "a week"],
];

export interface DraftForm {
  readonly element: HTMLElement;
  fields(): Fields;
  /** What similar messages are looked for with; empty where nothing has been written. */
  text(): string;
  focus(): void;
}

export function draftForm(preset: Preset | undefined): DraftForm {
  const inputs: Inputs = {
    kind: make("select", { name: "kind" }, ...KINDS.map(([value, words]) => make("option", { value }, words))),
    title: make("input", { name: "title", maxLength: 200, autocomplete: "off" }),
    body: make("textarea", { name: "body", rows: 7, maxLength: 32_768, placeholder: "Markdown; no HTML, no images" }),
    tags: make("input", { name: "tags", autocomplete: "off", placeholder: "several, with commas between" }),
    ttl: make("select", { name: "ttl" }, ...LIVES.map(([value, words]) => make("option", { value: String(value) }, words))),
  };
  inputs.ttl.value = String(LIVES.at(-1)?.[0]);
  const labels: Readonly<Record<keyof Inputs, string>> = { kind: "Kind", title: "Title", body: "Text", tags: "Tags", ttl: "Lives for" };
  const without = new Set<string>(preset?.without ?? []);
  if (preset !== undefined) without.add("kind");
  const shown = (Object.keys(labels) as (keyof Inputs)[]).filter((name) => !without.has(name));
  return {
    element: make(
      "div",
      { className: "draft" },
      ...shown.map((name) => make("label", { className: `draft-${name}` }, labels[name], inputs[name])),
    ),
    focus: () => inputs[shown.includes("title") ? "title" : "body"].focus(),
    text: () => `${inputs.title.value}\n${inputs.body.value}`.trim(),
    fields() {
      const tags = inputs.tags.value
        .split(",")
        .map((tag) => tag.trim())
        .filter((tag) => tag !== "");
      return {
        kind: inputs.kind.value,
        ...preset?.fields,
        ...(inputs.title.value.trim() === "" ? {} : { title: inputs.title.value.trim() }),
        ...(inputs.body.value === "" ? {} : { body: inputs.body.value }),
        ...(tags.length === 0 ? {} : { tags }),
        ttl: Number(inputs.ttl.value),
      };
    },
  };
}

// Ordinary texts that must not be flagged: the demo's messages, bug reports, sentences, and messages of programs in many languages.
import { readdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import * as locales from "zod/locales";
import { demoScript } from "../../src/cli/demo/script.ts";
import { evalSet, evalSets } from "../support/eval-sets.ts";
import { ASKED } from "./harmless-questions.ts";

export interface Ordinary {
  readonly text: string;
  readonly source: string;
}

/** Half of the texts of the similarity sets: even numbers are for learning, odd ones for measuring. */
export function sentences(part: "even" | "odd", most: number): readonly Ordinary[] {
  return evalSets("similarity").flatMap((source) => {
    const texts = evalSet<{ i: number; t: string; b: string }>("similarity", source).filter(({ i }) => (i % 2 === 0) === (part === "even"));
    const every = Math.max(1, Math.floor(texts.length / most));
    return texts
      .filter((_, at) => at % every === 0)
      .slice(0, most)
      .map(({ t, b }) => ({ text: `${t}\n${b}`.trim(), source }));
  });
}

export const demoTexts = (): readonly Ordinary[] =>
  demoScript()
    .filter(({ title, body }) => title !== undefined || body !== undefined)
    .map(({ title = "", body = "" }) => ({ text: `${title}\n${body}`.trim(), source: "demo" }));

export const askedTexts = (): readonly Ordinary[] => ASKED.map((text) => ({ text, source: "asked" }));

/** Messages of an accessibility checker and of a validation library in about fifty languages; every third of the longer list. */
export function programMessages(): readonly Ordinary[] {
  return [...axeMessages().filter((_, at) => at % 3 === 0), ...zodMessages()].map((text) => ({ text, source: "programs" }));
}

function axeMessages(): readonly string[] {
  const folder = join(dirname(createRequire(import.meta.url).resolve("axe-core")), "locales");
  const files = readdirSync(folder).filter((name) => /^[a-z].*\.json$/.test(name));
  return files.sort().flatMap((name) => {
    const found = new Set<string>();
    collect(JSON.parse(readFileSync(join(folder, name), "utf8")), found);
    return [...found];
  });
}

function collect(value: unknown, into: Set<string>): void {
  if (typeof value === "string") {
    if (value.length > 20) into.add(value.replaceAll(/\$\{[^}]*\}|\{\{[^}]*\}\}/g, "x"));
  } else if (typeof value === "object" && value !== null) for (const item of Object.values(value)) collect(item, into);
}

type Issue = Parameters<ReturnType<typeof locales.en>["localeError"]>[0];
const ISSUES = [
  { code: "invalid_type", expected: "string", input: 5 },
  { code: "invalid_value", values: ["open", "closed"], input: 5 },
  { code: "too_big", origin: "string", maximum: 80, inclusive: true, input: "" },
  { code: "too_small", origin: "array", minimum: 3, inclusive: true, input: [] },
  { code: "invalid_format", format: "email", input: "" },
  { code: "invalid_format", format: "starts_with", prefix: "ag", input: "" },
  { code: "not_multiple_of", divisor: 5, input: 3 },
  { code: "unrecognized_keys", keys: ["colour", "size"], input: {} },
  { code: "invalid_key", origin: "map", input: {} },
  { code: "invalid_union", errors: [], input: {} },
  { code: "invalid_element", origin: "map", key: "x", input: {} },
] as unknown as readonly Issue[];

function zodMessages(): readonly string[] {
  return Object.values(locales).flatMap((locale) => {
    if (typeof locale !== "function") return [];
    const { localeError } = locale();
    return ISSUES.flatMap((issue) => {
      const message = localeError(issue);
      const text = typeof message === "string" ? message : (message?.message ?? "");
      return text === "" ? [] : [text];
    });
  });
}

const LATIN_WORD = /[\w\-/.$@]*[A-Za-z][\w\-/.$@]*/g;
const OTHER_LETTERS = /[\u0370-\u1fff\u3040-\ud7af]/g;

/** Texts in other scripts again without their English words, so that the table does not learn that English words make a text harmless. */
export const withoutLatin = (texts: readonly Ordinary[]): readonly Ordinary[] =>
  texts
    .filter(({ text }) => (text.match(OTHER_LETTERS)?.length ?? 0) > 8)
    .map(({ text, source }) => ({ text: text.replaceAll(LATIN_WORD, " ").replaceAll(/\s+/g, " ").trim(), source }));

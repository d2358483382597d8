// The full-text query: how `q` is read and what it means for one message.
import { Refusal } from "../errors.ts";
import type { Document } from "./document.ts";
import { words } from "./words.ts";

/** Several words are a phrase; with `prefix` the last word is the beginning of one (see prefixForms). */
export interface Clause {
  readonly words: readonly string[];
  readonly prefix: boolean;
}

/** All or any of `clauses` and none of `not`; no clauses at all means everything that `not` leaves. */
export interface Query {
  readonly mode: "all" | "any";
  readonly clauses: readonly Clause[];
  readonly not: readonly Clause[];
}

/** What a prefix stands for: every term that starts with `start`, and these further terms. */
export interface PrefixForms {
  readonly start: string;
  readonly terms: readonly string[];
}

export function prefixForms(word: string): PrefixForms {
  return { start: word, terms: [] };
}

export function parseQuery(q: string, mode: "all" | "any"): Query {
  const found = words(q);
  if (found.length === 0) throw new Refusal("invalid_query");
  return { mode, clauses: found.map((word) => ({ words: [word], prefix: false })), not: [] };
}

/** The meaning of a full-text match: the live stream uses it, and the index is checked against it. */
export function matches(query: Query, document: Document): boolean {
  const has = (clause: Clause): boolean => clause.words.every((word) => document.body.includes(word) || document.title.includes(word));
  return (query.mode === "all" ? query.clauses.every(has) : query.clauses.some(has)) && !query.not.some(has);
}

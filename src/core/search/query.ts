// The full-text query: how `q` is parsed and what it means for one message.
import { Refusal } from "../errors.ts";
import { codePoints } from "../protocol/encoding.ts";
import { LIMITS } from "../protocol/limits.ts";
import type { Document } from "./document.ts";
import { NumberedWords } from "./numbered-words.ts";
import { isPrefixOf, type PrefixForms, prefixForms } from "./prefix.ts";
import { foldedRuns, wordsOf, WordSplitter } from "./words.ts";

/** Several words are a phrase; with `prefix` the last word is a prefix, folded but not stemmed (see prefixForms). */
export interface Clause {
  readonly words: readonly string[];
  readonly prefix: boolean;
  /** The forms of the prefix, computed once: every message on the live stream is tested against the same few clauses. */
  readonly forms?: PrefixForms;
}

/** Equal clauses have the same text. */
export const clauseText = ({ words, prefix }: Clause): string => `${words.join(" ")}${prefix ? "*" : ""}`;

/** A document that is tested against many queries. */
export interface Searched extends Document {
  readonly numbered: Readonly<Record<"title" | "body", NumberedWords>>;
}
export const searched = (document: Document): Searched => ({ ...document, numbered: numberedOf(document) });
const numberedOf = ({ title, body }: Document): Searched["numbered"] => ({
  title: new NumberedWords(title),
  body: new NumberedWords(body),
});

/** All or any of `clauses` and none of `not`; without clauses, everything that `not` does not exclude. */
export interface Query {
  readonly mode: "all" | "any";
  readonly clauses: readonly Clause[];
  readonly not: readonly Clause[];
}

/** A minus, then a phrase (whose closing quote may be missing) or everything up to the next space or quote. */
const TERM = /(?<not>-*)(?:"(?<phrase>[^"]*)"?|(?<word>[^\s"]+))/g;

/** Everything that is no word, phrase, `pre*` or minus only separates words, so no text is a syntax error. */
export function parseQuery(q: string, mode: "all" | "any"): Query {
  if (codePoints(q) > LIMITS.query_chars) throw new Refusal("invalid_query", `\`q\` is longer than ${LIMITS.query_chars} characters.`);
  const clauses: Clause[] = [];
  const not: Clause[] = [];
  // Equal clauses are one object, so that they are looked up once.
  const known = new Map<string, Clause>();
  const splitter = new WordSplitter();
  for (const { groups } of q.replace(/[“”„«»]/g, '"').matchAll(TERM)) {
    const clause = clauseOf(groups?.["phrase"] ?? groups?.["word"] ?? "", splitter);
    if (clause === undefined) continue;
    const text = clauseText(clause);
    known.set(text, known.get(text) ?? clause);
    (groups?.["not"] ? not : clauses).push(known.get(text) ?? clause);
  }
  const terms = clauses.length + not.length;
  if (terms > LIMITS.query_terms)
    throw new Refusal("invalid_query", `\`q\` has ${terms} terms; at most ${LIMITS.query_terms} are accepted.`);
  if (terms === 0) {
    throw new Refusal("invalid_query", "`q` has no word to search for.", {
      hint: 'Give one or more words, "a phrase", the beginning of a word as pre*, or -word for a word that must be absent.',
    });
  }
  return { mode, clauses, not };
}

/** A text that the tokenizer splits into several words, such as foo-bar, is a phrase. */
function clauseOf(text: string, splitter: WordSplitter): Clause | undefined {
  const found = foldedRuns(text);
  const last = found.at(-1);
  if (last === undefined) return undefined;
  const wordsIn = (runs: readonly string[]): string[] => wordsOf(runs, undefined, splitter);
  if (!/[\p{L}\p{N}\p{M}+#]\*+$/u.test(text)) return { words: wordsIn(found), prefix: false };
  const parts = splitter.split(last);
  const words = [...wordsIn(found.slice(0, -1)), ...wordsIn(parts.slice(0, -1)), ...parts.slice(-1)];
  return { words, prefix: true, forms: prefixForms(words.at(-1) ?? "") };
}

/** The definition of a full-text match: the live stream uses it, and the index is tested against it. */
export function matches(query: Query, document: Document | Searched): boolean {
  const { title, body } = "numbered" in document ? document.numbered : numberedOf(document);
  const has = (clause: Clause): boolean => stands(clause, title) || stands(clause, body);
  if (query.not.some(has)) return false;
  if (query.clauses.length === 0) return true;
  return query.mode === "all" ? query.clauses.every(has) : query.clauses.some(has);
}

/** Whether the clause's words are adjacent somewhere in a field; the gap "" is no word and has no prefix. */
function stands({ words, prefix, forms: known }: Clause, field: NumberedWords): boolean {
  const last = words.at(-1) ?? "";
  if (!prefix) return words.length === 1 ? field.has(last) : field.hasPhrase(words);
  const forms = known ?? prefixForms(last);
  return words.length === 1 ? field.hasBeginning(forms) : field.hasPhrase(words.slice(0, -1), (word) => isPrefixOf(forms, word));
}

// Asks for what is similar to each text of a set, by words, by meaning and by both, and notes how well its partners are found.
import { embedderOf } from "../../src/adapters/search/meaning-table.ts";
import { MEANING_TABLE } from "../../src/adapters/system/package-files.ts";
import { type Document, documentOf, documentOfText, WordCaches } from "../../src/core/search/document.ts";
import { alike } from "../../src/core/search/index/hybrid-nearest-texts.ts";
import { nearestTexts, termStats } from "../../src/core/search/index/lexical-nearest-texts.ts";
import { Memtable } from "../../src/core/search/index/memtable.ts";
import type { Hit } from "../../src/core/search/index/top-hits.ts";
import { askedMeaning, messageVector } from "../../src/core/search/meaning/asked-meaning.ts";
import { NEAR_THRESHOLD, prepareNear } from "../../src/core/search/similarity.ts";

/** `g` is the group of texts that mean the same; below 0 the text is in no group. */
export interface GroupedText {
  readonly i: number;
  readonly t: string;
  readonly b: string;
  readonly g: number;
}

export const ENGINES = ["words", "meaning", "both"] as const;
export type Engine = (typeof ENGINES)[number];
type ByEngine<T> = Readonly<Record<Engine, T>>;

/** What one engine found for one question. */
export interface Found {
  /** The place of the first partner in the list, from 0; infinite if there is none. */
  readonly rank: number;
  /** Whether a partner is over the threshold of `near`, and how many other texts are. */
  readonly near: boolean;
  readonly others: number;
  readonly ms: number;
}

export interface Recall {
  readonly texts: number;
  /** In the order of the questions. */
  readonly found: readonly ByEngine<Found>[];
  /** Processor time to prepare a text. */
  readonly us: ByEngine<number>;
}

const QUESTIONS = 1000;
/** All texts with any score, up to this many. */
const SCOPE = { threshold: 0, limit: 1000 };
const embedder = embedderOf(MEANING_TABLE);
/** As on a board, which keeps them from text to text. */
const caches = new WordCaches();

export function recall(texts: readonly GroupedText[]): Recall {
  const { part, us } = indexed(texts);
  const search = searchIn(part);
  const members = Map.groupBy(texts.keys(), (at) => texts[at]?.g);
  const asked = [...texts.entries()].filter(([, { g }]) => g >= 0).sort(([, a], [, b]) => a.i - b.i);
  const found = asked.slice(0, QUESTIONS).map(([self, { t, b, g }]) => {
    const group = new Set(members.get(g));
    const by = (engine: Engine): Found => {
      const start = performance.now();
      const hits = search[engine](t, b);
      return judged(hits, self, group, performance.now() - start);
    };
    return { words: by("words"), meaning: by("meaning"), both: by("both") };
  });
  return { texts: texts.length, found, us };
}

function searchIn(part: Memtable): ByEngine<(title: string, body: string) => readonly Hit[]> {
  const parts = [part];
  const stats = termStats(parts);
  const near = (t: string, b: string) => prepareNear(documentOfText(`${t}\n${b}`, caches), stats);
  return {
    words: (t, b) => nearestTexts(parts, near(t, b), SCOPE).hits,
    // As if the table knew every language: otherwise nothing would be asked by meaning in most of them.
    meaning: (t, b) => {
      const vector = [...embedder.meaningOf(`${t} ${b}`).vector];
      return alike(parts, { ...near(t, b), terms: [], meaning: { vector, trusted: 1 } }, SCOPE).hits;
    },
    both: (t, b) => {
      const meaning = askedMeaning(embedder, `${t} ${b}`);
      return alike(parts, { ...near(t, b), ...(meaning === undefined ? {} : { meaning }) }, SCOPE).hits;
    },
  };
}

function judged(hits: readonly Hit[], self: number, group: ReadonlySet<number>, ms: number): Found {
  const list = hits.filter(({ seq }) => seq !== self);
  const rank = list.findIndex(({ seq }) => group.has(seq));
  const similar = list.filter(({ score }) => score >= NEAR_THRESHOLD);
  const others = similar.filter(({ seq }) => !group.has(seq)).length;
  return { rank: rank < 0 ? Infinity : rank, near: others < similar.length, others, ms };
}

/** The texts as the board indexes them, each with its place as its seq. */
function indexed(texts: readonly GroupedText[]): { readonly part: Memtable; readonly us: ByEngine<number> } {
  const start = processorMs();
  const documents = texts.map(({ t, b }): Document =>
    documentOf({ v: 1, pk: "", ts: 0, kind: "note", ...(t === "" ? {} : { title: t }), body: b }, caches),
  );
  const read = processorMs();
  const vectors = texts.map(({ t, b }) => messageVector(embedder, `${t} ${b}`));
  const meant = processorMs();
  const part = new Memtable(embedder.dimensions);
  for (const [at, document] of documents.entries()) part.add(at, document, vectors[at]);
  const us = (ms: number): number => Math.round((ms * 1000) / texts.length);
  return { part, us: { words: us(read - start), meaning: us(meant - read), both: us(meant - start) } };
}

/** CPU time of this process, which a busy machine changes little. */
function processorMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

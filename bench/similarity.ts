// Measures how often similarity search finds the other version of a text: recall over sets of paraphrases and duplicate reports, by words
// alone, by meaning alone, and by both.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { type Document, documentOf, documentOfText } from "../src/core/search/document.ts";
import { Embedder } from "../src/core/search/meaning/embedder.ts";
import { fused, trust } from "../src/core/search/meaning/fuse-scores.ts";
import { Meanings } from "../src/core/search/meaning/meanings.ts";
import { readTable } from "../src/core/search/meaning/table.ts";
import { cosine } from "../src/core/search/meaning/vector-similarity.ts";
import { NEAR_THRESHOLD, nearScore, prepareNear, type TermStats } from "../src/core/search/similarity.ts";
import { evalSet, evalSets, noSets } from "./support/eval-sets.ts";
import { REWORDED } from "./support/reworded.ts";

/** `g` is the group of texts that mean the same; below 0 the text is in no group. */
interface Text {
  readonly i: number;
  readonly t: string;
  readonly b: string;
  readonly g: number;
}

const QUESTIONS = 1000;
/** As in the board: this many texts with the most weight of words in common are scored exactly, and this many with the nearest meanings. */
const BY_WORDS = 200;
const BY_MEANING = 100;

interface Scored {
  readonly at: number;
  readonly score: number;
}
const ENGINES = ["lexical", "semantic", "fused"] as const;
type Engine = (typeof ENGINES)[number];

const embedder = new Embedder(readTable(readFileSync(join(import.meta.dirname, "../models/meaning.bin"))));
const sets = evalSets("similarity");
if (sets.length === 0) console.log(`similarity: ${noSets("similarity")}. Only the project's own texts are measured.`);
const named = (process.argv.length > 2 ? process.argv.slice(2) : ["reworded", ...sets]).map(
  (name) => [name, name === "reworded" ? reworded() : evalSet<Text>("similarity", name)] as const,
);
console.table(Object.fromEntries(named.flatMap(([name, texts]) => recall(texts).map(([engine, row]) => [`${name}, ${engine}`, row]))));

function reworded(): readonly Text[] {
  return REWORDED.flatMap((pair, g) => pair.map((t, nth) => ({ i: 2 * g + nth, t, b: "", g })));
}

function recall(texts: readonly Text[]): readonly (readonly [Engine, Record<string, number>])[] {
  const { documents, document_us } = indexedWords(texts);
  const { vectors, meanings, meaning_us } = indexedMeanings(texts);
  const postings = postingsOf(documents);
  const stats: TermStats = { documents: documents.length, frequency: (term) => postings.get(term)?.length ?? 0 };

  const members = Map.groupBy(texts.keys(), (at) => texts[at]?.g);
  const asked = [...texts.entries()].filter(([, { g }]) => g >= 0).sort(([, a], [, b]) => a.i - b.i);
  const questions = asked.slice(0, QUESTIONS);
  const seen = Object.fromEntries(ENGINES.map((engine) => [engine, { first: 0, ten: 0, near: 0, others: 0, ms: 0 }])) as Record<
    Engine,
    { first: number; ten: number; near: number; others: number; ms: number }
  >;
  for (const [self, { t, b, g }] of questions) {
    const start = performance.now();
    const near = prepareNear(documentOfText(`${t}\n${b}`), stats);
    const shared = new Float64Array(documents.length);
    for (const { term, weight } of near.terms) for (const at of postings.get(term) ?? []) shared[at] = (shared[at] ?? 0) + weight;
    shared[self] = 0;
    const sharing = [...shared.keys()].filter((at) => (shared[at] ?? 0) > 0).sort((x, y) => (shared[y] ?? 0) - (shared[x] ?? 0));
    const byWords = sharing.slice(0, BY_WORDS).map((at) => ({ at, score: nearScore(near, documents[at] ?? documentOfText("")) }));
    const worded = performance.now();
    const { vector, piecesPerWord } = embedder.meaningOf(`${t} ${b}`);
    const byMeaning = meanings
      .nearest(vector, BY_MEANING, (row) => row !== self)
      .map(({ row, cosine }): Scored => ({ at: row, score: cosine }));
    const meant = performance.now();
    const lexical = new Map(byWords.map(({ at, score }) => [at, score]));
    for (const { at } of byMeaning) if (!lexical.has(at)) lexical.set(at, nearScore(near, documents[at] ?? documentOfText("")));
    const trusted = trust(piecesPerWord);
    const both = [...lexical].map(([at, score]) => ({ at, score: fused(score, cosine(vector, vectors[at] ?? vector), trusted) }));
    const joined = performance.now();

    const group = new Set(members.get(g));
    const lists: Readonly<Record<Engine, readonly [Scored[], number]>> = {
      lexical: [byWords, worded - start],
      semantic: [byMeaning, meant - worded],
      fused: [both, joined - start],
    };
    for (const engine of ENGINES) {
      const [list, ms] = lists[engine];
      const sum = seen[engine];
      list.sort((x, y) => y.score - x.score);
      const rank = list.findIndex(({ at }) => group.has(at));
      if (rank === 0) sum.first++;
      if (rank >= 0 && rank < 10) sum.ten++;
      const similar = list.filter(({ score }) => score >= NEAR_THRESHOLD);
      if (similar.some(({ at }) => group.has(at))) sum.near++;
      sum.others += similar.filter(({ at }) => !group.has(at)).length;
      sum.ms += ms;
    }
  }
  const share = (count: number): number => Number(((100 * count) / questions.length).toFixed(1));
  const us: Readonly<Record<Engine, number>> = { lexical: document_us, semantic: meaning_us, fused: document_us + meaning_us };
  return ENGINES.map((engine) => {
    const { first, ten, near, others, ms } = seen[engine];
    const row = {
      texts: texts.length,
      "R@1": share(first),
      "R@10": share(ten),
      "partner over threshold %": share(near),
      "others over threshold": Number((others / questions.length).toFixed(2)),
      "text µs": us[engine],
      "question ms": Number((ms / questions.length).toFixed(2)),
    };
    return [engine, row] as const;
  });
}

function indexedWords(texts: readonly Text[]): { readonly documents: readonly Document[]; readonly document_us: number } {
  const before = processorMs();
  const documents = texts.map(({ t, b }) => documentOf({ v: 1, pk: "", ts: 0, kind: "note", ...(t === "" ? {} : { title: t }), body: b }));
  return { documents, document_us: Math.round(((processorMs() - before) * 1000) / texts.length) };
}

function indexedMeanings(texts: readonly Text[]): {
  readonly vectors: readonly Int8Array[];
  readonly meanings: Meanings;
  readonly meaning_us: number;
} {
  const before = processorMs();
  const vectors = texts.map(({ t, b }) => embedder.meaningOf(`${t} ${b}`).vector);
  const meaning_us = Math.round(((processorMs() - before) * 1000) / texts.length);
  const meanings = new Meanings(vectors[0]?.length ?? 0);
  for (const vector of vectors) meanings.add(vector);
  return { vectors, meanings, meaning_us };
}

/** CPU time of this process, which a busy machine changes little. */
function processorMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

function postingsOf(documents: readonly Document[]): ReadonlyMap<string, readonly number[]> {
  const postings = new Map<string, number[]>();
  for (const [at, { title, body, grams }] of documents.entries()) {
    for (const term of new Set([...title, ...body, ...grams])) {
      const list = postings.get(term);
      if (list === undefined) postings.set(term, [at]);
      else list.push(at);
    }
  }
  postings.delete("");
  return postings;
}

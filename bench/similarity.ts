// Measures how often similarity search finds the other version of a text: recall over sets of paraphrases and duplicate reports, by words
// alone, by meaning alone, and by both.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { type Document, documentOf, documentOfText } from "../src/core/search/document.ts";
import { alike } from "../src/core/search/index/hybrid-nearest-texts.ts";
import { nearestTexts, termStats } from "../src/core/search/index/lexical-nearest-texts.ts";
import { Memtable } from "../src/core/search/index/memtable.ts";
import type { Hit } from "../src/core/search/index/top-hits.ts";
import { askedMeaning } from "../src/core/search/meaning/asked-meaning.ts";
import type { AskedMeaning } from "../src/core/search/meaning/fuse-scores.ts";
import { Embedder } from "../src/core/search/meaning/embedder.ts";
import { readTable } from "../src/core/search/meaning/table.ts";
import { NEAR_THRESHOLD, prepareNear } from "../src/core/search/similarity.ts";
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
/** All texts with any score, up to this many. */
const SCOPE = { threshold: 0, limit: 1000 };
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
  const { parts, document_us, meaning_us } = indexed(texts);
  const stats = termStats(parts);

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
    const lexical = nearestTexts(parts, near, SCOPE).hits;
    const worded = performance.now();
    const meaning = askedMeaning(embedder, `${t} ${b}`);
    const semantic = meaning === undefined ? [] : alike(parts, { ...near, terms: [], meaning }, SCOPE).hits;
    const meant = performance.now();
    const both = { ...prepareNear(documentOfText(`${t}\n${b}`), stats), ...withMeaning(`${t} ${b}`) };
    const fused = alike(parts, both, SCOPE).hits;
    const joined = performance.now();

    const group = new Set(members.get(g));
    const lists: Readonly<Record<Engine, readonly [readonly Hit[], number]>> = {
      lexical: [lexical, worded - start],
      semantic: [semantic, meant - worded],
      fused: [fused, joined - meant],
    };
    for (const engine of ENGINES) {
      const [hits, ms] = lists[engine];
      const list = hits.filter(({ seq }) => seq !== self);
      const sum = seen[engine];
      const rank = list.findIndex(({ seq }) => group.has(seq));
      if (rank === 0) sum.first++;
      if (rank >= 0 && rank < 10) sum.ten++;
      const similar = list.filter(({ score }) => score >= NEAR_THRESHOLD);
      if (similar.some(({ seq }) => group.has(seq))) sum.near++;
      sum.others += similar.filter(({ seq }) => !group.has(seq)).length;
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

function withMeaning(text: string): { readonly meaning?: AskedMeaning } {
  const meaning = askedMeaning(embedder, text);
  return meaning === undefined ? {} : { meaning };
}

/** The texts as the board indexes them, each with its place as its seq. */
function indexed(texts: readonly Text[]): {
  readonly parts: readonly Memtable[];
  readonly document_us: number;
  readonly meaning_us: number;
} {
  const start = processorMs();
  const documents = texts.map(({ t, b }): Document =>
    documentOf({ v: 1, pk: "", ts: 0, kind: "note", ...(t === "" ? {} : { title: t }), body: b }),
  );
  const read = processorMs();
  const vectors = texts.map(({ t, b }) => embedder.meaningOf(`${t} ${b}`).vector);
  const meant = processorMs();
  const part = new Memtable(vectors[0]?.length ?? 0);
  for (const [at, document] of documents.entries()) part.add(at, document, vectors[at]);
  const us = (ms: number): number => Math.round((ms * 1000) / texts.length);
  return { parts: [part], document_us: us(read - start), meaning_us: us(meant - read) };
}

/** CPU time of this process, which a busy machine changes little. */
function processorMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

// How often similarity search finds the other telling of a text: recall over sets of paraphrases and duplicate reports.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { type Document, documentOf, documentOfText } from "../src/core/search/document.ts";
import { NEAR_THRESHOLD, nearScore, prepareNear, type TermStats } from "../src/core/search/similarity.ts";

/** `g` is the group of texts that say the same; below 0 there is none. */
interface Text {
  readonly i: number;
  readonly t: string;
  readonly b: string;
  readonly g: number;
}

const QUESTIONS = 1000;
/** As the board does it: so many that share the most weight are scored exactly. */
const CANDIDATES = 200;

const directory = process.env["EVAL_DIR"] ?? "eval";
const files = existsSync(directory) ? readdirSync(directory).filter((name) => name.endsWith(".jsonl.gz")) : [];
if (files.length === 0) console.log(`similarity: no sets (*.jsonl.gz) in ${directory}; set EVAL_DIR to a folder that has some.`);
else console.table(Object.fromEntries(files.map((file) => [file.replace(".jsonl.gz", ""), recall(readSet(join(directory, file)))])));

function readSet(path: string): readonly Text[] {
  const lines = gunzipSync(readFileSync(path)).toString().trim().split("\n");
  return lines.map((line) => JSON.parse(line) as Text);
}

function recall(texts: readonly Text[]): Record<string, number> {
  const indexing = performance.now();
  const documents = texts.map(({ t, b }) => documentOf({ v: 1, pk: "", ts: 0, kind: "note", ...(t === "" ? {} : { title: t }), body: b }));
  const indexed = performance.now();
  const postings = postingsOf(documents);
  const stats: TermStats = { documents: documents.length, frequency: (term) => postings.get(term)?.length ?? 0 };

  const members = Map.groupBy(texts.keys(), (at) => texts[at]?.g);
  const asked = [...texts.entries()].filter(([, { g }]) => g >= 0).sort(([, a], [, b]) => a.i - b.i);
  const questions = asked.slice(0, QUESTIONS);
  const seen = { first: 0, ten: 0, near: 0, others: 0 };
  const asking = performance.now();
  for (const [self, { t, b, g }] of questions) {
    const near = prepareNear(documentOfText(`${t}\n${b}`), stats);
    const shared = new Float64Array(documents.length);
    for (const { term, weight } of near.terms) for (const at of postings.get(term) ?? []) shared[at] = (shared[at] ?? 0) + weight;
    shared[self] = 0;
    const candidates = [...shared.keys()].filter((at) => (shared[at] ?? 0) > 0).sort((x, y) => (shared[y] ?? 0) - (shared[x] ?? 0));
    const scored = candidates.slice(0, CANDIDATES).map((at) => ({ at, score: nearScore(near, documents[at] ?? documentOfText("")) }));
    scored.sort((x, y) => y.score - x.score);
    const group = new Set(members.get(g));
    const rank = scored.findIndex(({ at }) => group.has(at));
    if (rank === 0) seen.first++;
    if (rank >= 0 && rank < 10) seen.ten++;
    const kept = scored.filter(({ score }) => score >= NEAR_THRESHOLD);
    if (kept.some(({ at }) => group.has(at))) seen.near++;
    seen.others += kept.filter(({ at }) => !group.has(at)).length;
  }
  const asked_ms = performance.now() - asking;
  const share = (count: number): number => Number(((100 * count) / questions.length).toFixed(1));
  return {
    texts: texts.length,
    "R@1": share(seen.first),
    "R@10": share(seen.ten),
    "partner over threshold %": share(seen.near),
    "others over threshold": Number((seen.others / questions.length).toFixed(2)),
    "document µs": Math.round(((indexed - indexing) * 1000) / texts.length),
    "question ms": Number((asked_ms / questions.length).toFixed(2)),
  };
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

// Writes the documents of a memtable as a segment, without ended ones and their words.
import { ByteWriter } from "../../core/search/index/bytes.ts";
import type { Memtable } from "../../core/search/index/memtable.ts";
import { writePositions, writeWordPosting } from "../../core/search/index/postings.ts";
import type { Pace } from "./pace.ts";
import { liveDocuments, type Renumbered } from "./renumber-live-documents.ts";
import { isGram } from "./segment-format.ts";
import type { SegmentWriter } from "./segment-writer.ts";

export async function writeMemtable(memtable: Memtable, writer: SegmentWriter, pace: Pace): Promise<Renumbered> {
  const renumbered = liveDocuments([memtable]);
  const numberOf = renumbered.numbers[0]!;
  const docs = new ByteWriter();
  const positions = new ByteWriter();
  for (const term of await sortedTerms(memtable, pace)) {
    docs.clear();
    positions.clear();
    const count = isGram(term) ? writeGrams(memtable, term, numberOf, docs) : writeWords(memtable, term, numberOf, docs, positions);
    if (count > 0) writer.term(term, count, docs.view(), positions.view());
    const rest = pace.step();
    if (rest !== undefined) await rest;
  }
  await writer.finish(renumbered.documents);
  return renumbered;
}

function writeGrams(memtable: Memtable, gram: string, numberOf: Int32Array, out: ByteWriter): number {
  let last = -1;
  let count = 0;
  for (const doc of memtable.gramDocs(gram)) {
    const number = numberOf[doc]!;
    if (number < 0) continue;
    out.varint(number - last);
    last = number;
    count++;
  }
  return count;
}

function writeWords(memtable: Memtable, word: string, numberOf: Int32Array, out: ByteWriter, places: ByteWriter): number {
  let last = -1;
  let count = 0;
  memtable.eachPosting(word, (doc, title, body, positions) => {
    const number = numberOf[doc]!;
    if (number < 0) return;
    writeWordPosting(out, number - last, title, body);
    writePositions(places, positions, title, body);
    last = number;
    count++;
  });
  return count;
}

const RUN = 2048;

/** A merge sort with pauses: sorting the many terms of a memtable at once would delay searches. */
async function sortedTerms(memtable: Memtable, pace: Pace): Promise<string[]> {
  const terms = memtable.terms();
  let runs: string[][] = [];
  for (let at = 0; at < terms.length; at += RUN) {
    runs.push(terms.slice(at, at + RUN).sort());
    await pace.step();
  }
  while (runs.length > 1) {
    const longer: string[][] = [];
    for (let i = 0; i < runs.length; i += 2) longer.push(await mergeRuns(runs[i]!, runs[i + 1] ?? [], pace));
    runs = longer;
  }
  return runs[0] ?? [];
}

async function mergeRuns(a: readonly string[], b: readonly string[], pace: Pace): Promise<string[]> {
  const out: string[] = [];
  let i = 0;
  let j = 0;
  while (i < a.length || j < b.length) {
    for (const end = Math.min(out.length + RUN, a.length + b.length); out.length < end;) {
      out.push(j === b.length || (i < a.length && a[i]! < b[j]!) ? a[i++]! : b[j++]!);
    }
    await pace.step();
  }
  return out;
}

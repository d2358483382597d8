// The index on this machine: the newest documents in memory, the others in segment files, and the maintenance of both.
import { mkdirSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { Document } from "../../core/search/document.ts";
import { Memtable } from "../../core/search/index/memtable.ts";
import { askedMeaning, messageVector } from "../../core/search/meaning/asked-meaning.ts";
import type { AskedMeaning } from "../../core/search/meaning/fuse-scores.ts";
import type { Embedder } from "../../core/search/meaning/embedder.ts";
import type { IndexPart } from "../../core/search/index/index-part.ts";
import type { Erase } from "../../core/message/search-index-erasure.ts";
import type { IndexStatus } from "../../ports/search.ts";
import type { Renumbered } from "./renumber-live-documents.ts";
import { packBits, type Progress, readManifest, unpackBits, writeManifest } from "./manifest.ts";
import { mergeSegments } from "./merge.ts";
import type { Pace } from "./pace.ts";
import { Segment } from "./segment.ts";
import { Corrupt } from "./segment-format.ts";
import { SegmentWriter } from "./segment-writer.ts";
import { textVersion } from "./text-version.ts";
import { AT_ONCE, nextMerge, type IndexUpkeep } from "./merge-policy.ts";
import { writeMemtable } from "./write-memtable.ts";

/** Documents in memory before they are written to a file. */
export const FLUSH_DOCUMENTS = 4096;
/** Words in memory before they are written to a file, so that long texts take no more memory than short ones. */
const FLUSH_PLACES = 512 * 1024;
const SEGMENT_FILE = /^[0-9]+\.segment$/;
/** A file that was not finished. */
const DRAFT = /\.(?:next|[0-9]+)$/;

export interface LocalIndexOptions {
  readonly flushDocuments?: number;
  readonly now?: () => number;
  /** Computes meanings; without it none are kept. */
  readonly embedder?: Embedder | undefined;
  /** Called after each step that reached the disk; tests simulate a crash there. */
  readonly afterStep?: (step: string) => void;
}

export class LocalIndex {
  readonly #dir: string;
  readonly #flushDocuments: number;
  readonly #now: () => number;
  readonly #afterStep: (step: string) => void;
  #segments: IndexUpkeep[] = [];
  /** Documents that are being written to a file, and are still searched; with the progress of the index when they were frozen. */
  #frozen: { readonly memtable: Memtable; readonly progress: Progress } | undefined;
  readonly #embedder: Embedder | undefined;
  readonly #version: number;
  #memtable: Memtable;
  #progress: Progress = { seq: 0, hash: "", building: 0 };
  /** The progress in the manifest on disk. */
  #durable: Progress = this.#progress;
  #next = 1;
  #generation = 0;
  readonly #running = new Set<"flush" | "tidy">();
  /** Messages that the operator removed while this process runs. They are few. */
  readonly #urgent = new Set<number>();

  private constructor(
    dir: string,
    { flushDocuments = FLUSH_DOCUMENTS, now = Date.now, afterStep = () => {}, embedder }: LocalIndexOptions,
  ) {
    this.#embedder = embedder;
    this.#version = textVersion(embedder);
    this.#memtable = this.#emptyTable();
    this.#dir = dir;
    this.#flushDocuments = flushDocuments;
    this.#now = now;
    this.#afterStep = afterStep;
  }

  /** The segments that the manifest names, or nothing at all: a damaged index counts as none, since the board can rebuild it. */
  static open(dir: string, options: LocalIndexOptions = {}): LocalIndex {
    mkdirSync(dir, { recursive: true, mode: 0o700 });
    const index = new LocalIndex(dir, options);
    try {
      index.#load();
    } catch (error) {
      if (!(error instanceof Corrupt) && !(error instanceof SyntaxError) && (error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
      index.clear();
    }
    index.#sweepFiles();
    return index;
  }

  get progress(): Progress {
    return this.#progress;
  }
  get unsaved(): boolean {
    return this.#progress.seq !== this.#durable.seq || this.#progress.building !== this.#durable.building;
  }
  get full(): boolean {
    return this.#memtable.documents >= this.#flushDocuments || this.#memtable.places >= FLUSH_PLACES;
  }

  /** Changes after each clear(): what was read for the index before does not belong to it any more. */
  get generation(): number {
    return this.#generation;
  }

  /** Each live document is in exactly one of them. */
  parts(): readonly IndexPart[] {
    const segments = this.#segments.map(({ segment }) => segment);
    return [...segments, ...(this.#frozen === undefined ? [] : [this.#frozen.memtable]), this.#memtable];
  }

  status(): Omit<IndexStatus, "behind"> {
    const parts = this.parts();
    return {
      ready: this.#progress.building === undefined,
      seq: this.#progress.building ?? this.#progress.seq,
      documents: parts.reduce((sum, { documents, deadCount }) => sum + documents - deadCount, 0),
      segments: this.#segments.length,
      bytes: this.#segments.reduce((sum, { segment }) => sum + segment.bytes, 0),
      erasing: this.#segments.some(({ eraseSince }) => eraseSince === AT_ONCE),
    };
  }

  /** The meaning of a query text. */
  asked(text: string): AskedMeaning | undefined {
    return this.#embedder === undefined ? undefined : askedMeaning(this.#embedder, text);
  }

  /** Idempotent: after a crash or an unfinished batch, documents are simply added again. */
  add(seq: number, document: Document): void {
    if (this.#has(seq)) return;
    this.#memtable.add(seq, document, this.#embedder === undefined ? undefined : messageVector(this.#embedder, document.said));
  }

  /** `erase`: whether its words leave the disk with the next merge, soon, or at once. */
  forget(seq: number, erase: Erase): void {
    if (erase === "now") this.#urgent.add(seq);
    for (const memtable of [this.#memtable, this.#frozen?.memtable]) {
      const doc = memtable?.locate(seq);
      if (doc !== undefined) memtable?.kill(doc);
    }
    for (const upkeep of this.#segments) {
      const doc = upkeep.segment.locate(seq);
      if (doc === undefined) continue;
      upkeep.segment.kill(doc);
      if (erase === "now") upkeep.eraseSince = AT_ONCE;
      else if (erase === "soon") upkeep.eraseSince ??= this.#now();
    }
  }

  /** All documents and endings up to here have been passed to the index. */
  reached(progress: Progress): void {
    this.#progress = progress;
  }

  /** Deletes everything, in memory and on disk, to be rebuilt. */
  clear(): void {
    this.#generation++;
    for (const { segment } of this.#segments) segment.close();
    this.#segments = [];
    this.#frozen = undefined;
    this.#memtable = this.#emptyTable();
    this.#progress = this.#durable = { seq: 0, hash: "", building: 0 };
    rmSync(this.#dir, { recursive: true, force: true });
    mkdirSync(this.#dir, { recursive: true, mode: 0o700 });
  }

  /** The documents in memory become a segment, and the progress is saved. One flush at a time. */
  async flush(pace: Pace): Promise<void> {
    await this.#alone("flush", async () => {
      if (this.#frozen === undefined) {
        this.#frozen = { memtable: this.#memtable, progress: this.#progress };
        this.#memtable = this.#emptyTable();
      }
      // If a step fails, the frozen documents stay searchable, and the next flush tries again.
      const { memtable, progress } = this.#frozen;
      if (memtable.documents > memtable.deadCount) {
        const written = await this.#write([memtable], (writer) => writeMemtable(memtable, writer, pace));
        this.#segments = inOrder([...this.#segments, written]);
      }
      this.#frozen = undefined;
      this.#save(progress);
    });
  }

  /** One merge or rewrite, if one is due; returns whether there was one. */
  async tidy(pace: Pace): Promise<boolean> {
    return this.#alone("tidy", async () => {
      const due = nextMerge(this.#segments, this.#now());
      if (due.length === 0) return false;
      const segments = due.map(({ segment }) => segment);
      const written = segments.some(({ live }) => live > 0)
        ? await this.#write(segments, (writer) => mergeSegments(segments, writer, pace))
        : undefined;
      const merged = written === undefined ? [] : [written];
      this.#segments = inOrder([...this.#segments.filter((upkeep) => !due.includes(upkeep)), ...merged]);
      this.#save(this.#durable);
      for (const segment of segments) {
        segment.close();
        // A crash before this line leaves files that the manifest does not name; the next start deletes them.
        rmSync(segment.path);
        this.#afterStep("removed");
      }
      return true;
    });
  }

  /** Reads every block of every file once; throws Corrupt if one is damaged. */
  async verify(pace: Pace): Promise<void> {
    for (const { segment } of this.#segments) {
      for (const block of segment.blocks) {
        if (!this.#segments.some((upkeep) => upkeep.segment === segment)) break;
        segment.readBlock(block);
        await pace.step();
      }
    }
  }

  close(): void {
    for (const { segment } of this.#segments) segment.close();
  }

  #emptyTable(): Memtable {
    return new Memtable(this.#embedder?.dimensions ?? 0);
  }

  #has(seq: number): boolean {
    if (this.#memtable.locate(seq) !== undefined || this.#frozen?.memtable.locate(seq) !== undefined) return true;
    return this.#segments.some(({ segment }) => segment.locate(seq) !== undefined);
  }

  /**
   * Only one flush and one merge run at a time. A flush and a merge may overlap: each makes its last change synchronously, on the state
   * that the other has left.
   */
  async #alone<T>(what: "flush" | "tidy", work: () => Promise<T>): Promise<T> {
    if (this.#running.has(what)) throw new Error(`A ${what} of the index is under way.`);
    this.#running.add(what);
    try {
      return await work();
    } finally {
      this.#running.delete(what);
    }
  }

  async #write(from: readonly IndexPart[], fill: (writer: SegmentWriter) => Promise<Renumbered>): Promise<IndexUpkeep> {
    const path = join(this.#dir, `${this.#next++}.segment`);
    const writer = new SegmentWriter(path);
    let renumbered: Renumbered;
    try {
      renumbered = await fill(writer);
    } catch (error) {
      writer.abandon();
      throw error;
    }
    this.#afterStep("segment");
    const segment = new Segment(path);
    // Documents that ended while the file was being written have ended in it too.
    for (const [p, { dead }] of from.entries()) {
      for (const [doc, number] of renumbered.numbers[p]!.entries()) if (number >= 0 && dead[doc] === 1) segment.kill(number);
    }
    if (segment.deadCount === 0) return { segment, eraseSince: null };
    const urgent = [...this.#urgent].some((seq) => segment.locate(seq) !== undefined);
    return { segment, eraseSince: urgent ? AT_ONCE : this.#now() };
  }

  #save(progress: Progress): void {
    writeManifest(this.#dir, {
      text: this.#version,
      next: this.#next,
      progress,
      segments: this.#segments.map(({ segment, eraseSince }) => ({
        file: segment.path.slice(this.#dir.length + 1),
        dead: segment.deadCount === 0 ? "" : packBits(segment.dead),
        eraseSince,
      })),
    });
    this.#durable = progress;
    this.#afterStep("manifest");
  }

  #load(): void {
    const manifest = readManifest(this.#dir);
    if (manifest === undefined || manifest.text !== this.#version) return this.clear();
    for (const { file, dead, eraseSince } of manifest.segments) {
      const segment = new Segment(join(this.#dir, file));
      for (const doc of unpackBits(dead)) segment.kill(doc);
      this.#segments.push({ segment, eraseSince });
    }
    this.#next = manifest.next;
    this.#progress = this.#durable = manifest.progress;
  }

  /** Deletes what a crash left behind. */
  #sweepFiles(): void {
    const named = new Set(this.#segments.map(({ segment }) => segment.path));
    for (const file of readdirSync(this.#dir)) {
      const stray = DRAFT.test(file) || (SEGMENT_FILE.test(file) && !named.has(join(this.#dir, file)));
      if (stray) rmSync(join(this.#dir, file));
    }
  }
}

const inOrder = (segments: IndexUpkeep[]): IndexUpkeep[] => segments.sort((a, b) => (a.segment.seqs[0] ?? 0) - (b.segment.seqs[0] ?? 0));

// Writes a segment from terms in ascending order, with at most one block of them in memory.
import { closeSync, fsync, openSync, renameSync, writeSync } from "node:fs";
import { promisify } from "node:util";
import { crc32 } from "node:zlib";
import { ByteWriter } from "../../core/search/index/bytes.ts";
import type { Columns } from "./renumber-live-documents.ts";
import { BLOCK_TERMS, footerBytes } from "./segment-format.ts";

const synced = promisify(fsync);
const WRITE_BYTES = 256 * 1024;
/** Synced in portions, so that the last sync does not stall the whole machine. */
const SYNC_BYTES = 32 * 1024 * 1024;

export class SegmentWriter {
  readonly #path: string;
  readonly #file: number;
  readonly #pending = new ByteWriter(WRITE_BYTES * 2);
  #written = 0;
  #unsynced = 0;

  readonly #dictionary = new ByteWriter();
  readonly #docs = new ByteWriter();
  readonly #positions = new ByteWriter();
  readonly #index = new ByteWriter();
  #inBlock = 0;
  #blocks = 0;
  #last: Uint8Array = new Uint8Array(0);
  #first: Uint8Array = new Uint8Array(0);

  constructor(path: string) {
    this.#path = path;
    this.#file = openSync(`${path}.next`, "w", 0o600);
  }

  term(term: string, count: number, docs: Uint8Array, positions: Uint8Array): void {
    const bytes = Buffer.from(term);
    if (this.#inBlock === 0) this.#first = bytes;
    const shared = this.#inBlock === 0 ? 0 : sharedBytes(this.#last, bytes);
    this.#dictionary.varint(shared);
    this.#dictionary.varint(bytes.length - shared);
    this.#dictionary.raw(bytes, shared);
    this.#dictionary.varint(count);
    this.#dictionary.varint(docs.length);
    this.#dictionary.varint(positions.length);
    this.#docs.raw(docs);
    this.#positions.raw(positions);
    this.#last = bytes;
    if (++this.#inBlock === BLOCK_TERMS) this.#endBlock();
  }

  /** Awaited now and then, so that other work can run. */
  async syncIfDue(): Promise<void> {
    if (this.#unsynced < SYNC_BYTES) return;
    this.#unsynced = 0;
    await synced(this.#file);
  }

  async finish({ documents, seqs, titleLengths, bodyLengths, wordCounts, gramCounts, meanings }: Columns): Promise<void> {
    if (this.#inBlock > 0) this.#endBlock();
    const tablesAt = this.#written + this.#pending.length;
    const columns = [seqs, titleLengths, bodyLengths, wordCounts, gramCounts];
    const tables = Buffer.concat([...columns.map((column) => bytesOf(column.subarray(0, documents))), bytesOf(meanings)]);
    const index = this.#index.view();
    const indexAt = tablesAt + tables.length;
    const length = indexAt + index.length;
    const checksum = crc32(index, crc32(tables));
    this.#pending.raw(tables);
    this.#pending.raw(index);
    this.#pending.raw(footerBytes({ documents, blocks: this.#blocks, tablesAt, indexAt, length, checksum }, crc32));
    this.#drain();
    await synced(this.#file);
    // A crash after this leaves a file that no manifest names; the next start deletes it.
    renameSync(`${this.#path}.next`, this.#path);
    closeSync(this.#file);
  }

  abandon(): void {
    closeSync(this.#file);
  }

  #endBlock(): void {
    const { length: dictionary } = this.#dictionary;
    const { length: docs } = this.#docs;
    const { length: positions } = this.#positions;
    const parts = [this.#dictionary, this.#docs, this.#positions];
    let checksum = 0;
    for (const part of parts) {
      checksum = crc32(part.view(), checksum);
      this.#pending.raw(part.view());
      part.clear();
    }
    this.#index.varint(this.#first.length);
    this.#index.raw(this.#first);
    for (const number of [dictionary, docs, positions, checksum]) this.#index.varint(number);
    this.#inBlock = 0;
    this.#blocks++;
    if (this.#pending.length >= WRITE_BYTES) this.#drain();
  }

  #drain(): void {
    const bytes = this.#pending.view();
    for (let at = 0; at < bytes.length;) at += writeSync(this.#file, bytes, at);
    this.#written += bytes.length;
    this.#unsynced += bytes.length;
    this.#pending.clear();
  }
}

const bytesOf = (array: Uint32Array | Uint16Array | Int8Array): Uint8Array =>
  new Uint8Array(array.buffer, array.byteOffset, array.byteLength);

function sharedBytes(a: Uint8Array, b: Uint8Array): number {
  const most = Math.min(a.length, b.length);
  let at = 0;
  while (at < most && a[at] === b[at]) at++;
  return at;
}

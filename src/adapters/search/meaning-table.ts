// Loads the table of meanings from its file.
import { readFileSync } from "node:fs";
import { Embedder } from "../../core/search/meaning/embedder.ts";
import { readTable } from "../../core/search/meaning/table.ts";

/** Loaded once in a thread, whatever number of boards it serves. */
const loaded = new Map<string, Embedder>();

/** Undefined without a file: then texts are compared by their words alone. */
export function embedderOf(file: string): Embedder;
export function embedderOf(file: string | undefined): Embedder | undefined;
export function embedderOf(file: string | undefined): Embedder | undefined {
  if (file === undefined) return undefined;
  const embedder = loaded.get(file) ?? new Embedder(readTable(readFileSync(file)));
  loaded.set(file, embedder);
  return embedder;
}

// Loads the table of meanings from its file.
import { readFileSync } from "node:fs";
import { Embedder } from "../../core/search/meaning/embedder.ts";
import { readTable } from "../../core/search/meaning/table.ts";

/** Undefined without a file: then texts are compared by their words alone. */
export const embedderOf = (file: string | undefined): Embedder | undefined =>
  file === undefined ? undefined : new Embedder(readTable(readFileSync(file)));

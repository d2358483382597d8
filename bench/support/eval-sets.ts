// Texts to measure with, stored outside of the project. A measurement without its texts says so and is left out.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { gunzipSync } from "node:zlib";

const DIRECTORY = process.env["EVAL_DIR"] ?? resolve(import.meta.dirname, "../../../shared/eval");
const SUFFIX = ".jsonl.gz";

/** The names of the sets of one kind (a folder of EVAL_DIR), in order; empty if there is no such folder. */
export function evalSets(kind: string): readonly string[] {
  const directory = join(DIRECTORY, kind);
  if (!existsSync(directory)) return [];
  return readdirSync(directory)
    .filter((name) => name.endsWith(SUFFIX))
    .map((name) => name.slice(0, -SUFFIX.length))
    .sort();
}

/** The text to print if there are none. */
export const noSets = (kind: string): string =>
  `no sets (*${SUFFIX}) in ${join(DIRECTORY, kind)}: set EVAL_DIR to a folder that has some in ${kind}/`;

// oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- the caller names the shape of a file it knows.
export function evalSet<T>(kind: string, name: string): readonly T[] {
  const lines = gunzipSync(readFileSync(join(DIRECTORY, kind, name + SUFFIX)))
    .toString()
    .trim()
    .split("\n");
  return lines.map((line) => JSON.parse(line) as T);
}

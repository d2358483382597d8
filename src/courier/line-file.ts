// An append-only file of JSON lines: each line is synced when it is added, and a line that a crash cut off is dropped.
import { closeSync, existsSync, fstatSync, fsyncSync, ftruncateSync, openSync, readFileSync, readSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import type { z } from "zod";
import { makeDirectory } from "../adapters/system/make-directory.ts";
import { syncDirectory } from "../adapters/system/sync.ts";
import { jsonIn } from "../core/text/json-in.ts";

const OWNER_ONLY = 0o600;
const NEWLINE = 0x0a;

/** On disk when it returns. A partial last line, left by a crash, is removed first, so that it does not damage this line. */
export function addLine(path: string, line: object): void {
  makeDirectory(dirname(path));
  const isNew = !existsSync(path);
  const file = openSync(path, "a+", OWNER_ONLY);
  try {
    if (!endsWhole(file)) ftruncateSync(file, readFileSync(path).lastIndexOf(NEWLINE) + 1);
    // Writes the whole line, or throws: a disk that is nearly full takes only the first part.
    writeFileSync(file, `${JSON.stringify(line)}\n`);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
  if (isNew) syncDirectory(dirname(path));
}

function endsWhole(file: number): boolean {
  const { size } = fstatSync(file);
  const last = Buffer.alloc(1);
  return size === 0 || (readSync(file, last, 0, 1, size - 1) === 1 && last[0] === NEWLINE);
}

/** The lines of this form, in order; none if there is no file. */
export function linesOf<Line>(path: string, form: z.ZodType<Line>): readonly Line[] {
  if (!existsSync(path)) return [];
  const lines = readFileSync(path, "utf8").split("\n");
  return lines.map((text) => form.safeParse(jsonIn(text))).flatMap(({ success, data }) => (success ? [data] : []));
}

// English words, commonest first: those that the table of meanings knows whole, so that texts made of them also have a meaning.
import { readFileSync } from "node:fs";
import { MEANING_TABLE } from "../../src/adapters/system/package-files.ts";
import { piecesIn } from "../../src/core/search/meaning/table.ts";

export const ENGLISH: readonly string[] = piecesIn(readFileSync(MEANING_TABLE)).filter((piece) => /^[a-z]{2,}$/.test(piece));

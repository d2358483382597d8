// Files that ship with the program; from source and in the built package they are in the same place.
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

export const pathInPackage = (path: string): string => fileURLToPath(new URL(`../../../${path}`, import.meta.url));
export const bytesOfPackage = (path: string): Uint8Array => readFileSync(pathInPackage(path));
export const textOfPackage = (path: string): string => readFileSync(pathInPackage(path), "utf8");
export const programVersion = (): string => (JSON.parse(textOfPackage("package.json")) as { version: string }).version;

/** The table of meanings: see models/README.md. */
export const MEANING_TABLE = pathInPackage("models/meaning.bin");
/** The guard's risk table: how similar a text is to texts that instruct their reader. */
export const RISK_TABLE = "models/guard.bin";

// Public test vectors, stored outside of the project. Tests that need them say so when they are skipped.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";

export const VECTORS_DIRECTORY = process.env["VECTORS_DIR"] ?? resolve(import.meta.dirname, "../../../shared/vectors");

/** The condition of a skip; `WITH_VECTORS` belongs in the name of a test that may be skipped. */
export const noVectors = !existsSync(VECTORS_DIRECTORY);
export const WITH_VECTORS = noVectors ? "(skipped: no vectors at VECTORS_DIR)" : "(public vectors)";

export const vectorBytes = (path: string): Buffer => readFileSync(join(VECTORS_DIRECTORY, path));
// oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- the caller names the shape of a file it knows.
export const vectorJson = <T>(path: string): T => JSON.parse(vectorBytes(path).toString("utf8")) as T;
export const vectorFiles = (path: string): string[] => readdirSync(join(VECTORS_DIRECTORY, path)).map((name) => join(path, name));

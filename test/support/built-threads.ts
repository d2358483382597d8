// In the place of `src/adapters/system/worker-url.ts`: the threads of a board in the process of a test, as the program of this run has them.
import { fileURLToPath, pathToFileURL } from "node:url";
import { programFile } from "./built.ts";

export function workerUrl(name: string, from: string): URL {
  return pathToFileURL(programFile(fileURLToPath(new URL(`./${name}.ts`, from))));
}

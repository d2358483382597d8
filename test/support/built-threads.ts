// Replaces `src/adapters/system/worker-url.ts` in tests: boards in the test process start their threads from the built program of this run.
import { fileURLToPath, pathToFileURL } from "node:url";
import { programFile } from "./built.ts";

export function workerUrl(name: string, from: string): URL {
  return pathToFileURL(programFile(fileURLToPath(new URL(`./${name}.ts`, from))));
}

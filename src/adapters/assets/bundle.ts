// Builds the browser's files from their source: one script, one style, one icon, each with a hash in its name.
import { basename, join } from "node:path";

/** Where the source of the browser's files is. */
export const WEB_SOURCE = join(import.meta.dirname, "../../web");
/** Where they are in the built package. */
export const WEB_BUILT = join(import.meta.dirname, "../../assets");

const TARGET = "es2022";

/** Each file by its name; the worker and the words of keys are the client's own. */
const SOURCES: readonly (readonly [name: string, source: string])[] = [
  ["board", "board.ts"],
  ["board", "board.css"],
  ["log", "log.ts"],
  ["miner", "../client/browser-worker.ts"],
  ["words", "../client/words.ts"],
  ["icon", "icon.svg"],
];

export interface Built {
  readonly name: string;
  readonly bytes: Uint8Array;
}

export async function bundle(): Promise<readonly Built[]> {
  const { build } = await import("esbuild");
  const { outputFiles } = await build({
    entryPoints: SOURCES.map(([out, source]) => ({ in: join(WEB_SOURCE, source), out })),
    bundle: true,
    minify: true,
    write: false,
    format: "esm",
    target: TARGET,
    charset: "utf8",
    legalComments: "none",
    entryNames: "[name]-[hash]",
    outdir: WEB_BUILT,
    loader: { ".svg": "copy" },
    logLevel: "silent",
  });
  return outputFiles.map(({ path, contents }) => ({ name: basename(path), bytes: contents }));
}

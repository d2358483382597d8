// The program in a few files instead of a thousand, for a run of the tests: hundreds of them start it, and reading a thousand files takes most of such a start.
// The files have the places that the package gives them. What npm installs is tested in package.test.ts.
import { existsSync, globSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { dirname, join, relative, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import type { Plugin } from "esbuild";

const ROOT = resolve(import.meta.dirname, "../..");
const SOURCE = join(ROOT, "src");
/** Set by `test/run.ts` where this run has built it; a single file that is run by hand reads the source. */
const BUILT = process.env["BOARD_TEST_BUILT"];

/** What is started or imported by its address, and so keeps a file of its own. */
const ENTRIES = ["bin.ts", "{adapters,client}/**/*-thread.ts", "adapters/*/search-source.ts"];
/** Replaced in board processes that take their time from their test; so it is a file of its own too, for whoever imports it. */
export const CLOCK = join(SOURCE, "adapters/system/clock.ts");
/** What the program reads beside its code. */
const BESIDE = ["package.json", "clients/python/client.py", ...globSync(["clients/short/*", "demo/*.json", "models/*.bin"], { cwd: ROOT })];
/** Packages that find their own files by where they are. */
const APART = ["esbuild", "sodium-native"];
const REQUIRE = 'import { createRequire as requireOf } from "node:module"; const require = requireOf(import.meta.url);';

/** A file of the source as the program of this run has it. */
export function programFile(source: string, built = BUILT): string {
  return built === undefined ? source : join(built, "dist", relative(SOURCE, source).replace(/\.ts$/, ".js"));
}

export const PROGRAM = programFile(join(SOURCE, "bin.ts"));

export async function buildProgram(destination: string): Promise<void> {
  const [{ build }, { bundle }] = await Promise.all([import("esbuild"), import("../../src/adapters/assets/bundle.ts")]);
  const code = build({
    entryPoints: [CLOCK, ...globSync(ENTRIES, { cwd: SOURCE }).map((name) => join(SOURCE, name))],
    outbase: SOURCE,
    outdir: join(destination, "dist"),
    write: false,
    bundle: true,
    splitting: true,
    platform: "node",
    format: "esm",
    target: "node24",
    charset: "utf8",
    external: APART,
    banner: { js: REQUIRE },
    logLevel: "error",
    plugins: [inPlace(destination)],
  });
  const [{ outputFiles }, assets] = await Promise.all([code, bundle()]);
  const files = new Map<string, Uint8Array>(outputFiles.map(({ path, contents }) => [path, contents]));
  for (const { name, bytes } of assets) files.set(join(destination, "dist/assets", name), bytes);
  for (const path of BESIDE) files.set(join(destination, path), readFileSync(join(ROOT, path)));
  replace(destination, files);
}

/** Tells each file where it would be, had it not been put together with others. */
const inPlace = (destination: string): Plugin => ({
  name: "in-place",
  setup(build) {
    build.onResolve({ filter: /\/clock\.ts$/ }, ({ path, resolveDir, kind }) =>
      kind !== "entry-point" && resolve(resolveDir, path) === CLOCK
        ? { path: pathToFileURL(programFile(CLOCK, destination)).href, external: true }
        : undefined,
    );
    build.onLoad({ filter: /\.ts$/ }, async ({ path }) => {
      const place = programFile(path, destination);
      const text = await readFile(path, "utf8");
      const contents = text
        .replaceAll("import.meta.url", JSON.stringify(pathToFileURL(place).href))
        .replaceAll("import.meta.dirname", JSON.stringify(dirname(place)));
      return { contents, loader: "ts" };
    });
  },
});

/** What is the same already stays, so that another run that is under way notices nothing. */
function replace(destination: string, files: ReadonlyMap<string, Uint8Array>): void {
  mkdirSync(destination, { recursive: true });
  const there = readdirSync(destination, { recursive: true, withFileTypes: true });
  for (const file of there) {
    const path = join(file.parentPath, file.name);
    if (file.isFile() && !files.has(path)) rmSync(path);
  }
  for (const [path, bytes] of files) {
    if (existsSync(path) && readFileSync(path).equals(bytes)) continue;
    mkdirSync(dirname(path), { recursive: true });
    const half = `${path}.${process.pid}`;
    writeFileSync(half, bytes);
    renameSync(half, path);
  }
}

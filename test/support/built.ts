// Builds the program into a few files for a run of the tests: hundreds of tests start it, and reading a thousand files takes most of a
// start. The files have the same places as in the package. package.test.ts tests what npm installs.
import { createHash } from "node:crypto";
import {
  existsSync,
  globSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { readFile } from "node:fs/promises";
import { dirname, join, relative, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import type { Plugin } from "esbuild";

const ROOT = resolve(import.meta.dirname, "../..");
const SOURCE = join(ROOT, "src");
/** A program that no run has started with for this long is deleted: two days, longer than any run. */
const UNUSED_MS = 2 * 24 * 3600 * 1000;
/** Stands for the name of the program's directory until its content is known. */
const NAME = "the-name-of-this-program";
/** Set if this run has built the program; a single file that is run by hand uses the source. */
const built = (): string | undefined => process.env["BOARD_TEST_BUILT"];

/** Modules that are started or imported by their address, and so need files of their own. */
const ENTRIES = ["bin.ts", "{adapters,client}/**/*-thread.ts", "adapters/*/search-source.ts"];
/** A separate file too, because board processes whose time a test controls replace it. */
export const CLOCK = join(SOURCE, "adapters/system/clock.ts");
/** Files that the program reads besides its code. */
const BESIDE = [
  "package.json",
  "clients/python/client.py",
  ...globSync(["clients/short/*", "demo/*.json", "icons/*", "manual/*.md", "models/*.bin"], { cwd: ROOT }),
];
/** Packages that find their own files by their location. */
const APART = ["esbuild", "sodium-native"];
const REQUIRE = 'import { createRequire as requireOf } from "node:module"; const require = requireOf(import.meta.url);';

/** The place of a source file in the built program. */
export function programFile(source: string, place = built()): string {
  return place === undefined ? source : join(place, "dist", relative(SOURCE, source).replace(/\.ts$/, ".js"));
}

export const programPath = (): string => programFile(join(SOURCE, "bin.ts"));

/** Builds the program for processes that this process starts from now on. */
export async function startBuilt(): Promise<void> {
  process.env["BOARD_TEST_BUILT"] = await buildProgram(join(ROOT, "node_modules/.cache/blackboard-proofs"));
}

/**
 * Returns the directory of the program, which is named by its content: runs at the same time do not change each other's program. `parent`
 * is inside `node_modules`, so that imports of packages are found.
 */
export async function buildProgram(parent: string): Promise<string> {
  mkdirSync(parent, { recursive: true });
  // An imported file has its real address.
  const programs = realpathSync(parent);
  const destination = join(programs, NAME);
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
  const hash = createHash("sha256");
  for (const [path, bytes] of files) hash.update(`${path.length} ${bytes.length} ${path}`).update(bytes);
  const name = hash.digest("hex").slice(0, 16);
  place(programs, name, files);
  return join(programs, name);
}

/** Gives each bundled file the address that it would have on its own. */
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

/** The program appears as a whole, or is there already. */
function place(programs: string, name: string, files: ReadonlyMap<string, Uint8Array>): void {
  const whole = join(programs, name);
  if (!existsSync(whole)) {
    const half = `${whole}.${process.pid}`;
    for (const [path, bytes] of files) {
      const file = join(half, relative(join(programs, NAME), path));
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, file.endsWith(".js") ? Buffer.from(bytes).toString().replaceAll(NAME, name) : bytes);
    }
    try {
      renameSync(half, whole);
    } catch (error) {
      // Another run was faster.
      rmSync(half, { recursive: true });
      if (!existsSync(whole)) throw error;
    }
  }
  const now = Date.now();
  utimesSync(whole, now / 1000, now / 1000);
  for (const other of readdirSync(programs).map((one) => join(programs, one)))
    if ((statSync(other, { throwIfNoEntry: false })?.mtimeMs ?? now) < now - UNUSED_MS) rmSync(other, { recursive: true, force: true });
}

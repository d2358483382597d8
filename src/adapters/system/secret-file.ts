// A secret key in a file: 43 characters that only its owner may read; never overwrites another.
import { existsSync, linkSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { SECRET_KEY } from "../../core/protocol/encoding.ts";
import { systemWords } from "./file-access-errors.ts";
import { makeDirectory } from "./make-directory.ts";
import { syncDirectory } from "./sync.ts";

/** Whether its mode is checked: for a file in use, but not for a copy on a medium without modes. */
export type SecretUse = "in use" | "put away";

/** Undefined if there is no file. */
export function readSecretFile(path: string, use: SecretUse = "in use"): string | undefined {
  const stat = asked(path, () => statSync(path, { throwIfNoEntry: false }));
  if (stat === undefined) return undefined;
  if (stat.isDirectory()) throw new Error(`${path} is not a file: name the key file itself, such as agent.key.`);
  if (use === "in use" && process.platform !== "win32" && (stat.mode & 0o077) !== 0)
    throw new Error(`Others may read the key file ${path}: chmod 600 ${path}`);
  const secret = asked(path, () => readFileSync(path, "utf8")).trim();
  if (!SECRET_KEY.test(secret)) throw new Error(`The key file ${path} does not hold 43 characters of base64url.`);
  return secret;
}

/** On disk when it returns. Returns whether it was written: an existing file stays as it is. */
export function writeSecretFile(path: string, secret: string): boolean {
  makeDirectory(dirname(path));
  // Written under another name first, so that another process, such as a second node, sees all of it or nothing.
  const draft = `${path}.${process.pid}`;
  try {
    writeFileSync(draft, `${secret}\n`, { mode: 0o600, flush: true });
    if (!appeared(draft, path)) return false;
    // The name must be on disk too, because a database may be about to record that it belongs to this key.
    syncDirectory(dirname(path));
    return true;
  } catch (error) {
    throw new Error(systemWords(error, dirname(path), "write") ?? (error as Error).message, { cause: error });
  } finally {
    rmSync(draft, { force: true });
  }
}

/** Error codes of a medium without hard links. */
const NO_LINKS: ReadonlySet<string | undefined> = new Set(["EPERM", "ENOTSUP", "EOPNOTSUPP", "ENOSYS"]);

/** Gives the draft its final name, unless that name exists. Returns whether it did. */
function appeared(draft: string, path: string): boolean {
  try {
    linkSync(draft, path);
    return true;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "EEXIST") return false;
    if (!NO_LINKS.has(code)) throw error;
  }
  if (existsSync(path)) return false;
  renameSync(draft, path);
  return true;
}

function asked<Answer>(path: string, ask: () => Answer): Answer {
  try {
    return ask();
  } catch (error) {
    throw new Error(systemWords(error, path, "read") ?? `The key file ${path} cannot be read: ${(error as Error).message}.`, {
      cause: error,
    });
  }
}

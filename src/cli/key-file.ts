// An agent's key at rest: 43 characters in a file that only its owner may read, never written over another.
import { readFileSync, statSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { makeDirectory } from "../adapters/system/directory.ts";
import { type AgentKey, loadKey } from "../client/key.ts";
import { SECRET_KEY } from "../core/protocol/encoding.ts";

export const DEFAULT_KEY_FILE = join(homedir(), ".config", "agent-blackboard", "agent.key");

export function writeKeyFile(path: string, key: AgentKey): void {
  makeDirectory(dirname(path));
  try {
    writeFileSync(path, `${key.secret()}\n`, { mode: 0o600, flag: "wx", flush: true });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    throw new Error(`There is a file at ${path} already; a key is never overwritten.`, { cause: error });
  }
}

export async function readKeyFile(path: string): Promise<AgentKey> {
  const stat = statSync(path, { throwIfNoEntry: false });
  if (stat === undefined) throw new Error(`There is no key at ${path}. Make one with: blackboard keygen --key-file ${path}`);
  if (process.platform !== "win32" && (stat.mode & 0o077) !== 0) throw new Error(`Others may read the key file ${path}: chmod 600 ${path}`);
  const secret = readFileSync(path, "utf8").trim();
  if (!SECRET_KEY.test(secret)) throw new Error(`The key file ${path} does not hold 43 characters of base64url.`);
  return loadKey(secret);
}

// An agent's key at rest, and where it is unless told otherwise.
import { existsSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { readSecretFile, writeSecretFile } from "../adapters/system/secret-file.ts";
import { type AgentKey, loadKey, makeKey } from "../client/key.ts";

export const DEFAULT_KEY_FILE = join(homedir(), ".config", "agent-blackboard", "agent.key");

/** The key that is to take over one day, beside the one it takes over from, until its owner puts it elsewhere. */
export const nextKeyFile = (keyFile: string): string => `${keyFile}.next`;

export function writeKeyFile(path: string, key: AgentKey): void {
  if (!writeSecretFile(path, key.secret())) throw new Error(`There is a file at ${path} already; a key is never overwritten.`);
}

export async function readKeyFile(path: string): Promise<AgentKey> {
  const secret = readSecretFile(path);
  if (secret === undefined) throw new Error(`There is no key at ${path}. Make one with: blackboard keygen --key-file ${path}`);
  return loadKey(secret);
}

/** The key in a file; made where there is none. */
export async function keyAt(path: string): Promise<AgentKey> {
  if (existsSync(path)) return readKeyFile(path);
  const made = await makeKey();
  // Another process may just have made one.
  return writeSecretFile(path, made.secret()) ? made : readKeyFile(path);
}

// An agent's key file, and its default path.
import { existsSync } from "node:fs";
import { join } from "node:path";
import { home } from "../adapters/system/home.ts";
import { readSecretFile, writeSecretFile } from "../adapters/system/secret-file.ts";
import { type AgentKey, loadKey, makeKey } from "../client/key.ts";

export const DEFAULT_KEY_FILE = join(home(), ".config", "agent-blackboard", "agent.key");

/** The path of the next key: beside the present one, until the owner moves it elsewhere. */
export const nextKeyFile = (keyFile: string): string => `${keyFile}.next`;

export function writeKeyFile(path: string, key: AgentKey): void {
  if (!writeSecretFile(path, key.secret())) throw new Error(`There is already a file at ${path}; a key is never overwritten.`);
}

export async function readKeyFile(path: string): Promise<AgentKey> {
  const secret = readSecretFile(path);
  if (secret === undefined) throw new Error(`There is no key at ${path}. Make one with: blackboard keygen --key-file ${path}`);
  return loadKey(secret);
}

/** The key in a file; a new one is made if there is no file. */
export async function keyAt(path: string): Promise<AgentKey> {
  if (existsSync(path)) return readKeyFile(path);
  const made = await makeKey();
  // Another process may just have made one.
  return writeSecretFile(path, made.secret()) ? made : readKeyFile(path);
}

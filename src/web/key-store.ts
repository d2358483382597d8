// The reader's own key: made here, stored only in this browser, and exported as a file.
import { type AgentKey, loadKey, makeKey } from "../client/client.ts";
import { storage } from "./storage.ts";

const PLACE = "blackboard.key";
const SAVED = "blackboard.saved";

/** The key of this browser, if it has one. */
export async function storedKey(): Promise<AgentKey | undefined> {
  const secret = storage.getItem(PLACE);
  return secret === null ? undefined : loadKey(secret).catch(() => undefined);
}

/** Calls when another tab has made, changed or removed the key. */
export function onOtherTab(listener: () => unknown): void {
  addEventListener("storage", ({ key }) => {
    // Null if everything was removed.
    if (key === PLACE || key === null) listener();
  });
}

/** Makes a key, unless another tab has made one meanwhile: the key of this browser is never replaced silently. */
export async function makeOwnKey(): Promise<AgentKey> {
  return (await storedKey()) ?? keep(await makeKey());
}

/** Imports a key; the imported file is its backup. Throws if the text is not a key. */
export async function importKey(secret: string): Promise<AgentKey> {
  const key = keep(await loadKey(secret.trim()));
  noteSaved(key);
  return key;
}

/** Stores the key that took over. The file that it came from is its backup. */
export function succeedKey(key: AgentKey): AgentKey {
  noteSaved(keep(key));
  return key;
}

function keep(key: AgentKey): AgentKey {
  storage.setItem(PLACE, key.secret());
  return key;
}

export function forgetKey(): void {
  storage.removeItem(PLACE);
}

const noteSaved = ({ agent }: AgentKey): void => storage.setItem(SAVED, agent);
/** Whether there is a backup outside of this browser. */
export const isSaved = ({ agent }: AgentKey): boolean => storage.getItem(SAVED) === agent;

export function exportKey(key: AgentKey): void {
  saveKeyFile(key, `${key.agent}.key`);
  noteSaved(key);
}

export function saveKeyFile(key: AgentKey, name: string): void {
  const address = URL.createObjectURL(new Blob([`${key.secret()}\n`], { type: "text/plain" }));
  Object.assign(document.createElement("a"), { href: address, download: name }).click();
  URL.revokeObjectURL(address);
}

// The reader's own key: made here, kept in this browser only, and taken along as a file.
import { type AgentKey, loadKey, makeKey } from "../client/client.ts";

const PLACE = "blackboard.key";

/** The key of this browser, where it has one. */
export async function storedKey(): Promise<AgentKey | undefined> {
  const secret = localStorage.getItem(PLACE);
  return secret === null ? undefined : loadKey(secret).catch(() => undefined);
}

/** A new one, unless another tab has made one meanwhile: the key of this browser is never replaced without a word. */
export async function newKey(): Promise<AgentKey> {
  return (await storedKey()) ?? keep(await makeKey());
}

/** A key from elsewhere; throws where the text is none. */
export async function importKey(secret: string): Promise<AgentKey> {
  return keep(await loadKey(secret.trim()));
}

function keep(key: AgentKey): AgentKey {
  localStorage.setItem(PLACE, key.secret());
  return key;
}

export function forgetKey(): void {
  localStorage.removeItem(PLACE);
}

export function exportKey(key: AgentKey): void {
  const address = URL.createObjectURL(new Blob([`${key.secret()}\n`], { type: "text/plain" }));
  Object.assign(document.createElement("a"), { href: address, download: `${key.agent}.key` }).click();
  URL.revokeObjectURL(address);
}

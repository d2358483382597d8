// Ed25519 checks in bulk, off the event loop. Point rules (low order, canonical) are checked before.
import type { Looked } from "../core/guard/examine-text.ts";

export interface SignatureChecker {
  check(key: Uint8Array, sig: Uint8Array, text: string): Promise<boolean>;
  /**
   * Also returns what the guard finds in the payload, since the thread that checks the signature has the text. Undefined if the signature
   * is wrong.
   */
  checkMessage(key: Uint8Array, sig: Uint8Array, payload: string): Promise<Looked | undefined>;
  close(): Promise<void>;
}

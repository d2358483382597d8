// Ed25519 checks in bulk, off the event loop. Shape rules (low order, canonical) are checked before.

export interface SignatureChecker {
  check(key: Uint8Array, sig: Uint8Array, text: string): Promise<boolean>;
  close(): Promise<void>;
}

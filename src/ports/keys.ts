// Queries about keys.
import type { KeyState, LineState, StoredKeyOp } from "../core/keys/key-state.ts";

/** A key with key operations, and its line. */
export interface KeyFacts {
  readonly key: KeyState;
  readonly line: LineState | undefined;
}

export interface KeyReads {
  keyFacts(agent: string): Promise<KeyFacts | undefined>;
  /** The states of several keys; keys without key operations are left out. */
  keyStates(agents: readonly string[]): Promise<readonly KeyState[]>;
  /** Every key that acts or acted for an agent, including itself; if there are very many, the first ones. */
  keysOf(agent: string): Promise<readonly string[]>;
  keyOp(id: string): Promise<StoredKeyOp | undefined>;
  /** The operations of a line after a seq, in order, at most `limit`. */
  keyOps(principal: string, after: number, limit: number): Promise<readonly StoredKeyOp[]>;
  /** The operation in a log entry, even if the log no longer has that entry. */
  keyOpAt(seq: number): Promise<StoredKeyOp | undefined>;
  /** The public key of an agent that has signed something on this board. */
  publicKey(agent: string): Promise<string | undefined>;
}

// What a store can be asked about keys.
import type { KeyState, LineState, StoredKeyOp } from "../core/keys/key-state.ts";

/** A key that takes part in key operations, and the line that it belongs to. */
export interface KeyFacts {
  readonly key: KeyState;
  readonly line: LineState | undefined;
}

/** An operation with the fields of its entry in the log, as long as that is kept. */
export interface LoggedKeyOp extends StoredKeyOp {
  readonly digest: string | null;
  readonly prev: string | null;
  readonly hash: string | null;
}

export interface KeyReads {
  keyFacts(agent: string): Promise<KeyFacts | undefined>;
  /** The states of several keys; those that take part in no key operation are left out. */
  keyStates(agents: readonly string[]): Promise<readonly KeyState[]>;
  /** Every key that acts or acted for an agent, itself among them; of very many the first ones. */
  keysOf(agent: string): Promise<readonly string[]>;
  keyOp(id: string): Promise<StoredKeyOp | undefined>;
  /** The operations of a line after a seq, in order, at most `limit`. */
  keyOps(principal: string, after: number, limit: number): Promise<readonly LoggedKeyOp[]>;
  /** The public key of an agent that has signed something here. */
  publicKey(agent: string): Promise<string | undefined>;
}

// The name and the key with which the heads of the tree over the log are signed.
import type { SigningKey } from "./signing-key.ts";

export interface TlogName {
  /** 0 for the first; else the Unix second in which the operator accepted another history. */
  readonly epoch: number;
  readonly origin: string;
  /** The public half of the log's key, in base64url. */
  readonly pk: string;
  /** The statement of the board's key about it, its signature, and the public half of that key. */
  readonly statement: string;
  readonly sig: string;
  readonly board: string;
}

export interface TlogIdentity {
  readonly name: TlogName;
  /** The log's key. */
  readonly key: SigningKey;
}

/** What the database says of the board itself. */
export interface IdentityReads {
  /** The public half of the board's first key; undefined if the database does not have it. */
  knownPk(): Promise<string | undefined>;
  /** The name under which the heads of the tree are signed, with its first key; undefined if there is none yet. */
  tlogName(): Promise<TlogName | undefined>;
}

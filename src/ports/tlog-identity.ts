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

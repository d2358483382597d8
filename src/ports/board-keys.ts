// The keys that the board signs with, as they are at a moment: its own, that of its log, and what is announced to follow them.
import type { KeyChange } from "../core/protocol/board-key.ts";
import type { SigningKey } from "./signing-key.ts";
import type { TlogIdentity } from "./tlog-name.ts";

export interface KeysNow {
  /** The agent id of the board's first key: what the board is called, whatever its key is. */
  readonly board: string;
  readonly key: SigningKey;
  /** The announced one; `from` in Unix seconds. */
  readonly next: { readonly key: SigningKey; readonly from: number } | undefined;
  /** Every change of the board's own key that was announced, in order. */
  readonly changes: readonly KeyChange[];
  /** Undefined on a board that has no key for its tree and may not make one. */
  readonly log: TlogIdentity | undefined;
  readonly nextLog: TlogIdentity | undefined;
  readonly logChanges: readonly KeyChange[];
}

export interface BoardKeys {
  /** `now` in milliseconds. Refuses where this node does not have a key that it needs. */
  at(now: number): Promise<KeysNow>;
}

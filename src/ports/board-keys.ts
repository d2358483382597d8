// The keys that the board signs with at a given time: its own, that of its log, and their announced successors.
import type { AnnouncedKey } from "../core/protocol/board-key-change.ts";
import type { SigningKey } from "./signing-key.ts";
import type { TlogIdentity } from "./tlog-identity.ts";

export interface KeysNow {
  /** The agent id of the board's first key: the board keeps this name when its key changes. */
  readonly board: string;
  readonly key: SigningKey;
  /** The announced key; `from` in Unix seconds. */
  readonly next: { readonly key: SigningKey; readonly from: number } | undefined;
  /** Every announced change of the board's own key, in order. */
  readonly changes: readonly AnnouncedKey[];
  /** Undefined on a board that has no key for its tree and may not make one. */
  readonly log: TlogIdentity | undefined;
  readonly nextLog: TlogIdentity | undefined;
  readonly logChanges: readonly AnnouncedKey[];
}

export interface BoardKeys {
  /** `now` in milliseconds. Throws if this node lacks a key that it needs. */
  at(now: number): Promise<KeysNow>;
}

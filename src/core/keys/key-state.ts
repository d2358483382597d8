// The stored state of keys and of the lines that they belong to, and the interface through which rules read and change it.
import { HOUR_MS } from "../durations.ts";
import { LIMITS } from "../protocol/limits.ts";
import type { Rel } from "../protocol/vocabulary.ts";

export const KEY_WAIT_MS = LIMITS.key_wait_hours * HOUR_MS;

/** What a child may do, and until when. */
export interface Delegation {
  readonly until: number;
  /** When the parent ended the delegation. */
  readonly endedAt: number | null;
  readonly kinds?: readonly string[];
  readonly rels?: readonly Rel[];
  readonly tags?: readonly string[];
  readonly claim: boolean;
  readonly postsPerHour: number;
  readonly ack: boolean;
}

export interface KeyState {
  readonly agent: string;
  readonly pk: string;
  /** The agent that the key acts for: the first key of its line. It never changes after the key's first act. */
  readonly principal: string;
  /**
   * `own`: the key is or was the line's current key. `signer`: the key has only signed key operations about the line, as a recovery
   * key does.
   */
  readonly role: "own" | "child" | "signer";
  /** `ts` of the last key operation that the key signed. */
  readonly lastTs: number;
  readonly predecessor: string | null;
  readonly successor: string | null;
  /** When the key was rotated or revoked; from then on it can sign nothing. */
  readonly endedAt: number | null;
  /** Messages received since this time may come from a thief. */
  readonly revokedSince: number | null;
  /** The key was replaced by the committed next key: until this time the previous recovery key may rotate the line once more. */
  readonly contest: { readonly recovery: string; readonly until: number } | null;
  readonly parent: string | null;
  readonly delegation: Delegation | null;
  /** Times of a child's posts in the last hour. */
  readonly posts: readonly number[];
}

export type Rank = "current" | "next" | "recovery";
const RANKS: readonly Rank[] = ["current", "next", "recovery"];
export const isAtLeast = (rank: Rank, other: Rank): boolean => RANKS.indexOf(rank) >= RANKS.indexOf(other);

/** A pending operation. If a rotation took effect at once, only its new recovery key is pending. */
export interface PendingOp {
  readonly id: string;
  readonly op: "commit" | "rotate" | "recovery";
  /** The agent id as the signer wrote it. */
  readonly agent: string;
  readonly by: string;
  readonly rank: Rank;
  readonly at: number;
  /** When it takes effect. */
  readonly due: number;
  readonly next: string | null;
  readonly recovery: string | null;
  readonly from: number | null;
}

export interface LineState {
  /** The first key of the line. */
  readonly principal: string;
  readonly current: string;
  /** Every key that was the line's current key, in order. */
  readonly members: readonly string[];
  /** Hashes of the keys that the line has committed to. */
  readonly next: string | null;
  readonly recovery: string | null;
  readonly pending: PendingOp | null;
  /** Children of the current key. When a child is added, children that ended longer ago than a revocation can reach back are dropped. */
  readonly children: readonly string[];
  /** Children of keys that were replaced, as long as their messages can be live; absent if there are none. */
  readonly former?: readonly string[];
}

/** The outcome of an operation. */
export type OpState = "counted" | "pending" | "vetoed" | "replaced";

/** An operation that was accepted. */
export interface StoredKeyOp {
  /** The SHA-256 of its payload. */
  readonly id: string;
  readonly seq: number;
  readonly at: number;
  readonly type: string;
  readonly principal: string;
  /** The agent id as the signer wrote it. */
  readonly agent: string;
  readonly signer: string;
  readonly state: OpState;
  /** The hash of the log entry before its own. */
  readonly prev: string;
  /** The exact envelope text. */
  readonly detail: string;
}

/** The facts about a key that are shown with everything it signed. */
export interface AuthorLine {
  readonly principal: string;
  /** The current key of its line, if that is another key. */
  readonly current?: string;
  readonly delegated_by?: string;
  /** In milliseconds. */
  readonly revoked_since?: number;
}

export function authorLine(key: KeyState, line: LineState | undefined): AuthorLine {
  const current = key.role === "own" ? (line?.current ?? key.agent) : key.agent;
  return {
    // A recovery key may be the key of an agent of its own.
    principal: key.role === "signer" ? key.agent : key.principal,
    ...(current === key.agent ? {} : { current }),
    ...(key.parent === null ? {} : { delegated_by: key.parent }),
    ...(key.revokedSince === null ? {} : { revoked_since: key.revokedSince }),
  };
}

/** The part of a transaction that concerns keys; see Ledger. */
export interface KeyLedger {
  readonly now: number;
  key(agent: string): KeyState | undefined;
  putKey(key: KeyState): void;
  line(principal: string): LineState | undefined;
  putLine(line: LineState): void;
  /** The outcome of an operation that was accepted before. */
  setOpState(id: string, state: OpState): void;
  /** When the key first acted; undefined if it never did. */
  firstSeen(agent: string): number | undefined;
  /** Records that the key has acted on this board. */
  seeAgent(agent: string, pk: string): void;
}

/** What happens to aliases and leases when a key changes. */
export type KeyEffect =
  /** Aliases and leases pass to the new key. */
  | { readonly type: "pass"; readonly from: readonly string[]; readonly to: string }
  /** Leases end, and aliases are kept for the line. */
  | { readonly type: "end"; readonly of: readonly string[] };

export const newLine = (agent: string): LineState => ({
  principal: agent,
  current: agent,
  members: [agent],
  next: null,
  recovery: null,
  pending: null,
  children: [],
});

export const newKeyState = (agent: string, pk: string, principal: string, role: KeyState["role"]): KeyState => ({
  agent,
  pk,
  principal,
  role,
  lastTs: 0,
  predecessor: null,
  successor: null,
  endedAt: null,
  revokedSince: null,
  contest: null,
  parent: null,
  delegation: null,
  posts: [],
});

export const isLive = ({ until, endedAt }: Delegation, now: number): boolean => endedAt === null && until > now;

type Children = Pick<LineState, "children">;
const childrenWith = (ledger: Pick<KeyLedger, "key">, { children }: Children, is: (delegation: Delegation) => boolean): readonly string[] =>
  children.filter((child) => {
    const delegation = ledger.key(child)?.delegation;
    return delegation != null && is(delegation);
  });

/** Children of the line's current key that could still sign after this time: their messages since then may come from a thief too. */
export const childrenAfter = (ledger: Pick<KeyLedger, "key">, line: Children, from: number): readonly string[] =>
  childrenWith(ledger, line, ({ until, endedAt }) => (endedAt ?? until) > from);

/** Children of the line's current key that have not ended. */
export const liveChildren = (ledger: Pick<KeyLedger, "key" | "now">, line: Children): readonly string[] =>
  childrenWith(ledger, line, (delegation) => isLive(delegation, ledger.now));

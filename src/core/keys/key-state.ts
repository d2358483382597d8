// What the board knows of keys: each key, the line of keys that it belongs to, and the window through which rules see and change them.
import { HOUR_MS } from "../durations.ts";
import { LIMITS } from "../protocol/limits.ts";
import type { Rel } from "../protocol/vocabulary.ts";

export const KEY_WAIT_MS = LIMITS.key_wait_hours * HOUR_MS;

/** What a child may do, and until when. */
export interface Delegation {
  readonly until: number;
  /** The parent took it back. */
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
  /** The agent for whom it acts, from its first act on and for ever: the first key of its line. */
  readonly principal: string;
  /** `own`: it is or was the line's current key. `signer`: it has only signed key operations about the line, as a recovery key does. */
  readonly role: "own" | "child" | "signer";
  /** `ts` of the last key operation that it signed. */
  readonly lastTs: number;
  readonly predecessor: string | null;
  readonly successor: string | null;
  /** Since when it signs nothing: it was rotated or revoked. */
  readonly endedAt: number | null;
  /** What was received of it since this moment may be a thief's. */
  readonly revokedSince: number | null;
  /** It was rotated by the committed key: until then the recovery key of before may rotate it once more. */
  readonly contest: { readonly recovery: string; readonly until: number } | null;
  readonly parent: string | null;
  readonly delegation: Delegation | null;
  /** When a child's posts of the last hour came. */
  readonly posts: readonly number[];
}

export type Rank = "current" | "next" | "recovery";
const RANKS: readonly Rank[] = ["current", "next", "recovery"];
export const isAtLeast = (rank: Rank, other: Rank): boolean => RANKS.indexOf(rank) >= RANKS.indexOf(other);

/** An operation that waits; of a rotation that counted at once, the new recovery key. */
export interface PendingOp {
  readonly id: string;
  readonly op: "commit" | "rotate" | "recovery";
  /** As it was named when it was signed. */
  readonly agent: string;
  readonly by: string;
  readonly rank: Rank;
  readonly at: number;
  /** When it counts. */
  readonly due: number;
  readonly next: string | null;
  readonly recovery: string | null;
  readonly from: number | null;
}

export interface LineState {
  /** Its first key. */
  readonly principal: string;
  readonly current: string;
  /** Every key that was its current one, in order. */
  readonly members: readonly string[];
  /** Hashes of the keys that it has committed to. */
  readonly next: string | null;
  readonly recovery: string | null;
  readonly pending: PendingOp | null;
  /** Children of the current key whose time was not over when one was last added. */
  readonly children: readonly string[];
}

/** What became of an operation. */
export type OpState = "counted" | "pending" | "vetoed" | "replaced";

/** An operation that was accepted. */
export interface StoredKeyOp {
  /** The SHA-256 of its payload. */
  readonly id: string;
  readonly seq: number;
  readonly at: number;
  readonly type: string;
  readonly principal: string;
  /** As it was named. */
  readonly agent: string;
  readonly signer: string;
  readonly state: OpState;
  /** The exact envelope text. */
  readonly detail: string;
}

/** What is known of a key wherever something by it is read. */
export interface AuthorLine {
  readonly principal: string;
  /** The end of its line, where that is another key. */
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

/** The keys' side of a transaction; see Ledger. */
export interface KeyLedger {
  readonly now: number;
  key(agent: string): KeyState | undefined;
  putKey(key: KeyState): void;
  line(principal: string): LineState | undefined;
  putLine(line: LineState): void;
  /** What became of an operation that was accepted before. */
  setOpState(id: string, state: OpState): void;
  /** When the key was first seen to act; undefined where it never was. */
  firstSeen(agent: string): number | undefined;
  /** The key is one that acts here from now on. */
  seeAgent(agent: string, pk: string): void;
}

/** What a change of keys does to what they hold. */
export type KeyEffect =
  /** Aliases and leases pass on. */
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

/** Children of the line's current key whose time is not over. */
export const liveChildren = (ledger: Pick<KeyLedger, "key" | "now">, { children }: LineState): readonly string[] =>
  children.filter((child) => {
    const delegation = ledger.key(child)?.delegation;
    return delegation != null && isLive(delegation, ledger.now);
  });

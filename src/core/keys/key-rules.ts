// The rules of key operations, inside the transaction. The order of the log decides every race.
import { Refusal } from "../errors.ts";
import { DAY_MS, HOUR_MS } from "../durations.ts";
import { agentId } from "../protocol/message-and-agent-ids.ts";
import { keyHash, type KeyOpName, type KeyPayload } from "../protocol/key-op.ts";
import { LIMITS } from "../protocol/limits.ts";
import { iso } from "../protocol/time.ts";
import {
  childrenAfter,
  isAtLeast,
  type KeyEffect,
  KEY_WAIT_MS,
  type KeyLedger,
  type KeyState,
  type LineState,
  liveChildren,
  newKeyState,
  newLine,
  type OpState,
  type PendingOp,
  type Rank,
} from "./key-state.ts";
import { earliest, markRevoked, succeed } from "./apply-key-rotations.ts";

/** An operation whose signatures were checked. */
export interface KeyOp<Op extends KeyOpName = KeyOpName> {
  readonly id: string;
  readonly signer: string;
  readonly payload: KeyPayload<Op>;
  /** Whether the key of the agent that the operation is about has signed it too. */
  readonly oldSigned: boolean;
}

export interface Operated {
  readonly principal: string;
  readonly state: OpState;
  readonly effects: readonly KeyEffect[];
}

interface Scene<Op extends KeyOpName = KeyOpName> extends KeyOp<Op> {
  readonly ledger: KeyLedger;
  readonly line: LineState;
  /** The form in which a commitment names a key: its hash. */
  readonly hash: string;
}
type Done = Omit<Operated, "principal">;

/** Pending operations of the line that are due must have taken effect before. */
export function operateKey(ledger: KeyLedger, op: KeyOp): Operated {
  const { payload, signer } = op;
  requireSigner(ledger, op);
  const line = lineOf(ledger, op);
  const scene: Scene = { ...op, ledger, line, hash: keyHash(payload.pk) };
  const done = byRule(scene);
  const known = ledger.key(signer) ?? newKeyState(signer, payload.pk, line.principal, signer === line.current ? "own" : "signer");
  ledger.putKey({ ...known, lastTs: payload.ts });
  if (known.role === "own") ledger.seeAgent(signer, payload.pk);
  return { principal: line.principal, ...done };
}

const RULES: { readonly [Op in KeyOpName]: (scene: Scene<Op>) => Done } = { commit, rotate, revoke, delegate, undelegate, veto };
function byRule<Op extends KeyOpName>(scene: Scene<Op>): Done {
  return (RULES[scene.payload.op as Op] as (scene: Scene<Op>) => Done)(scene);
}

/** A key that may sign nothing, or only what was delegated to it, may not sign key operations. */
function requireSigner(ledger: KeyLedger, { signer, payload }: KeyOp): void {
  const key = ledger.key(signer);
  if (key === undefined) return;
  if (key.role === "child") throw outsideDelegation("A delegated key signs no key operations.", { limit: "keys" });
  if (key.endedAt !== null) throw keyRevoked(ledger, key);
  if (payload.ts <= key.lastTs)
    throw new Refusal("stale_key_op", `\`ts\` is ${payload.ts}; the last key operation of ${signer} has ${key.lastTs}.`, {
      details: { last_ts: key.lastTs },
    });
}

/** The line of the agent that the operation is about. A key without a line is a line of its own. */
function lineOf(ledger: KeyLedger, { payload: { agent }, signer }: KeyOp): LineState {
  const key = ledger.key(agent);
  if (key?.role === "child") throw outsideDelegation(`${agent} is a delegated key: it has no keys of its own.`, { limit: "keys" });
  if (key?.role === "own") return ledger.line(key.principal) ?? newLine(agent);
  if (key?.role === "signer" || (signer !== agent && ledger.firstSeen(agent) === undefined))
    throw new Refusal("agent_unknown", `${agent} has signed nothing here.`);
  return newLine(agent);
}

const isEnded = ({ ledger, line }: Scene): boolean => (ledger.key(line.current)?.endedAt ?? null) !== null;

/** The rank of the signer for this agent at present. */
function rankOf({ signer, line, hash }: Scene): Rank | undefined {
  if (signer === line.current) return "current";
  return hash === line.recovery ? "recovery" : undefined;
}

function requireCurrent({ signer, line, payload }: Scene): void {
  if (signer === line.current && payload.agent === line.current) return;
  throw notOwner(`${payload.op} is for the current key of ${payload.agent}, ${line.current}.`);
}

/** Only the current key and the recovery key may revoke or veto. */
function requireHolder(scene: Scene): Rank {
  const { ledger, line, payload } = scene;
  const named = ledger.key(payload.agent);
  if (payload.agent !== line.current && named !== undefined) throw keyRevoked(ledger, named);
  const rank = rankOf(scene);
  if (rank === undefined) throw notOwner(`${payload.op} is for the current or the recovery key of ${payload.agent}.`);
  return rank;
}

function commit(scene: Scene<"commit">): Done {
  requireCurrent(scene);
  const { ledger, line, signer, payload } = scene;
  const { next, recovery = null } = payload;
  const isFirst = line.next === null && line.recovery === null;
  const isYoung = ledger.now - (ledger.firstSeen(signer) ?? ledger.now) < LIMITS.key_first_hours * HOUR_MS;
  if (isFirst && isYoung) {
    const cleared = withoutPending(scene, "current");
    store(scene, { ...cleared, next, recovery });
    return counted();
  }
  return wait(scene, line, { op: "commit", rank: "current", next, recovery });
}

function rotate(scene: Scene<"rotate">): Done {
  const { ledger, line, signer, payload, hash } = scene;
  const { agent, next = null, recovery = null, from } = payload;
  requireUnused(ledger, signer, line.principal, (key) => key.role === "signer");
  const since = from === undefined ? null : from * 1000;
  const rank = rotationRank(scene);
  // The limit does not apply to the recovery key: otherwise a thief could rotate until the line is full and shut that key out.
  if (rank !== "recovery" && line.members.length >= LIMITS.keys_per_line)
    throw new Refusal("too_many_keys", `The line of ${agent} has had ${LIMITS.keys_per_line} keys.`);
  if (rank === "current") return wait(scene, line, { op: "rotate", rank, next, recovery, from: since });
  const newRecovery = recovery !== null && recovery !== line.recovery ? recovery : null;
  if (newRecovery !== null) requireRank(scene, rank);
  const cleared = withoutPending(scene, rank);
  const done = succeed(ledger, cleared, { signer, pk: payload.pk, agent, rank, next, from: since, at: ledger.now });
  // Only the new recovery key is pending; the rest takes effect at once.
  if (newRecovery !== null) wait({ ...scene, hash }, done.line, { op: "recovery", rank, next: null, recovery: newRecovery });
  return { state: "counted", effects: [done.effect] };
}

/** The rank by which the new key may take over; throws if it may not. */
function rotationRank(scene: Scene<"rotate">): Rank {
  const { ledger, line, hash, payload, oldSigned } = scene;
  const named = ledger.key(payload.agent);
  if (payload.agent !== line.current) {
    const contest = named?.contest ?? null;
    if (contest !== null && contest.until > ledger.now && contest.recovery === hash) return "recovery";
    throw keyRevoked(ledger, named ?? newKeyState(payload.agent, "", line.principal, "own"));
  }
  if (hash === line.recovery) return "recovery";
  if (hash === line.next) return "next";
  if (line.next !== null)
    throw new Refusal("key_committed_elsewhere", `${payload.agent} has committed to another key.`, { details: { next: line.next } });
  if (named !== undefined && named.endedAt !== null) throw keyRevoked(ledger, named);
  if (!oldSigned)
    throw notOwner(
      `${payload.agent} has not committed to this key: the old key has to sign the same payload too.`,
      "Send `old_sig`, the old key's signature over the same payload; the rotation then counts after 72 hours.",
    );
  return "current";
}

function revoke(scene: Scene<"revoke">): Done {
  const rank = requireHolder(scene);
  const { ledger, line, payload } = scene;
  const wasEnded = isEnded(scene);
  const from = payload.from * 1000;
  const children = liveChildren(ledger, line);
  store(scene, withoutPending(scene, rank));
  const key = ledger.key(line.current) ?? newKeyState(line.current, payload.pk, line.principal, "own");
  ledger.putKey({ ...key, endedAt: key.endedAt ?? ledger.now, revokedSince: earliest(key.revokedSince, from) });
  markRevoked(ledger, childrenAfter(ledger, line, from), from);
  return { state: "counted", effects: wasEnded ? [] : [{ type: "end", of: [line.current, ...children] }] };
}

/** Children that ended before this are forgotten. */
const recently = ({ now }: KeyLedger): number => now - LIMITS.revoked_days * DAY_MS;

function delegate(scene: Scene<"delegate">): Done {
  requireCurrent(scene);
  const { ledger, line, signer, payload } = scene;
  const { child: pk, until, kinds, rels, tags, claim, posts_per_hour, ack = false } = payload;
  const child = agentId(pk);
  const isRenewed = (key: KeyState): boolean => key.role === "child" && key.parent === signer;
  if (child === signer) throw new Refusal("key_in_use", "A key cannot be its own child.");
  requireUnused(ledger, child, line.principal, isRenewed);
  const others = liveChildren(ledger, line).filter((one) => one !== child);
  if (others.length >= LIMITS.children_per_agent)
    throw new Refusal("too_many_keys", `${signer} has ${LIMITS.children_per_agent} live children already.`, {
      details: { children: others },
    });
  const known = ledger.key(child) ?? newKeyState(child, pk, line.principal, "child");
  const delegation = {
    until: until * 1000,
    endedAt: null,
    ...(kinds === undefined ? {} : { kinds }),
    ...(rels === undefined ? {} : { rels }),
    ...(tags === undefined ? {} : { tags }),
    claim: claim ?? rels?.includes("claims") ?? false,
    postsPerHour: posts_per_hour ?? LIMITS.child_posts_per_hour,
    ack,
  };
  const siblings = childrenAfter(ledger, line, recently(ledger)).filter((one) => one !== child);
  store(scene, { ...line, children: [...siblings, child] });
  ledger.putKey({ ...known, parent: signer, delegation });
  ledger.seeAgent(child, pk);
  return counted();
}

/**
 * Call this after a delegation. Checked for new operations only, because a replayed log may contain earlier ones that break this rule.
 */
export function requireFewRecentChildren(ledger: KeyLedger, { signer, payload }: KeyOp, principal: string): void {
  const line = ledger.line(principal);
  if (payload.op !== "delegate" || line === undefined) return;
  const former = childrenAfter(ledger, { children: line.former ?? [] }, recently(ledger));
  if (line.children.length + former.length <= LIMITS.recent_children_per_agent) return;
  throw new Refusal(
    "too_many_keys",
    `${signer} and its earlier keys have had ${LIMITS.recent_children_per_agent} children within ${LIMITS.revoked_days} days.`,
    { hint: "Delegate to one of these keys again: that renews it, and adds none." },
  );
}

/** Checks the times of an operation that need the board's clock. */
export function requireKeyTimes({ payload }: { readonly payload: KeyPayload }, now: number): void {
  const refuse = (field: string, rule: string): never => {
    throw new Refusal("invalid_field", `\`${field}\` must be ${rule}.`, { details: { field }, hint: "/api/time tells the board's clock." });
  };
  if (payload.op === "delegate" && (payload.until * 1000 <= now || payload.until * 1000 > now + LIMITS.delegation_days * DAY_MS))
    refuse("until", `Unix time in seconds, later than now and at most ${LIMITS.delegation_days} days ahead`);
  const from = payload.op === "revoke" || payload.op === "rotate" ? payload.from : undefined;
  if (from !== undefined && (from * 1000 < now - LIMITS.revoked_days * DAY_MS || from * 1000 > now + LIMITS.ts_future_s * 1000))
    refuse("from", `Unix time in seconds, at most ${LIMITS.revoked_days} days back and not in the future`);
}

/**
 * A key cannot take over from itself. Checked for new operations only, because a replayed log may contain earlier ones that break this
 * rule.
 */
export function requireOtherNext({ payload }: { readonly payload: KeyPayload }): void {
  const next = payload.op === "commit" || payload.op === "rotate" ? payload.next : undefined;
  if (next === keyHash(payload.pk))
    throw new Refusal("invalid_field", "`next` is the hash of the key that signs this: no other key could take over from it.", {
      details: { field: "next" },
      hint: "Give the hex SHA-256 of another key's 32 raw bytes; /llms/keys.txt says more.",
    });
}

function undelegate(scene: Scene<"undelegate">): Done {
  requireCurrent(scene);
  const { ledger, line, signer, payload } = scene;
  const child = agentId(payload.child);
  const key = ledger.key(child);
  if (key?.delegation == null || key.parent !== signer) throw notOwner(`${child} is no child of ${signer}.`);
  ledger.putKey({ ...key, delegation: { ...key.delegation, endedAt: key.delegation.endedAt ?? ledger.now } });
  store(scene, line);
  return counted();
}

function veto(scene: Scene<"veto">): Done {
  requireHolder(scene);
  const { ledger, line, payload } = scene;
  if (line.pending?.id !== payload.of)
    throw new Refusal("not_pending", `No operation ${payload.of} of ${payload.agent} is pending.`, {
      details: { pending: line.pending === null ? null : line.pending.id },
    });
  markPending(ledger, line.pending, "vetoed");
  store(scene, { ...line, pending: null });
  return counted();
}

const counted = (): Done => ({ state: "counted", effects: [] });

/** Stores the line and its first key. */
function store({ ledger, payload, signer }: Scene, line: LineState): void {
  ledger.putLine(line);
  if (ledger.key(line.current) === undefined && line.members.length === 1)
    ledger.putKey(newKeyState(line.current, signer === line.current ? payload.pk : "", line.principal, "own"));
}

type Waiting = Pick<PendingOp, "op" | "rank" | "next" | "recovery"> & { readonly from?: number | null };

/** An agent has one pending operation at a time. A newer one of the same or a higher rank replaces it and starts a new waiting time. */
function wait(scene: Scene, line: LineState, { from = null, ...waiting }: Waiting): Done {
  const { ledger, id, signer, payload } = scene;
  requireRank({ ...scene, line }, waiting.rank);
  if (line.pending !== null) markPending(ledger, line.pending, "replaced");
  const pending = { ...waiting, id, agent: payload.agent, by: signer, at: ledger.now, due: ledger.now + KEY_WAIT_MS, from };
  store(scene, { ...line, pending });
  return { state: "pending", effects: [] };
}

function requireRank({ line: { pending } }: Pick<Scene, "line">, rank: Rank): void {
  if (pending === null || isAtLeast(rank, pending.rank)) return;
  throw new Refusal("key_op_pending", `Another operation is pending until ${iso(pending.due)}.`, {
    details: { pending: { id: pending.id, counts_at: iso(pending.due) } },
  });
}

/** An operation that takes effect at once cancels a pending one of the same or a lower rank. */
function withoutPending({ ledger, line }: Scene, rank: Rank): LineState {
  if (line.pending === null || !isAtLeast(rank, line.pending.rank)) return line;
  markPending(ledger, line.pending, "replaced");
  return { ...line, pending: null };
}

/** If only the recovery key of a rotation is pending, the rotation itself has taken effect. */
function markPending(ledger: KeyLedger, { id, op }: PendingOp, state: OpState): void {
  if (op !== "recovery") ledger.setOpState(id, state);
}

function requireUnused(ledger: KeyLedger, agent: string, principal: string, unless: (key: KeyState) => boolean): void {
  const key = ledger.key(agent);
  const hasActed = key?.role === "signer" && ledger.firstSeen(agent) !== undefined;
  if (key !== undefined && !hasActed && key.principal === principal && unless(key)) return;
  if (key !== undefined || ledger.firstSeen(agent) !== undefined)
    throw new Refusal("key_in_use", `${agent} has signed something here already.`, { details: { agent } });
}

const notOwner = (message: string, hint = "Sign with the agent's current key or its recovery key; see /api/agents/{id}/keys."): Refusal =>
  new Refusal("not_owner", message, { hint });

export const outsideDelegation = (message: string, details: Readonly<Record<string, unknown>>): Refusal =>
  new Refusal("outside_delegation", message, { details });

/** `successor`: the key that acts for the agent now, if there is one. */
export function keyRevoked(ledger: Pick<KeyLedger, "key" | "line">, { agent, principal }: KeyState): Refusal {
  const current = ledger.line(principal)?.current ?? null;
  const successor = current === null || current === agent || (ledger.key(current)?.endedAt ?? null) !== null ? null : current;
  const words = successor === null ? "was revoked" : `was rotated: ${successor} acts for the agent now`;
  const hint =
    successor === null
      ? "A key that was committed as next or recovery can still rotate to itself; else make a new key. See /llms/keys.txt."
      : `Sign with the key of ${successor}; a key operation names it as \`agent\`. If it is not yours: for 72 hours after its rotation the recovery key can rotate ${agent} again. See /llms/keys.txt.`;
  return new Refusal("key_revoked", `The key ${agent} ${words}.`, { details: { successor }, hint });
}

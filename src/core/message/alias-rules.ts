// The rules of claiming and releasing an alias, inside the transaction, and its lifetime.
import { Refusal } from "../errors.ts";
import { requireSigning, type SigningLedger } from "../keys/delegation.ts";
import type { AliasPayload } from "../protocol/alias.ts";
import { requireUnreserved } from "../protocol/alias-name.ts";
import { LIMITS } from "../protocol/limits.ts";
import { iso } from "../protocol/time.ts";
import { DAY_MS, HOUR_MS } from "../durations.ts";
import type { EntryType } from "../log/entry-type.ts";
import { isSameAgent, type PrincipalLedger, requireOwner } from "./principal.ts";

/** An alias stays valid this long after its owner's last signed act, and is then reserved for the old owner for the same time. */
export const ALIAS_LIFE_MS = LIMITS.alias_days * DAY_MS;
export const ALIAS_QUARANTINE_MS = LIMITS.alias_quarantine_days * DAY_MS;

export interface AliasRow {
  readonly alias: string;
  readonly agent: string;
  /** `ts` of the last operation on it, by any agent. */
  readonly lastTs: number;
  /** The operations with exactly this `ts`: the ids of their payloads, the expiry that each was answered with, and their entries. */
  readonly lastOps: readonly { readonly id: string; readonly expiresAt: number; readonly seq: number }[];
  readonly claimedAt: number;
  /** Set when it is released or has expired. */
  readonly endedAt: number | null;
  readonly released: boolean;
}

/** The part of a transaction that aliases need; see Ledger. */
export interface AliasLedger extends PrincipalLedger, SigningLedger {
  alias(name: string): AliasRow | undefined;
  putAlias(row: AliasRow): void;
  liveAliases(agent: string): readonly string[];
  lastSeen(agent: string): number | undefined;
  keyOf(agent: string): string | undefined;
  /** Records that an agent has signed something that is not a message. */
  seeAgent(agent: string, pk: string): void;
  /** Deletes the alias, as if nobody had ever owned it. */
  forgetAlias(name: string): void;
  /** Aliases that are due for a check: the owner may have been silent for too long, or the alias ended long ago. */
  dueAliases(limit: number): readonly AliasRow[];
  /** Check the alias again at this time. */
  checkAlias(name: string, at: number): void;
  log(type: EntryType, id: string, detail: string | null): number;
}

export interface AliasOutcome {
  readonly alias: string;
  readonly agent: string;
  readonly op: "claim" | "release";
  readonly expiresAt: number;
  /** The seq of its log entry. */
  readonly seq: number;
  /** The alias was changed since: another operation of the same second came after this one. */
  readonly undone?: true;
}

/** Claims, renews or releases; the signature was checked. */
export function operateAlias(ledger: AliasLedger, agent: string, id: string, payload: AliasPayload): AliasOutcome {
  const { alias, op, ts, pk } = payload;
  const known = ledger.alias(alias);
  // The same operation again, from its sender or from somebody who has seen it. It changes nothing: later operations of the same second
  // stay in force.
  const before = known?.lastTs === ts ? known.lastOps.find((one) => one.id === id) : undefined;
  if (before !== undefined)
    return {
      alias,
      agent,
      op,
      expiresAt: before.expiresAt,
      seq: before.seq,
      ...(known?.lastOps.at(-1) === before ? {} : { undone: true }),
    };
  requireOwner(agent, pk, ledger.keyOf(agent));
  requireUnreserved(payload);
  requireSigning(ledger, agent, "alias");
  const holder = known === undefined ? undefined : holderOf(ledger, known);
  const isHolder = holder !== undefined && isSameAgent(ledger, holder, agent);
  if (op === "claim") requireFree(ledger, known, holder, agent);
  else if (holder === undefined)
    throw new Refusal("not_owner", `Nobody holds ${JSON.stringify(alias)}.`, { hint: "There is nothing to release." });
  else if (!isHolder) throw new Refusal("not_owner", `${alias} belongs to ${holder}.`);
  if (known !== undefined && ts < known.lastTs) {
    throw new Refusal("stale_alias_op", `\`ts\` is ${ts}; the last operation on ${alias} has ${known.lastTs}.`, {
      details: { last_ts: known.lastTs },
    });
  }
  if (op === "claim" && !isHolder && ledger.liveAliases(agent).length >= LIMITS.aliases_per_agent) {
    throw new Refusal("too_many_aliases", `${agent} holds ${LIMITS.aliases_per_agent} aliases already.`);
  }
  ledger.seeAgent(agent, pk);
  const claimedAt = isHolder && known !== undefined ? known.claimedAt : ledger.now;
  const ended = op === "release";
  const expiresAt = ended ? ledger.now : ledger.now + ALIAS_LIFE_MS;
  const seq = ledger.log(op === "claim" ? "alias_claim" : "alias_release", alias, JSON.stringify({ agent }));
  const lastOps = [...(known?.lastTs === ts ? known.lastOps : []), { id, expiresAt, seq }];
  ledger.putAlias({ alias, agent, lastTs: ts, lastOps, claimedAt, endedAt: ended ? ledger.now : null, released: ended });
  return { alias, agent, op, expiresAt, seq };
}

/** When it ended, or will end if its owner signs nothing more. */
const endOf = (ledger: AliasLedger, { agent, endedAt, claimedAt }: AliasRow): number =>
  endedAt ?? (ledger.lastSeen(agent) ?? claimedAt) + ALIAS_LIFE_MS;

/** The owner now: an owner who was silent for too long has lost it, even before the sweep. */
function holderOf(ledger: AliasLedger, row: AliasRow): string | undefined {
  return row.endedAt === null && endOf(ledger, row) > ledger.now ? row.agent : undefined;
}

function requireFree(ledger: AliasLedger, known: AliasRow | undefined, holder: string | undefined, agent: string): void {
  const { now } = ledger;
  if (known === undefined || isSameAgent(ledger, known.agent, agent)) return;
  if (holder !== undefined) throw new Refusal("alias_taken", `${known.alias} belongs to ${holder}.`, { details: { agent: holder } });
  // A thief may have released it, so it is reserved for the owner's line of keys. An expired alias is reserved for longer.
  const until = (known.endedAt ?? now) + (known.released ? LIMITS.alias_released_hours * HOUR_MS : ALIAS_QUARANTINE_MS);
  if (until > now) {
    throw new Refusal("alias_taken", `${known.alias} is kept for its last owner until ${iso(until)}.`, {
      details: { free_at: iso(until) },
    });
  }
}

/** Ends aliases whose owners were silent for too long, and deletes those that ended long ago. Returns whether there may be more. */
export function sweepAliases(ledger: AliasLedger, step: number): boolean {
  const due = ledger.dueAliases(step);
  for (const row of due) {
    if (row.endedAt !== null) {
      ledger.forgetAlias(row.alias);
      continue;
    }
    const end = endOf(ledger, row);
    if (end > ledger.now) {
      ledger.checkAlias(row.alias, end);
      continue;
    }
    ledger.putAlias({ ...row, endedAt: end });
    ledger.log("alias_expire", row.alias, JSON.stringify({ agent: row.agent }));
  }
  return due.length === step;
}

// Compares endings, decisions and aliases in the log with those in the store.
import { ALIAS_LIFE_MS } from "../../../core/message/alias-rules.ts";
import type { Entry } from "../../../core/log/chain.ts";
import { END_REASONS } from "../../../core/message/message-state.ts";
import type { Action } from "../../../core/message/moderation-state.ts";
import { BEFORE_ANY_EXPIRY, type Store } from "../../../ports/store.ts";
import type { Findings } from "./findings.ts";

const ROWS_PER_READ = 500;
export const isEnding = ({ type }: Entry): boolean => END_REASONS[type] !== undefined;

/** The last ending of each message that no longer exists. */
export async function compareEndings(
  store: Store,
  others: readonly Entry[],
  created: ReadonlySet<string>,
  findings: Findings,
): Promise<void> {
  const ends = new Map(others.filter(isEnding).map((entry) => [entry.id, entry]));
  const restored = new Set(others.filter(({ type }) => type === "restore").map(({ id }) => id));
  const ids = [...ends.keys()];
  for (let at = 0; at < ids.length; at += ROWS_PER_READ) {
    const found = await store.findAll(ids.slice(at, at + ROWS_PER_READ), BEFORE_ANY_EXPIRY);
    for (const id of ids.slice(at, at + ROWS_PER_READ)) {
      const [entry, one] = [ends.get(id), found.get(id)];
      if (entry === undefined || (one !== undefined && "stored" in one)) continue;
      const where = `tombstone of ${id}`;
      // A decision on an attachment leaves no tombstone, and of a message whose tombstone was deleted the position in the log is kept.
      if (one === undefined) {
        if (created.has(id) && (await store.pastSeq(id)) === undefined) findings.add(where, "is missing");
        continue;
      }
      const { reason, statement } = one.tombstone;
      findings.compare(where, ["reason"], { reason: END_REASONS[entry.type] }, { reason });
      if (entry.type === "remove" && !restored.has(id)) findings.compare(where, ["statement"], { statement: entry.detail }, { statement });
    }
  }
}

export async function compareDecisions(
  store: Store,
  others: readonly Entry[],
  decisions: readonly Action[],
  oldest: number,
  findings: Findings,
): Promise<void> {
  const made = new Map(others.filter(({ type }) => type === "remove" || type === "key_block").map((entry) => [entry.seq, entry]));
  const reversed = new Set(
    others
      .filter(({ type }) => type === "restore" || type === "key_unblock")
      .map(({ detail }) => (JSON.parse(detail ?? "{}") as { statement?: string }).statement),
  );
  for (const action of decisions) {
    const where = `decision ${action.id}`;
    const entry = made.get(action.seq);
    made.delete(action.seq);
    if (entry === undefined) {
      if (action.seq >= oldest) findings.add(where, `is not in the log at ${action.seq}`);
      continue;
    }
    const { id, target, visibility } = action;
    const state = reversed.has(id) ? "reversed" : "in_force";
    const stated = { ...(JSON.parse(entry.detail ?? "{}") as object), target: entry.id, at: entry.at, state };
    findings.compare(where, ["id", "target", "at", "visibility", "ground", "category", "facts", "state"], stated, action);
    const blocksKey = visibility === "key_blocked" && action.state === "in_force";
    if (blocksKey && !(await store.precheck("", target, [], BEFORE_ANY_EXPIRY)).keyBlocked)
      findings.add(where, "is in force, but the key is not blocked");
    if (await isOpenBlob(store, action)) findings.add(where, "is in force, but the attachment is not blocked");
  }
  for (const { seq, id } of made.values()) findings.add(`entry ${seq}`, `decides on ${id}, but no decision is stored`);
}

/** A decision whose target is not a message is about an attachment. */
async function isOpenBlob(store: Store, { target, visibility, state }: Action): Promise<boolean> {
  if (visibility !== "content_removed" || state !== "in_force") return false;
  const { known, tombstone, blockedBlobs } = await store.precheck(target, "", [target], BEFORE_ANY_EXPIRY);
  return known === undefined && tombstone === undefined && blockedBlobs.length === 0;
}

export async function allDecisions(store: Store): Promise<readonly Action[]> {
  const all: Action[] = [];
  for (let page: readonly Action[]; ; all.push(...page)) {
    page = await store.actions({ since: 0, before: all.at(-1)?.seq, limit: ROWS_PER_READ });
    if (page.length === 0) return all;
  }
}

export async function compareAliases(store: Store, others: readonly Entry[], now: number, findings: Findings): Promise<void> {
  const last = new Map(others.filter(({ type }) => type.startsWith("alias_")).map((entry) => [entry.id, entry]));
  for (const { id, type, detail } of last.values()) {
    // An alias moves to the key that succeeds its owner.
    const agent = (await store.keyFacts(agentOf(detail)))?.line?.current ?? agentOf(detail);
    const seen = (await store.agent(agent, now))?.lastSeen ?? 0;
    const held = type === "alias_claim" && seen + ALIAS_LIFE_MS > now ? agent : null;
    findings.compare(`alias ${id}`, ["agent"], { agent: held }, { agent: (await store.alias(id, now))?.agent ?? null });
  }
}

/** When each agent first claimed an alias. */
export function aliasClaims(others: readonly Entry[]): ReadonlyMap<string, number> {
  const claims = others.filter(({ type }) => type === "alias_claim");
  // The claims are set from newest to oldest, so the oldest claim of an agent remains.
  return new Map(claims.toReversed().map(({ detail, at }) => [agentOf(detail), at]));
}

const agentOf = (detail: string | null): string => (JSON.parse(detail ?? "{}") as { agent: string }).agent;

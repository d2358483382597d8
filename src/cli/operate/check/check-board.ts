// All checks of a board, in order, on a store that does not change.
import type { IndexInventory } from "../../../adapters/search/index-inventory.ts";
import type { Holdings } from "../../../adapters/sqlite/non-message-rows.ts";
import type { Checkpoint } from "../../../core/log/chain-checkpoint.ts";
import type { MessageState } from "../../../core/message/message-state.ts";
import { BEFORE_ANY_EXPIRY, type Store } from "../../../ports/store.ts";
import { checkKeyOps, compareKeys, keyOpsOfAgents, replayOldKeyOps } from "./agent-keys.ts";
import { checkBoardKeys } from "./board-keys.ts";
import { checkCheckpoint } from "./last-signed-head.ts";
import { aliasClaims, allDecisions, compareAliases, compareDecisions, compareEndings } from "./endings-decisions-aliases.ts";
import { compareFacts } from "./derived-facts.ts";
import { type Finding, Findings } from "./findings.ts";
import { compareInboxChanges } from "./inbox-changes.ts";
import { checkHoldings } from "./attachments-and-blocklist.ts";
import { type IsSigned, readHistory } from "./verify-and-replay-log.ts";
import { compareIndex } from "./search-index.ts";
import { checkTree } from "./tree.ts";
import { ReplayedBoard } from "./replayed-board.ts";

export interface CheckReport {
  readonly entries: number;
  readonly messages: number;
  readonly faults: number;
  /** The first thousand findings. */
  readonly findings: readonly Finding[];
}

export interface Examined {
  readonly store: Store;
  /** From the same database. */
  readonly holdings: Holdings;
  /** Read before the store was copied. */
  readonly index: IndexInventory | undefined;
  /** The last signed head, and the public half of the first key of the board that signed it. */
  readonly signed: Checkpoint | undefined;
  readonly pk: string | undefined;
}

export async function checkBoard({ store, holdings, index, signed, pk }: Examined, isSigned: IsSigned, now: number): Promise<CheckReport> {
  const findings = new Findings();
  const scratch = new ReplayedBoard();
  try {
    await checkCheckpoint(store, signed, pk, findings);
    await checkTree(store, findings);
    const keyOps = keyOpsOfAgents(holdings);
    await replayOldKeyOps(keyOps, store, scratch, now);
    const history = await readHistory(store, scratch, keyOps, isSigned, now, findings);
    const { entries, messages, created, others, forgotten, erased, removedOf } = history;
    await endLeases(store, scratch, [...messages.keys()], removedOf, now);
    const oldest = Math.max(await store.oldestSeq(), erased + 1);
    await using expected = await scratch.read();
    using replayed = scratch.holdings();
    const sides = { expected, found: store, now, whole: oldest === 1 && !forgotten, aliased: aliasClaims(others) };
    await compareFacts(sides, [...messages.keys()], findings);
    if (sides.whole) compareKeys(replayed, holdings, findings);
    const decisions = await allDecisions(store);
    await compareEndings(store, others, created, findings);
    await compareDecisions(store, others, decisions, oldest, findings);
    checkHoldings(holdings, decisions, findings);
    compareInboxChanges(holdings, scratch.courses, history, findings);
    await compareIndex(store, index, messages, others, findings);
    await checkKeyOps({ holdings, store, isSigned }, findings);
    await checkBoardKeys(store, others, oldest, findings);
    await compareAliases(store, others, now, findings);
    return { entries, messages: messages.size, faults: findings.count, findings: findings.all };
  } finally {
    scratch.remove();
  }
}

const IDS_PER_READ = 500;

/** A lease ends by time, by its holder, or with a claim that the operator removed. */
async function endLeases(
  store: Store,
  scratch: ReplayedBoard,
  ids: readonly string[],
  removedOf: ReadonlySet<string>,
  now: number,
): Promise<void> {
  const free = new Set<string>();
  const agents = new Set<string>();
  for (let at = 0; at < ids.length; at += IDS_PER_READ) {
    for (const [id, one] of await store.findAll(ids.slice(at, at + IDS_PER_READ), BEFORE_ANY_EXPIRY)) {
      if (!("stored" in one)) continue;
      if (one.stored.state.leaseUntil === null) free.add(id);
      agents.add(one.stored.state.author);
    }
  }
  const barred = new Set<string>();
  for (const agent of agents) for (const seq of await store.barredWork(agent, BEFORE_ANY_EXPIRY)) barred.add(`${agent} ${seq}`);
  const isOver = ({ leaseUntil, claimedBy, seq }: MessageState): boolean =>
    (leaseUntil ?? 0) <= now || barred.has(`${claimedBy} ${seq}`) || removedOf.has(claimedBy ?? "");
  scratch.endLeases((target) => free.has(target.id) && isOver(target));
}

// All checks of a board, in order; the store is as it was at one moment.
import type { Checkpoint } from "../../../core/log/checkpoint.ts";
import type { Store } from "../../../ports/store.ts";
import { checkCheckpoint } from "./checkpoint.ts";
import { compareAliases, compareDecisions, compareEndings } from "./decisions.ts";
import { compareFacts } from "./facts.ts";
import { type Finding, Findings } from "./findings.ts";
import { type IsSigned, readHistory } from "./history.ts";
import { Scratch } from "./scratch.ts";

export interface Checked {
  readonly entries: number;
  readonly messages: number;
  readonly faults: number;
  /** The first thousand. */
  readonly findings: readonly Finding[];
}

export async function checkBoard(store: Store, signed: Checkpoint | undefined, isSigned: IsSigned, now: number): Promise<Checked> {
  const findings = new Findings();
  const scratch = new Scratch();
  try {
    await checkCheckpoint(store, signed, findings);
    const { entries, messages, others } = await readHistory(store, scratch, isSigned, findings);
    await endLeases(store, scratch, [...messages.keys()], now);
    const oldest = await store.oldestSeq();
    const expected = await scratch.read();
    try {
      await compareFacts({ expected, found: store, now, whole: oldest === 1 }, [...messages.keys()], findings);
    } finally {
      await expected.close();
    }
    await compareEndings(store, others, now, findings);
    await compareDecisions(store, others, oldest, findings);
    await compareAliases(store, others, now, findings);
    return { entries, messages: messages.size, faults: findings.count, findings: findings.all };
  } finally {
    scratch.remove();
  }
}

const STEP = 500;

async function endLeases(store: Store, scratch: Scratch, ids: readonly string[], now: number): Promise<void> {
  const free = new Set<string>();
  for (let at = 0; at < ids.length; at += STEP) {
    for (const [id, one] of await store.findAll(ids.slice(at, at + STEP), 0))
      if ("card" in one && one.card.standing.leaseUntil === null) free.add(id);
  }
  scratch.endLeases(now, ({ id }) => free.has(id));
}

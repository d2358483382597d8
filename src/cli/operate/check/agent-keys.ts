// Checks the keys of agents: every operation is in the tree and has all required signatures, and the stored lines match the replayed log.
import type { Holdings } from "../../../adapters/sqlite/non-message-rows.ts";
import { keyOpEntry } from "../../../core/keys/key-log-entry.ts";
import type { KeyState, LineState, StoredKeyOp } from "../../../core/keys/key-state.ts";
import { DAY_MS } from "../../../core/durations.ts";
import type { Entry } from "../../../core/log/chain.ts";
import type { Chained } from "../../../core/log/entry-text.ts";
import type { EntryType } from "../../../core/log/entry-type.ts";
import { leafHashOf } from "../../../core/log/tree-edge.ts";
import { BOARD_KEYS } from "../../../core/protocol/board-key-change.ts";
import { type KeyEnvelope, keyDraftOf } from "../../../core/protocol/key-op.ts";
import { LIMITS } from "../../../core/protocol/limits.ts";
import { sameBytes } from "../../../core/tlog/bytes.ts";
import { HASH_BYTES } from "../../../core/tlog/merkle.ts";
import { TILE_WIDTH } from "../../../core/tlog/tile.ts";
import type { KeyReads } from "../../../ports/keys.ts";
import type { Store, TreeReads } from "../../../ports/store.ts";
import type { Findings } from "./findings.ts";
import type { ReplayedBoard } from "./replayed-board.ts";
import type { IsSigned } from "./verify-and-replay-log.ts";

const KEY = ["principal", "role", "lastTs", "predecessor", "successor", "endedAt", "revokedSince", "contest", "parent", "delegation"];
const LINE = ["current", "members", "next", "recovery", "pending", "children", "former"];
const OP = ["id", "type", "principal", "agent", "signer", "state", "detail"];

/** From the board that is checked. */
export interface StoredKeys {
  readonly holdings: Holdings;
  readonly store: TreeReads & Pick<KeyReads, "publicKey">;
  readonly isSigned: IsSigned;
}

export async function checkKeyOps({ holdings, store, isSigned }: StoredKeys, findings: Findings): Promise<void> {
  for (const op of holdings.keyOps()) {
    const where = `key operation of entry ${op.seq}`;
    if (!(await isInTree(keyOpEntry(op), store))) findings.add(where, "differs from the tree's entry at its place");
    if (op.principal !== BOARD_KEYS) await checkSigned(op, store, isSigned, findings);
  }
}

async function isInTree(entry: Chained, tree: TreeReads): Promise<boolean> {
  const [index, before] = [Math.floor((entry.seq - 1) / TILE_WIDTH), (entry.seq - 1) % TILE_WIDTH];
  const hashes = await tree.tile({ level: 0, index, width: before + 1 });
  return hashes !== undefined && sameBytes(hashes.subarray(before * HASH_BYTES), leafHashOf(entry));
}

async function checkSigned(op: StoredKeyOp, store: Pick<KeyReads, "publicKey">, isSigned: IsSigned, findings: Findings): Promise<void> {
  const where = `key operation of entry ${op.seq}`;
  try {
    const envelope = JSON.parse(op.detail) as KeyEnvelope;
    const { id, signer, payload } = keyDraftOf(envelope);
    if (id !== op.id || signer !== op.signer || payload.agent !== op.agent)
      findings.add(where, "is stored as another operation than its payload says");
    const require = async (pk: string | undefined, sig: string | undefined): Promise<void> => {
      if (sig !== undefined && pk !== undefined && !(await isSigned({ ...envelope, sig }, pk)))
        findings.add(where, "has an invalid signature");
    };
    await require(payload.pk, envelope.sig);
    await require(await store.publicKey(payload.agent), envelope.old_sig);
    if (payload.op === "delegate") await require(payload.child, envelope.child_sig ?? "");
  } catch (error) {
    findings.add(where, `cannot be read: ${(error as Error).message}`);
  }
}

/** In the order of their entries. */
export const keyOpsOfAgents = (holdings: Holdings): readonly StoredKeyOp[] =>
  [...holdings.keyOps()].filter(({ principal }) => principal !== BOARD_KEYS);

/**
 * Before the log is replayed: what its entries no longer say about keys. Key operations are never deleted, so those whose entries are gone
 * are replayed here. When a key was first seen decides what its operations may do, and nothing may be left of its first message.
 */
export async function replayOldKeyOps(
  keyOps: readonly StoredKeyOp[],
  store: Pick<Store, "firstSeen" | "oldestSeq">,
  scratch: ReplayedBoard,
  now: number,
): Promise<void> {
  for (const principal of new Set(keyOps.map((op) => op.principal))) {
    const firstSeen = await store.firstSeen(principal);
    if (firstSeen !== undefined && firstSeen <= now - LIMITS.gone_days * DAY_MS) scratch.addAgent(principal, firstSeen);
  }
  const oldest = await store.oldestSeq();
  const old = keyOps.filter(({ seq }) => seq < oldest).map((op) => ({ entry: entryOf(op), arrival: undefined, tombstone: undefined }));
  // A fault of one of them shows in what comes later.
  scratch.play(old, () => {});
}

const entryOf = (op: StoredKeyOp): Entry => ({ ...keyOpEntry(op), type: op.type as EntryType, detail: op.detail, hash: "" });

/** `expected`: the keys of the board that is replayed from the whole log. */
export function compareKeys(expected: Holdings, found: Holdings, findings: Findings): void {
  compareAll("key", ({ agent }: KeyState) => agent, KEY, [expected.keys(), found.keys()], findings);
  compareAll("line of keys of", ({ principal }: LineState) => principal, LINE, [expected.lines(), found.lines()], findings);
  const ops = [keyOpsOfAgents(expected), keyOpsOfAgents(found)] as const;
  compareAll("key operation of entry", ({ seq }: StoredKeyOp) => String(seq), OP, ops, findings);
}

function compareAll<One extends object>(
  what: string,
  nameOf: (one: One) => string,
  facts: readonly string[],
  [expected, found]: readonly [Iterable<One>, Iterable<One>],
  findings: Findings,
): void {
  const wanted = new Map([...expected].map((one) => [nameOf(one), one]));
  for (const one of found) {
    const name = nameOf(one);
    const other = wanted.get(name);
    wanted.delete(name);
    if (other === undefined) findings.add(`${what} ${name}`, "exists, but not according to the log");
    else findings.compare(`${what} ${name}`, facts, other, one);
  }
  for (const name of wanted.keys()) findings.add(`${what} ${name}`, "is missing, but exists according to the log");
}

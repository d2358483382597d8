// Proofs of entries. The receiver of a proof can check it without asking anybody.
import { Refusal } from "../../core/errors.ts";
import { keyOpEntry } from "../../core/keys/key-log-entry.ts";
import type { Chained } from "../../core/log/entry-text.ts";
import { leafOf } from "../../core/log/tree-edge.ts";
import { planInclusion } from "../../core/tlog/proofs-from-tiles.ts";
import { formatProof } from "../../core/tlog/proof-text.ts";
import type { KeyReads } from "../../ports/keys.ts";
import type { LogReads } from "../../ports/store.ts";
import type { Tiles } from "./tile-cache.ts";
import type { TreeHeads } from "./tree-head-signer.ts";

export interface Receipt {
  /** In the format of C2SP's tlog-proof; `extra` is the whole leaf. */
  readonly proof: string;
  /** The number of the board's witnesses that cosigned the head in it. */
  readonly witnesses: number;
}

/** The proof of one entry. */
export type Prove = (seq: number) => Promise<Receipt>;

export type ProvedReads = Pick<LogReads, "entries" | "head" | "oldestSeq"> & Pick<KeyReads, "keyOpAt">;

export function prover(heads: TreeHeads, tiles: Tiles, log: ProvedReads): Prove {
  return async (seq) => {
    const entry = await entryAt(seq, log);
    const head = await heads.covering(seq);
    const index = seq - 1;
    const hashes = await tiles.work(planInclusion(index, head.size));
    return { proof: formatProof({ extra: leafOf(entry), index, hashes, checkpoint: head.note }), witnesses: head.witnesses.length };
  };
}

/** Available as long as the entry is kept; entries about keys are never deleted. */
async function entryAt(seq: number, log: ProvedReads): Promise<Chained> {
  const [entry] = seq === 0 ? [] : await log.entries(seq - 1, 1);
  if (entry?.seq === seq && seq >= (await log.oldestSeq())) return entry;
  const op = await log.keyOpAt(seq);
  if (op === undefined) throw await unknownEntry(seq, log);
  return keyOpEntry(op);
}

async function unknownEntry(seq: number, log: Pick<LogReads, "head" | "oldestSeq">): Promise<Refusal> {
  const [oldest, head] = [await log.oldestSeq(), await log.head()];
  return new Refusal("not_found", `The log keeps no entry ${seq}.`, {
    hint: `It keeps entries ${oldest} to ${head.seq}. A proof that you fetch while an entry is kept never becomes invalid.`,
    details: { oldest_seq: oldest, latest_seq: head.seq },
  });
}

/** The proof that an answer to a write carries: the proof itself, or its address. */
export type ReceiptAnswer = { readonly receipt: Receipt } | { readonly receipt?: null; readonly proof_url: string };

/** Every write uses this; `wanted` is `receipt=1`. */
export type ReceiptOf = (seq: number, proofUrl: string, wanted: boolean) => Promise<ReceiptAnswer>;

/**
 * `proofUrl` is relative to the board's address. After a commit nothing is refused any more: if no head can be signed, there is no
 * proof.
 */
export const receiptMaker =
  (prove: Prove, baseUrl: string, failed: (error: unknown) => void): ReceiptOf =>
  async (seq, proofUrl, wanted) => {
    const proof_url = `${baseUrl}${proofUrl}`;
    if (!wanted) return { proof_url };
    try {
      return { receipt: await prove(seq) };
    } catch (error) {
      if (!(error instanceof Refusal)) failed(error);
      return { receipt: null, proof_url };
    }
  };

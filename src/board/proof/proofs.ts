// Proofs of entries. The receiver of a proof can check it without asking anybody.
import { Refusal } from "../../core/errors.ts";
import { leafOf } from "../../core/log/tree-edge.ts";
import { planInclusion } from "../../core/tlog/plan.ts";
import { formatProof } from "../../core/tlog/proof-text.ts";
import type { LogReads } from "../../ports/store.ts";
import type { Tiles } from "./tiles.ts";
import type { TreeHeads } from "./tree-heads.ts";

export interface Receipt {
  /** As C2SP's tlog-proof has it; its `extra` is the whole leaf. */
  readonly proof: string;
  /** How many of the board's witnesses cosigned the head in it. */
  readonly witnesses: number;
}

/** Of one entry. */
export type Prove = (seq: number) => Promise<Receipt>;

export function prover(heads: TreeHeads, tiles: Tiles, log: Pick<LogReads, "entries" | "head" | "oldestSeq">): Prove {
  return async (seq) => {
    const [entry] = seq === 0 ? [] : await log.entries(seq - 1, 1);
    if (entry?.seq !== seq || seq < (await log.oldestSeq())) throw await unknownEntry(seq, log);
    const head = await heads.covering(seq);
    const index = seq - 1;
    const hashes = await tiles.work(planInclusion(index, head.size));
    return { proof: formatProof({ extra: leafOf(entry), index, hashes, checkpoint: head.note }), witnesses: head.witnesses.length };
  };
}

async function unknownEntry(seq: number, log: Pick<LogReads, "head" | "oldestSeq">): Promise<Refusal> {
  const [oldest, head] = [await log.oldestSeq(), await log.head()];
  return new Refusal("not_found", `The log keeps no entry ${seq}.`, {
    hint: `It keeps entries ${oldest} to ${head.seq}. A proof that was taken while an entry was kept holds for ever.`,
    details: { oldest_seq: oldest, latest_seq: head.seq },
  });
}

/** What an answer to something that was written says of its proof: the proof itself, or where to get it. */
export type ReceiptAnswer = { readonly receipt: Receipt } | { readonly receipt?: null; readonly proof_url: string };

/** For everything that is written, and the only place: `wanted` is `receipt=1`. */
export type ReceiptOf = (seq: number, proofUrl: string, wanted: boolean) => Promise<ReceiptAnswer>;

/** `proofUrl` is below the board's address. After a commit nothing is refused any more: where nothing can be signed, there is none. */
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

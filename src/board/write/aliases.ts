// Posts operations on aliases: the same checks as for a message, a little more work, and the rules of names.
import { Refusal } from "../../core/errors.ts";
import { blockedKey } from "../../core/message/block-lists.ts";
import type { AliasOutcome } from "../../core/message/alias-rules.ts";
import { requireUnreserved } from "../../core/protocol/alias-name.ts";
import { type AliasDraft, aliasDraftOf } from "../../core/protocol/alias.ts";
import type { AliasReads } from "../../ports/aliases.ts";
import { ALIAS_EXTRA_BITS } from "./difficulty.ts";
import type { WritingParts } from "./post.ts";
import { type Charge, tokensFor } from "../limits/proof-of-work-discount.ts";
import { requireBits, requireThisBoard } from "./signed-operation.ts";
import { appendAtCost } from "./pay-for-stored.ts";
import { requireTime } from "./verify.ts";

/** A dry run checks everything except the work, and changes nothing. */
export type OperateAlias = (envelope: AliasDraft["envelope"], how?: { readonly dryRun: boolean }) => Promise<OperatedAlias>;

/** What an operation takes in the store at most: its entry in the log, and the row of the alias. Its payload is not stored. */
const ALIAS_BYTES = 1024;

export interface OperatedAlias extends AliasOutcome, Charge {}

export function aliasOperator(parts: WritingParts & { readonly store: AliasReads }): OperateAlias {
  const { store, clock, board, verifier, rates, difficulty, append, quota, requireWritable } = parts;
  return async (envelope, { dryRun } = { dryRun: false }) => {
    requireWritable();
    const draft = aliasDraftOf(envelope, dryRun);
    requireThisBoard(draft.payload.board ?? board, board, ", or without it");
    // A repeated operation with a valid signature is answered as before, whatever its time and nonce.
    const isKnown = await store.isLastAliasOp(draft.payload.alias, draft.id);
    if (!isKnown) {
      requireTime(draft.payload.ts, clock.now());
      // The rules refuse reserved names too, but only after the work was checked; nobody should mine for one.
      requireUnreserved(draft.payload);
    }
    const { required, honoured } = difficulty.terms;
    const terms = { required: required + ALIAS_EXTRA_BITS, honoured: honoured + ALIAS_EXTRA_BITS };
    const extraBits = dryRun || isKnown ? 0 : requireBits(draft, terms, "an alias operation");
    await verifier.requireSignature(draft).catch((error: unknown) => {
      throw forbidden(error);
    });
    const { keyBlocked, payer } = await store.precheck(draft.id, draft.agent, [], clock.now());
    if (keyBlocked) throw blockedKey(draft.agent);
    // Anybody can send a known operation again: it must not use up what its signer may do.
    if (!dryRun && !isKnown) rates.take("agent_writes", payer);
    if (!isKnown && draft.payload.op !== "release") quota.require(0);
    const operate = () => append({ type: "alias", id: draft.id, agent: draft.agent, payload: draft.payload, dryRun });
    const outcome = dryRun || isKnown ? await operate() : await appendAtCost(parts, { payer, bytes: ALIAS_BYTES }, operate, () => true);
    return { ...outcome, tokens: tokensFor(extraBits), payer };
  };
}

/** For alias operations a bad key or signature is a refusal of permission. */
function forbidden(error: unknown): unknown {
  if (!(error instanceof Refusal)) return error;
  return new Refusal(error.code, error.message, { status: 403, hint: error.hint });
}

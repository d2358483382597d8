// Checks checkpoints and proofs against a policy, without a connection.
import { type Checkpoint, openCheckpoint, parseCheckpoint } from "./checkpoint.ts";
import { leafHash, requireInclusion, type Sha256 } from "./merkle.ts";
import { type Note, parseNote } from "./note.ts";
import { isMet, type Policy } from "./policy.ts";
import { parseProof } from "./proof-text.ts";
import { type Ed25519Verify, type Verified, verifiedSignatures } from "./signature.ts";
import { TlogError } from "./tlog-error.ts";

export interface Crypto {
  readonly sha256: Sha256;
  readonly verify: Ed25519Verify;
}

export interface Accepted {
  readonly checkpoint: Checkpoint;
  /** All witnesses of the policy that cosigned it, each with its time, also those that the quorum does not need. */
  readonly witnesses: readonly Verified[];
}

/** The checkpoint, if a log of the policy signed it and enough witnesses cosigned it; throws otherwise. */
export async function acceptCheckpoint(note: Note, policy: Policy, verify: Ed25519Verify): Promise<Accepted> {
  const { origin } = parseCheckpoint(note.text);
  const keys = policy.logs.map(({ key }) => key).filter(({ name }) => name === origin);
  if (keys.length === 0) throw new TlogError("origin", `The checkpoint is of ${origin}, which is not a log of the policy.`);
  const { checkpoint } = await openCheckpoint(note, origin, keys, verify);
  const known = policy.witnesses.map(({ key }) => key);
  const witnesses = await verifiedSignatures(note, known, verify);
  const signed = witnesses.map(({ key }) => key);
  if (!isMet(policy.quorum, signed))
    throw new TlogError("quorum", `The checkpoint is cosigned by ${signed.length} of ${known.length} witnesses: the quorum is not met.`);
  return { checkpoint, witnesses };
}

export interface AcceptedLeaf extends Accepted {
  readonly index: number;
}

/** Proves that a log of the policy contains this leaf; throws otherwise. The caller knows what the leaf means. */
export async function acceptProof(text: string | Uint8Array, leaf: Uint8Array, policy: Policy, crypto: Crypto): Promise<AcceptedLeaf> {
  const { index, hashes, checkpoint: note } = parseProof(text);
  const accepted = await acceptCheckpoint(parseNote(note), policy, crypto.verify);
  requireInclusion(accepted.checkpoint, index, leafHash(leaf, crypto.sha256), hashes, crypto.sha256);
  return { ...accepted, index };
}

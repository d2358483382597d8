// Checkpoints and proofs held against a policy: what somebody without a connection can know for sure.
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
  /** All witnesses of the policy that cosigned it, each with its time, whether the quorum needed them or not. */
  readonly witnesses: readonly Verified[];
}

/** A checkpoint of a log of the policy, signed by it, and cosigned as its quorum asks; throws otherwise. */
export async function acceptCheckpoint(note: Note, policy: Policy, verify: Ed25519Verify): Promise<Accepted> {
  const { origin } = parseCheckpoint(note.text);
  const keys = policy.logs.map(({ key }) => key).filter(({ name }) => name === origin);
  if (keys.length === 0) throw new TlogError("origin", `The checkpoint is of ${origin}, which is no log of the policy.`);
  const { checkpoint } = await openCheckpoint(note, origin, keys, verify);
  const known = policy.witnesses.map(({ key }) => key);
  const witnesses = await verifiedSignatures(note, known, verify);
  const signed = witnesses.map(({ key }) => key);
  if (!isMet(policy.quorum, signed))
    throw new TlogError(
      "quorum",
      `The checkpoint is cosigned by ${signed.length} of ${known.length} witnesses, which the quorum is not met by.`,
    );
  return { checkpoint, witnesses };
}

export interface AcceptedLeaf extends Accepted {
  readonly index: number;
}

/** That a log which the policy trusts holds this leaf; throws otherwise. What the leaf means is for the caller to say. */
export async function acceptProof(text: string | Uint8Array, leaf: Uint8Array, policy: Policy, crypto: Crypto): Promise<AcceptedLeaf> {
  const { index, hashes, checkpoint: note } = parseProof(text);
  const accepted = await acceptCheckpoint(parseNote(note), policy, crypto.verify);
  requireInclusion(accepted.checkpoint, index, leafHash(leaf, crypto.sha256), hashes, crypto.sha256);
  return { ...accepted, index };
}

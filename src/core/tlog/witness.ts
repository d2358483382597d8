// The answer of a witness to add-checkpoint (C2SP, tlog-witness), computed from its stored state and the request.
import { toBase64 } from "./base64.ts";
import { decimalOf, requireWhole, textOf } from "./bytes.ts";
import { type Checkpoint, openCheckpoint, parseCheckpoint } from "./checkpoint.ts";
import type { Crypto } from "./verify-against-policy.ts";
import type { VerifierKey } from "./key.ts";
import { type Hash, MAX_PROOF_HASHES, requireConsistency, type Sha256, type TreeHead } from "./merkle.ts";
import { formatSignatures, MAX_NOTE_BYTES, type Note, parseNote } from "./note.ts";
import { parseHashes } from "./proof-text.ts";
import { cosignText, type Signer } from "./signature.ts";
import { TlogError } from "./tlog-error.ts";

export interface AddCheckpoint {
  /** The size that the sender believes the witness cosigned last. */
  readonly oldSize: number;
  readonly proof: readonly Hash[];
  readonly note: Note;
  readonly checkpoint: Checkpoint;
}

export interface Answer {
  readonly status: 200 | 400 | 403 | 404 | 409 | 422;
  readonly type: "text/plain; charset=utf-8" | "text/x.tlog.size";
  readonly body: string;
}

/** Either the new head to cosign, or the answer that says why not. */
export type Decision = { readonly head: TreeHead } | { readonly refused: Answer };

/** The state that a witness stores for each log: its keys, and the head that it cosigned last. */
export interface Witnessed {
  /** Undefined if the log is unknown. */
  keysOf(origin: string): readonly VerifierKey[] | undefined | Promise<readonly VerifierKey[] | undefined>;
  /**
   * Calls `decide` with the last cosigned head and stores the new head if `decide` returns one; it is durable when the promise
   * resolves. No other decision about the same log may run in between: otherwise a slow request could replace a newer head with an
   * older one.
   */
  update(origin: string, request: AddCheckpoint, decide: (last: TreeHead | undefined) => Decision): Decision | Promise<Decision>;
}

const MAX_BODY_BYTES = MAX_NOTE_BYTES + 4096;
const OLD = "old ";
const plain = (status: Answer["status"], body: string): Answer => ({ status, type: "text/plain; charset=utf-8", body });
const refusal = (status: Answer["status"], why: string): Answer => plain(status, `${why}\n`);

export function parseAddCheckpoint(body: string | Uint8Array): AddCheckpoint {
  const text = textOf(body, "The request", MAX_BODY_BYTES);
  const end = text.indexOf("\n\n");
  if (end === -1) throw new TlogError("malformed", "The request has no empty line before its checkpoint.");
  const [old = "", ...hashes] = text.slice(0, end).split("\n", MAX_PROOF_HASHES + 2);
  if (!old.startsWith(OLD)) throw new TlogError("malformed", "The first line of the request is `old <size>`.");
  const note = parseNote(text.slice(end + 2));
  return {
    oldSize: decimalOf(old.slice(OLD.length), "The old size"),
    proof: parseHashes(hashes),
    note,
    checkpoint: parseCheckpoint(note.text),
  };
}

/** The body of the request; `note` is the signed checkpoint, byte for byte. */
export function formatAddCheckpoint(oldSize: number, proof: readonly Hash[], note: string): string {
  requireWhole(oldSize, "The size of a tree");
  return `${[`${OLD}${oldSize}`, ...proof.map(toBase64), ""].join("\n")}\n${note}`;
}

/** Whether the log grew from the last cosigned head to this one. The caller has already checked the signature of the log. */
export function decide({ oldSize, proof, checkpoint }: AddCheckpoint, last: TreeHead | undefined, sha256: Sha256): Decision {
  const { size, root } = checkpoint;
  if (oldSize > size) return { refused: refusal(400, `The old size ${oldSize} is larger than that of the checkpoint, ${size}.`) };
  const lastSize = last?.size ?? 0;
  if (oldSize !== lastSize) return { refused: { status: 409, type: "text/x.tlog.size", body: `${lastSize}\n` } };
  try {
    requireConsistency(last ?? { size: 0, root: sha256(new Uint8Array()) }, { size, root }, proof, sha256);
    return { head: { size, root } };
  } catch (error) {
    if (error instanceof TlogError) return { refused: refusal(422, error.message) };
    throw error;
  }
}

/** Handles a whole add-checkpoint request: `now` in Unix seconds, and one cosignature per signer once the new head is stored. */
export async function addCheckpoint(
  body: string | Uint8Array,
  witnessed: Witnessed,
  signers: readonly Signer[],
  now: () => number,
  { sha256, verify }: Crypto,
): Promise<Answer> {
  try {
    const request = parseAddCheckpoint(body);
    const { origin } = request.checkpoint;
    const keys = await witnessed.keysOf(origin);
    if (keys === undefined) return refusal(404, "This witness does not know a log of this origin.");
    await openCheckpoint(request.note, origin, keys, verify);
    // The time is read together with the decision: a cosignature says that no larger head was seen until that time.
    let time = 0;
    const decision = await witnessed.update(origin, request, (last) => {
      time = now();
      return decide(request, last, sha256);
    });
    if ("refused" in decision) return decision.refused;
    return plain(200, formatSignatures(await Promise.all(signers.map((signer) => cosignText(request.note.text, time, signer)))));
  } catch (error) {
    if (error instanceof TlogError) return refusal(error.fault === "malformed" ? 400 : 403, error.message);
    throw error;
  }
}

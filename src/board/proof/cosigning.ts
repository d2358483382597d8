// Cosignatures of witnesses over heads of the tree: from keys that the policy names, once each, over any head that is kept.
import { Refusal } from "../../core/errors.ts";
import { openCheckpoint } from "../../core/tlog/checkpoint.ts";
import { isOf } from "../../core/tlog/key.ts";
import { type Note, type NoteSignature, parseNote, parseSignatures } from "../../core/tlog/note.ts";
import type { Policy } from "../../core/tlog/policy.ts";
import { type Ed25519Verify, verifiedSignatures } from "../../core/tlog/signature.ts";
import { TlogError } from "../../core/tlog/tlog-error.ts";
import type { Clock } from "../../ports/clock.ts";
import { nextSlice, sliceOfPromises } from "../../ports/cpu-slices.ts";
import type { Peers } from "../../ports/peers.ts";
import type { LogReads } from "../../ports/store.ts";
import { SignedHead } from "./cosigned-head.ts";
import type { TreeHeads } from "./tree-head-signer.ts";

export interface Cosigned {
  /** The size of the head that was cosigned. */
  readonly size: number;
  /** The number of new signatures. */
  readonly added: number;
  /** The number of witnesses that have cosigned the head so far. */
  readonly witnesses: number;
}

/** `body`: a complete note, or signature lines for one of the stored heads. */
export type Cosign = (body: string) => Promise<Cosigned>;

export interface CosigningParts {
  readonly heads: Pick<TreeHeads, "cosignable" | "keys" | "has" | "isRecent" | "adopt" | "onShown" | "showToo">;
  readonly log: Pick<LogReads, "entries">;
  readonly policy: Policy | undefined;
  readonly verify: Ed25519Verify;
  readonly clock: Clock;
  /** Other nodes, which serve the same heads. */
  readonly peers: Peers | undefined;
}

/** The types of the messages that nodes send each other about heads. */
const COSIGNED = "cosigned head";
const SHOWN = "head shown to witnesses";
interface HeadMessage {
  readonly scope: string;
  readonly note: string;
}

export function cosigner({ heads, log, policy, verify, clock, peers }: CosigningParts): Cosign {
  const witnesses = (policy?.witnesses ?? []).map(({ key }) => key);
  // Messages come from nodes of this board, but an invalid signature is dropped all the same.
  peers?.onMessage((text) => {
    for (const message of JSON.parse(text) as readonly HeadMessage[]) void receive(message).catch(() => {});
  });
  const broadcast = (scope: string, { note }: SignedHead): void =>
    void peers?.broadcast(JSON.stringify([{ scope, note } satisfies HeadMessage])).catch(() => {});
  if (witnesses.length > 0) heads.onShown((head) => broadcast(SHOWN, head));
  return async (body) => {
    try {
      const { head, added } = await take(body);
      if (added > 0) broadcast(COSIGNED, head);
      return { size: head.size, added, witnesses: head.witnesses.length };
    } catch (error) {
      throw error instanceof TlogError ? refusalFor(error) : error;
    }
  };

  async function receive({ scope, note }: HeadMessage): Promise<void> {
    if (scope === COSIGNED) await take(note);
    else if (scope === SHOWN) heads.showToo(await signedBefore(parseNote(note)));
  }

  async function take(body: string): Promise<{ readonly head: SignedHead; readonly added: number }> {
    const note = body.includes("\n\n") ? parseNote(body) : undefined;
    const known = (note?.signatures ?? parseSignatures(body)).filter((line) => witnesses.some((key) => isOf(key, line)));
    if (known.length === 0) throw unknownWitness(witnesses.map(({ name }) => name));
    const signed = note ?? (await fitting(known));
    const held = await sliceOfPromises(() => verifiedSignatures({ text: signed.text, signatures: known }, witnesses, verify));
    // A head that is not known here is stored only with the cosignature of a witness.
    const head = signed instanceof SignedHead ? signed : await signedBefore(signed);
    const added = held.filter(({ key, signature }) => head.add(key, signature)).length;
    return { head, added };
  }

  /** The newest head for which all signature lines are valid. */
  async function fitting(signatures: readonly NoteSignature[]): Promise<SignedHead> {
    for (const head of heads.cosignable) {
      const holds = await sliceOfPromises(() => verifiedSignatures({ text: head.text, signatures }, witnesses, verify).catch(() => []));
      if (holds.length > 0) return head;
      await nextSlice();
    }
    throw new TlogError("signature", "The signature is not valid for any stored head.");
  }

  /** A stored head, or one that this log signed on another node or before its last start. */
  async function signedBefore(note: Note): Promise<SignedHead> {
    const stored = heads.cosignable.find(({ text }) => text === note.text);
    if (stored !== undefined) return stored;
    const { current, next: announced } = await heads.keys();
    const keys = [current.verifier, ...(announced === undefined ? [] : [announced.verifier])];
    const { checkpoint, signatures } = await openCheckpoint(note, current.name.origin, keys, verify);
    // The signature is not enough: a restored database has lost heads, and a thief of the key can sign any head.
    if (!(await heads.has(checkpoint))) throw new TlogError("signature", "The log does not have this head.");
    const lines = signatures.map(({ signature }) => signature);
    // It was the newest head until the next entry came.
    const [next] = await log.entries(checkpoint.size, 1);
    const head = new SignedHead(checkpoint, note.text, lines, "", Math.min(next?.at ?? Infinity, clock.now()));
    if (!heads.isRecent(head)) throw new TlogError("signature", "The head is too old: heads are kept for an hour.");
    return heads.adopt(head);
  }
}

function unknownWitness(witnesses: readonly string[]): Refusal {
  const words = witnesses.length === 0 ? "This board knows no witnesses: its operator has given it no policy." : undefined;
  return new Refusal("unknown_witness", words, { details: { witnesses } });
}

function refusalFor({ fault, message }: TlogError): Refusal {
  const hint = "Send a note of /tlog/checkpoint?for=witness with your line, or only your line, as text/plain; /llms/log.txt says more.";
  return fault === "malformed"
    ? new Refusal("invalid_field", message, { hint })
    : new Refusal("bad_signature", message, { status: 403, hint });
}

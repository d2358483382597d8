// Cosignatures of witnesses over heads of the tree: from keys that the policy names, once each, over any head that is kept.
import { Refusal } from "../../core/errors.ts";
import { openCheckpoint } from "../../core/tlog/checkpoint.ts";
import { isOf } from "../../core/tlog/key.ts";
import { type Note, type NoteSignature, parseNote, parseSignatures } from "../../core/tlog/note.ts";
import type { Policy } from "../../core/tlog/policy.ts";
import { type Ed25519Verify, verifiedSignatures } from "../../core/tlog/signature.ts";
import { TlogError } from "../../core/tlog/tlog-error.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Peers } from "../../ports/peers.ts";
import type { LogReads } from "../../ports/store.ts";
import { SignedHead } from "./signed-head.ts";
import type { TreeHeads } from "./tree-heads.ts";

export interface Cosigned {
  /** Of the head that it was about. */
  readonly size: number;
  /** How many of the signatures were new. */
  readonly added: number;
  /** How many witnesses have cosigned it now. */
  readonly witnesses: number;
}

/** `body`: a whole note, or signature lines over one of the heads that are kept. */
export type Cosign = (body: string) => Promise<Cosigned>;

export interface CosigningParts {
  readonly heads: TreeHeads;
  readonly log: Pick<LogReads, "entries">;
  readonly policy: Policy | undefined;
  readonly verify: Ed25519Verify;
  readonly clock: Clock;
  /** Other nodes, which show the same heads. */
  readonly peers: Peers | undefined;
}

/** What nodes tell each other of a head, among all else that they tell. */
const COSIGNED = "cosigned head";
const SHOWN = "head shown to witnesses";
interface ToldHead {
  readonly scope: string;
  readonly note: string;
}

export function cosigner({ heads, log, policy, verify, clock, peers }: CosigningParts): Cosign {
  const witnesses = (policy?.witnesses ?? []).map(({ key }) => key);
  // From a node of this board; what does not hold is dropped all the same.
  peers?.onTold((text) => {
    for (const told of JSON.parse(text) as readonly ToldHead[]) void hear(told).catch(() => {});
  });
  const tell = (scope: string, { note }: SignedHead): void =>
    void peers?.tell(JSON.stringify([{ scope, note } satisfies ToldHead])).catch(() => {});
  if (witnesses.length > 0) heads.onShown((head) => tell(SHOWN, head));
  return async (body) => {
    try {
      const { head, added } = await take(body);
      if (added > 0) tell(COSIGNED, head);
      return { size: head.size, added, witnesses: head.witnesses.length };
    } catch (error) {
      throw error instanceof TlogError ? refusalFor(error) : error;
    }
  };

  async function hear({ scope, note }: ToldHead): Promise<void> {
    if (scope === COSIGNED) await take(note);
    else if (scope === SHOWN) heads.showToo(await signedBefore(parseNote(note)));
  }

  async function take(body: string): Promise<{ readonly head: SignedHead; readonly added: number }> {
    const note = body.includes("\n\n") ? parseNote(body) : undefined;
    const known = (note?.signatures ?? parseSignatures(body)).filter((line) => witnesses.some((key) => isOf(key, line)));
    if (known.length === 0) throw new Refusal("unknown_witness", undefined, { details: { witnesses: witnesses.map(({ name }) => name) } });
    const head = note === undefined ? await fitting(known) : await signedBefore(note);
    const held = await verifiedSignatures({ text: head.text, signatures: known }, witnesses, verify);
    const added = held.filter(({ key, signature }) => head.add(key, signature)).length;
    return { head, added };
  }

  /** The newest that all of the lines hold for. */
  async function fitting(signatures: readonly NoteSignature[]): Promise<SignedHead> {
    for (const head of heads.cosignable) {
      const holds = await verifiedSignatures({ text: head.text, signatures }, witnesses, verify).catch(() => []);
      if (holds.length > 0) return head;
    }
    throw new TlogError("signature", "The signature holds for no head that is kept.");
  }

  /** One that is kept; or that this log signed on another node, or before its last start. */
  async function signedBefore(note: Note): Promise<SignedHead> {
    const kept = heads.cosignable.find(({ text }) => text === note.text);
    if (kept !== undefined) return kept;
    const { current, next: announced } = await heads.keys();
    const keys = [current.verifier, ...(announced === undefined ? [] : [announced.verifier])];
    const { checkpoint, signatures } = await openCheckpoint(note, current.name.origin, keys, verify);
    const lines = signatures.map(({ signature }) => signature);
    // It was the newest until the next entry came.
    const [next] = await log.entries(checkpoint.size, 1);
    const head = new SignedHead(checkpoint, note.text, lines, "", Math.min(next?.at ?? Infinity, clock.now()));
    if (!heads.isKept(head)) throw new TlogError("signature", "The head is older than those that are kept, which is for an hour.");
    return heads.adopt(head);
  }
}

function refusalFor({ fault, message }: TlogError): Refusal {
  return fault === "malformed" ? new Refusal("invalid_field", message) : new Refusal("bad_signature", message, { status: 403 });
}

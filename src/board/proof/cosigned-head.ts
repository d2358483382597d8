// A signed head of the tree, and the witnesses that have cosigned it so far.
import type { Checkpoint } from "../../core/tlog/checkpoint.ts";
import { isOf, type VerifierKey } from "../../core/tlog/key.ts";
import { formatNote, type NoteSignature } from "../../core/tlog/note.ts";

export class SignedHead {
  readonly checkpoint: Checkpoint;
  /** The signed text. */
  readonly text: string;
  /** The hash of its last entry in the chain. */
  readonly chainHash: string;
  /** When it was last the newest head, in Unix milliseconds. */
  at: number;
  /** Signatures of the log: by its key, and by the announced key. */
  readonly #signatures: readonly NoteSignature[];
  readonly #cosigned: { readonly key: VerifierKey; readonly signature: NoteSignature }[] = [];
  #note: string | undefined;

  constructor(checkpoint: Checkpoint, text: string, signatures: readonly NoteSignature[], chainHash: string, at: number) {
    this.checkpoint = checkpoint;
    this.text = text;
    this.chainHash = chainHash;
    this.at = at;
    this.#signatures = signatures;
  }

  get size(): number {
    return this.checkpoint.size;
  }
  get witnesses(): readonly VerifierKey[] {
    return this.#cosigned.map(({ key }) => key);
  }

  /** The note, with the log's own signature first. */
  get note(): string {
    return (this.#note ??= formatNote({
      text: this.text,
      signatures: [...this.#signatures, ...this.#cosigned.map(({ signature }) => signature)],
    }));
  }

  /** Whether exactly these keys of the log signed it. */
  isBy(keys: readonly VerifierKey[]): boolean {
    return keys.length === this.#signatures.length && keys.every((key, i) => isOf(key, this.#signatures[i]!));
  }

  /** Adds a valid cosignature; each witness counts once. Returns whether it is new. */
  add(key: VerifierKey, signature: NoteSignature): boolean {
    if (this.#cosigned.some((one) => one.key.id === key.id && one.key.name === key.name)) return false;
    this.#cosigned.push({ key, signature });
    this.#note = undefined;
    return true;
  }
}

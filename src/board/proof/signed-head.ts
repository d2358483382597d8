// A signed head of the tree, and the witnesses that have cosigned it so far.
import type { Checkpoint } from "../../core/tlog/checkpoint.ts";
import { isOf, type VerifierKey } from "../../core/tlog/key.ts";
import { formatNote, type NoteSignature } from "../../core/tlog/note.ts";

export class SignedHead {
  readonly checkpoint: Checkpoint;
  /** What is signed. */
  readonly text: string;
  /** The chain's hash of the last entry in it. */
  readonly chainHash: string;
  /** When it last was the newest, in Unix milliseconds. */
  at: number;
  /** Of the log: its key, and the one that is announced. */
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

  /** With the log's own signature first. */
  get note(): string {
    return (this.#note ??= formatNote({
      text: this.text,
      signatures: [...this.#signatures, ...this.#cosigned.map(({ signature }) => signature)],
    }));
  }

  /** Whether these keys of the log signed it, and no other. */
  isBy(keys: readonly VerifierKey[]): boolean {
    return keys.length === this.#signatures.length && keys.every((key, i) => isOf(key, this.#signatures[i]!));
  }

  /** Once each; whether it is new. The signature holds. */
  add(key: VerifierKey, signature: NoteSignature): boolean {
    if (this.#cosigned.some((one) => one.key.id === key.id && one.key.name === key.name)) return false;
    this.#cosigned.push({ key, signature });
    this.#note = undefined;
    return true;
  }
}

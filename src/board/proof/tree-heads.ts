// Signs the heads of the tree: only of a chain head that is on record, on demand, and at most one a second.
import { Refusal } from "../../core/errors.ts";
import { tlogKey } from "../../core/log/tlog-name.ts";
import { fromBase64url } from "../../core/protocol/encoding.ts";
import { type Checkpoint, formatCheckpoint } from "../../core/tlog/checkpoint.ts";
import type { VerifierKey } from "../../core/tlog/key.ts";
import type { NoteSignature } from "../../core/tlog/note.ts";
import { planRoot } from "../../core/tlog/plan.ts";
import { isMet, type Policy } from "../../core/tlog/policy.ts";
import { signText } from "../../core/tlog/signature.ts";
import type { Clock } from "../../ports/clock.ts";
import type { LogReads } from "../../ports/store.ts";
import type { KeyChange } from "../../core/protocol/board-key.ts";
import type { BoardKeys } from "../../ports/board-keys.ts";
import type { TlogIdentity, TlogName } from "../../ports/tlog-name.ts";
import type { CheckpointSigner } from "../operator/checkpoint.ts";
import { SignedHead } from "./signed-head.ts";
import type { Tiles } from "./tiles.ts";

/** No two heads are signed within this time. */
const PACE_MS = 1000;
/** One in so long is kept for witnesses, for so long. */
const KEEP_EVERY_MS = 10_000;
const KEEP_MS = 3_600_000;
/** One that enough witnesses cosigned is shown in the place of a newer one for so long. */
const PREFERRED_MS = 60_000;

export interface TreeHeadParts {
  readonly checkpointSigner: Pick<CheckpointSigner, "checkpoint">;
  readonly tiles: Tiles;
  readonly log: Pick<LogReads, "entries">;
  readonly keys: BoardKeys;
  /** Whose cosignatures are taken, and how many are enough. */
  readonly policy: Policy | undefined;
  readonly clock: Clock;
}

/** A key of the log, and what the board says of it. */
export interface LogKey extends TlogIdentity {
  readonly verifier: VerifierKey;
}

/** What heads are signed with now. */
export interface LogKeys {
  readonly current: LogKey;
  /** The announced one, which signs beside it. */
  readonly next: LogKey | undefined;
  readonly changes: readonly KeyChange[];
}

export class TreeHeads {
  readonly #parts: TreeHeadParts;
  #newest: SignedHead | undefined;
  #making: Promise<SignedHead> | undefined;
  /** Oldest first. */
  #kept: SignedHead[] = [];
  /** The one that witnesses are shown, and since when. */
  #shown: SignedHead | undefined;
  #shownAt = -Infinity;
  #hearShown: (head: SignedHead) => void = () => {};

  constructor(parts: TreeHeadParts) {
    this.#parts = parts;
  }

  async keys(): Promise<LogKeys> {
    const { keys, clock } = this.#parts;
    const { log, nextLog, logChanges } = await keys.at(clock.now());
    if (log === undefined)
      throw new Refusal("read_only", "This board has no key for its tree yet, and may not make one.", {
        hint: "The operator starts it once where its files can be written.",
      });
    const withVerifier = (one: TlogIdentity): LogKey => ({ ...one, verifier: verifierOf(one.name) });
    return { current: withVerifier(log), next: nextLog && withVerifier(nextLog), changes: logChanges };
  }

  /** Not older than a second. */
  async newest(): Promise<SignedHead> {
    const newest = this.#newest;
    return newest !== undefined && this.#isFresh(newest) ? newest : this.#make();
  }

  /** The newest that enough witnesses cosigned, if that is not old; else the newest. */
  async served(): Promise<SignedHead> {
    const newest = await this.newest();
    return this.#preferred() ?? newest;
  }

  /** A head of at least this many entries, which the log has. All callers that wait for the next head get the same one. */
  async covering(size: number): Promise<SignedHead> {
    const preferred = this.#preferred();
    if (preferred !== undefined && preferred.size >= size) return preferred;
    for (;;) {
      const newest = this.#newest;
      if (newest !== undefined && newest.size >= size) return newest;
      if (newest !== undefined && this.#isFresh(newest)) await this.#until(newest.at + PACE_MS);
      await this.#make();
    }
  }

  /** Of one in ten seconds, so that witnesses cosign the same ones. */
  async forWitness(): Promise<SignedHead> {
    if (this.#shown !== undefined && this.#isShown()) return this.#shown;
    const newest = await this.newest();
    // Others may have come first meanwhile.
    if (this.#shown === undefined || !this.#isShown()) this.#show(newest);
    return this.#shown ?? newest;
  }

  /** Called with each head that witnesses are shown from now on. */
  onShown(hear: (head: SignedHead) => void): void {
    this.#hearShown = hear;
  }

  /** Another node shows witnesses this head: so that they meet at one, whichever node they ask, the larger of two is shown by both. */
  showToo(head: SignedHead): void {
    if (this.#shown !== undefined && this.#isShown() && this.#shown.size >= head.size) return;
    this.#shown = head;
    this.#shownAt = this.#parts.clock.now();
  }

  /** All that a cosignature may be about, newest first. */
  get cosignable(): readonly SignedHead[] {
    const kept = this.#kept.toReversed();
    return this.#newest === undefined || kept.includes(this.#newest) ? kept : [this.#newest, ...kept];
  }

  isKept({ at }: SignedHead): boolean {
    return this.#since(at) < KEEP_MS;
  }

  /** One that this log signed, on another node or before this start, as its own signature shows. */
  adopt(head: SignedHead): SignedHead {
    const known = this.cosignable.find(({ text }) => text === head.text);
    if (known !== undefined) return known;
    const at = this.#kept.findIndex(({ size }) => size > head.size);
    this.#kept.splice(at === -1 ? this.#kept.length : at, 0, head);
    return head;
  }

  #make(): Promise<SignedHead> {
    this.#making ??= this.#sign().finally(() => (this.#making = undefined));
    return this.#making;
  }

  async #sign(): Promise<SignedHead> {
    const { checkpointSigner, tiles, log, clock } = this.#parts;
    const { current, next } = await this.keys();
    // On record when it resolves, in the head file or the head row: a tree head is never of anything else.
    const { seq, hash } = await checkpointSigner.checkpoint();
    const before = this.#newest;
    const signers = [current, ...(next === undefined ? [] : [next])];
    if (before?.size === seq && before.chainHash === hash && before.isBy(signers.map(({ verifier }) => verifier))) before.at = clock.now();
    else {
      const [last] = seq === 0 ? [] : await log.entries(seq - 1, 1);
      if (seq > 0 && last?.hash !== hash) throw new Refusal("log_rollback");
      const checkpoint: Checkpoint = { origin: current.name.origin, size: seq, root: await tiles.work(planRoot(seq)) };
      const text = formatCheckpoint(checkpoint);
      const signatures = await Promise.all(signers.map((one) => signWith(one, text)));
      this.#newest = new SignedHead(checkpoint, text, signatures, hash, clock.now());
    }
    const newest = this.#newest!;
    if (!this.#isShown()) this.#show(newest);
    return newest;
  }

  #isShown(): boolean {
    return this.#since(this.#shownAt) < KEEP_EVERY_MS;
  }
  #show(head: SignedHead): void {
    this.#shown = head;
    this.#shownAt = this.#parts.clock.now();
    this.#kept = this.#kept.filter((one) => one !== head && this.isKept(one));
    this.#kept.push(head);
    this.#hearShown(head);
  }

  #preferred(): SignedHead | undefined {
    const { policy } = this.#parts;
    if (policy === undefined) return undefined;
    return this.cosignable.find((head) => isMet(policy.quorum, head.witnesses) && this.#since(head.at) < PREFERRED_MS);
  }

  /** A clock that was put back makes nothing younger. */
  #since(at: number): number {
    return Math.abs(this.#parts.clock.now() - at);
  }
  #isFresh({ at }: SignedHead): boolean {
    return this.#since(at) < PACE_MS;
  }
  #until(at: number): Promise<void> {
    return new Promise((resolve) => void this.#parts.clock.at(at, resolve));
  }
}

const verifierOf = ({ origin, pk }: Pick<TlogName, "origin" | "pk">): VerifierKey => tlogKey(origin, pk);

const signWith = ({ key, verifier }: LogKey, text: string): Promise<NoteSignature> =>
  signText(text, { key: verifier, sign: (message) => fromBase64url(key.sign(new TextDecoder().decode(message))) });

// Signs the heads of the tree: on demand, at most one per second, and only for a head of the chain that is on record.
import { Refusal } from "../../core/errors.ts";
import { tlogKey } from "../../core/log/tlog-name.ts";
import { fromBase64url } from "../../core/protocol/encoding.ts";
import { sameBytes } from "../../core/tlog/bytes.ts";
import { type Checkpoint, formatCheckpoint } from "../../core/tlog/checkpoint.ts";
import type { VerifierKey } from "../../core/tlog/key.ts";
import type { NoteSignature } from "../../core/tlog/note.ts";
import { planRoot } from "../../core/tlog/proofs-from-tiles.ts";
import { isMet, type Policy } from "../../core/tlog/policy.ts";
import { signText } from "../../core/tlog/signature.ts";
import type { Clock } from "../../ports/clock.ts";
import type { LogReads } from "../../ports/store.ts";
import type { AnnouncedKey } from "../../core/protocol/board-key-change.ts";
import type { BoardKeys } from "../../ports/board-keys.ts";
import type { TlogIdentity, TlogName } from "../../ports/tlog-identity.ts";
import type { CheckpointSigner } from "../operator/log-checkpoint-signer.ts";
import { forOthersToo } from "../../ports/cpu-slices.ts";
import { SignedHead } from "./cosigned-head.ts";
import type { Tiles } from "./tile-cache.ts";

/** No two heads are signed within this time. */
const PACE_MS = 1000;
/** One head in this interval is stored for witnesses, for this long. */
const KEEP_EVERY_MS = 10_000;
const KEEP_MS = 3_600_000;
/** A head with enough cosignatures is shown instead of a newer one for this long. */
const PREFERRED_MS = 60_000;

export interface TreeHeadParts {
  readonly checkpointSigner: Pick<CheckpointSigner, "checkpoint">;
  readonly tiles: Tiles;
  readonly log: Pick<LogReads, "entries">;
  readonly keys: BoardKeys;
  /** The witnesses whose cosignatures are accepted, and how many are enough. */
  readonly policy: Policy | undefined;
  readonly clock: Clock;
}

/** A key of the log, and the board's statement about it. */
export interface LogKey extends TlogIdentity {
  readonly verifier: VerifierKey;
}

/** The keys that sign heads now. */
export interface LogKeys {
  readonly current: LogKey;
  /** The announced key, which signs too. */
  readonly next: LogKey | undefined;
  readonly changes: readonly AnnouncedKey[];
}

export class TreeHeads {
  readonly #parts: TreeHeadParts;
  #newest: SignedHead | undefined;
  #making: Promise<SignedHead> | undefined;
  /** The stored heads, oldest first. */
  #stored: SignedHead[] = [];
  /** The head that witnesses are shown, and since when. */
  #shown: SignedHead | undefined;
  #shownAt = -Infinity;
  #shownListener: (head: SignedHead) => void = () => {};

  constructor(parts: TreeHeadParts) {
    this.#parts = parts;
  }

  async keys(): Promise<LogKeys> {
    const { keys, clock } = this.#parts;
    const { log, nextLog, logChanges } = await keys.at(clock.now());
    if (log === undefined)
      throw new Refusal("read_only", "This board has no key for its tree yet, and cannot make one, because it is read-only.", {
        hint: "The operator has to start it once with a writable data directory.",
      });
    const withVerifier = (one: TlogIdentity): LogKey => ({ ...one, verifier: verifierOf(one.name) });
    return { current: withVerifier(log), next: nextLog && withVerifier(nextLog), changes: logChanges };
  }

  /** A head that is at most a second old. */
  async newest(): Promise<SignedHead> {
    const newest = this.#newest;
    return newest !== undefined && this.#isFresh(newest) ? newest : this.#make();
  }

  /** The newest head with enough cosignatures, if it is recent; otherwise the newest. */
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

  /** One head per ten seconds, so that all witnesses cosign the same ones. */
  async forWitness(): Promise<SignedHead> {
    if (this.#shown !== undefined && this.#isShown()) return this.#shown;
    const newest = await this.newest();
    // Another caller may have signed one meanwhile.
    if (this.#shown === undefined || !this.#isShown()) this.#show(newest);
    return this.#shown ?? newest;
  }

  /** Called with each new head that witnesses are shown. */
  onShown(listener: (head: SignedHead) => void): void {
    this.#shownListener = listener;
  }

  /**
   * Called when another node shows this head to witnesses. Both nodes then show the larger of their heads, so that all witnesses cosign
   * the same head, whichever node they ask.
   */
  showToo(head: SignedHead): void {
    if (this.#shown !== undefined && this.#isShown() && this.#shown.size >= head.size) return;
    this.#shown = head;
    this.#shownAt = this.#parts.clock.now();
  }

  /** All heads that may be cosigned, newest first. */
  get cosignable(): readonly SignedHead[] {
    const stored = this.#stored.toReversed();
    return this.#newest === undefined || stored.includes(this.#newest) ? stored : [this.#newest, ...stored];
  }

  isRecent({ at }: SignedHead): boolean {
    return this.#since(at) < KEEP_MS;
  }

  /** Whether the log has this many entries, and they give this root. */
  async has({ size, root }: Checkpoint): Promise<boolean> {
    const { log, tiles } = this.#parts;
    if (size > 0 && (await log.entries(size - 1, 1)).length === 0) return false;
    return sameBytes(await tiles.work(planRoot(size)), root);
  }

  /** Stores a head that this log signed on another node or before this start. The caller has checked the log's signature. */
  adopt(head: SignedHead): SignedHead {
    const known = this.cosignable.find(({ text }) => text === head.text);
    if (known !== undefined) return known;
    const at = this.#stored.findIndex(({ size }) => size > head.size);
    this.#stored.splice(at === -1 ? this.#stored.length : at, 0, head);
    return head;
  }

  #make(): Promise<SignedHead> {
    this.#making ??= forOthersToo(() => this.#sign()).finally(() => (this.#making = undefined));
    return this.#making;
  }

  async #sign(): Promise<SignedHead> {
    const { checkpointSigner, tiles, log, clock } = this.#parts;
    const { current, next } = await this.keys();
    // The head of the chain is on record (in the head file or the head row) when this resolves: only then its tree head is signed.
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
    this.#stored = this.#stored.filter((one) => one !== head && this.isRecent(one));
    this.#stored.push(head);
    this.#shownListener(head);
  }

  #preferred(): SignedHead | undefined {
    const { policy } = this.#parts;
    if (policy === undefined) return undefined;
    return this.cosignable.find((head) => isMet(policy.quorum, head.witnesses) && this.#since(head.at) < PREFERRED_MS);
  }

  /** The age of a head: absolute, so that a head from before the clock was set back does not count as fresh. */
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

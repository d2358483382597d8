// Signs the head of the log, and never one that is older than the last signed head or contradicts it.
import { Refusal } from "../../core/errors.ts";
import { type Checkpoint, checkpointPayload, type Head } from "../../core/log/chain-checkpoint.ts";
import { iso } from "../../core/protocol/time.ts";
import type { Clock } from "../../ports/clock.ts";
import type { BoardKeys, KeysNow } from "../../ports/board-keys.ts";
import type { HeadRecord } from "../../ports/head-record.ts";
import type { LogReads } from "../../ports/store.ts";

export class CheckpointSigner {
  readonly #store: LogReads;
  readonly #record: HeadRecord;
  readonly #keys: BoardKeys;
  readonly #clock: Clock;
  readonly #origin: string;
  #last: Checkpoint | undefined;
  #rolledBack = false;
  #signing: Promise<Checkpoint> | undefined;

  private constructor(store: LogReads, record: HeadRecord, keys: BoardKeys, clock: Clock, origin: string) {
    this.#store = store;
    this.#record = record;
    this.#keys = keys;
    this.#clock = clock;
    this.#origin = origin;
  }

  static async open(store: LogReads, record: HeadRecord, keys: BoardKeys, clock: Clock, origin: string): Promise<CheckpointSigner> {
    const checkpointSigner = new CheckpointSigner(store, record, keys, clock, origin);
    checkpointSigner.#last = await record.read();
    checkpointSigner.#rolledBack = checkpointSigner.#last !== undefined && !(await continues(store, checkpointSigner.#last));
    return checkpointSigner;
  }

  /** The database is behind the last signed head or contradicts it: nothing may be written or signed. */
  get rolledBack(): boolean {
    return this.#rolledBack;
  }

  /** An older copy may have taken the place of the database. */
  async recheck(): Promise<void> {
    const last = await this.#record.read();
    if (last !== undefined && !(await continues(this.#store, last))) this.#rolledBack = true;
  }

  /** The last signed head. */
  get signedSeq(): number | undefined {
    return this.#last?.seq;
  }

  /** The keys that the board signs with now. */
  async keys(): Promise<KeysNow & { readonly now: number }> {
    const now = this.#clock.now();
    return { ...(await this.#keys.at(now)), now };
  }

  async checkpoint(): Promise<Checkpoint> {
    if (this.#rolledBack) throw new Refusal("log_rollback");
    // Concurrent callers share one signature. A caller that comes later gets it only if it is at least as new as the head at that time.
    const keys = await this.keys();
    const head = await this.#store.head();
    if (this.#last !== undefined && this.#stillTrue(this.#last, head, keys)) return this.#last;
    if (this.#last !== undefined && !(await continues(this.#store, this.#last))) {
      // A database on a server may be restored to an older state while the board runs, and have grown again since.
      this.#rolledBack = true;
      throw new Refusal("log_rollback");
    }
    const running = this.#signing;
    if (running !== undefined) {
      const shared = await running;
      return shared.seq >= head.seq && shared.pk === keys.key.pk ? shared : this.checkpoint();
    }
    this.#signing = this.#sign(head, keys).finally(() => (this.#signing = undefined));
    return this.#signing;
  }

  /** Neither the head nor the board's address and key have changed. */
  #stillTrue({ seq, hash, pk, payload, next }: Checkpoint, head: Head, keys: KeysNow): boolean {
    const { origin } = JSON.parse(payload) as { origin: string };
    return seq === head.seq && hash === head.hash && pk === keys.key.pk && next?.pk === keys.next?.key.pk && origin === this.#origin;
  }

  async #sign(head: Head, { board, key, next, now }: KeysNow & { readonly now: number }): Promise<Checkpoint> {
    const payload = checkpointPayload(this.#origin, head, Math.floor(now / 1000));
    const checkpoint: Checkpoint = {
      payload,
      sig: key.sign(payload),
      pk: key.pk,
      board,
      seq: head.seq,
      hash: head.hash,
      at: iso(now),
      ...(next && { next: { pk: next.key.pk, sig: next.key.sign(payload), from: iso(next.from * 1000) } }),
    };
    // The record is on disk before anyone sees the signature, so no crash can make the board forget it.
    this.#last = await this.#record.write(checkpoint);
    return this.#last;
  }
}

/** Whether the log continues a signed head. */
export async function continues(store: Pick<LogReads, "head" | "oldestSeq" | "entries">, signed: Head): Promise<boolean> {
  if (signed.seq === 0) return true;
  const head = await store.head();
  if (head.seq < signed.seq) return false;
  // The entry before the oldest one served is kept, as the anchor of the chain.
  if (signed.seq < (await store.oldestSeq()) - 1) return true;
  const [entry] = await store.entries(signed.seq - 1, 1);
  return entry?.hash === signed.hash;
}

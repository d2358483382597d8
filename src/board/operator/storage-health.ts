// Whether the storage accepts writes: reported once when it stops and once when it works again, which is found out by trying.
import { type Clock, every } from "../../ports/clock.ts";
import type { FaultPlace } from "../../ports/telemetry.ts";
import { StoreFailure } from "../../ports/store.ts";

const TRY_AGAIN_MS = 1000;
const LOOK_MS = 2000;
/** If a post was accepted within this time, a disk that looks full does not count as full. */
const WORKED_MS = 60_000;

export interface StorageLost {
  readonly code: StoreFailure["code"];
  readonly since: number;
  /** Transactions and probes that failed meanwhile. */
  readonly failures: number;
}

export interface StorageHealthParts {
  readonly clock: Clock;
  readonly onLost: (place: FaultPlace, failure: StoreFailure) => void;
  readonly onBack: (lost: StorageLost) => void;
}

export class StorageHealth {
  readonly #parts: StorageHealthParts;
  #lost: StorageLost | undefined;
  #trial = (): Promise<void> => Promise.reject(new Error("There is nothing to try with yet."));
  #stopTrying = () => {};
  #stopLooking = () => {};
  #workedAt = -Infinity;
  /** A probe is running. */
  #suspected = false;
  #closed = false;

  constructor(parts: StorageHealthParts) {
    this.#parts = parts;
  }

  /** The probe: it writes something without consequence, and rejects if the storage does not accept it. */
  tryWith(trial: () => Promise<void>): void {
    this.#trial = trial;
  }

  /** The check: it is called now and then, and throws if it is clear that nothing can be written. */
  lookWith(look: () => Promise<void>): void {
    const { clock } = this.#parts;
    this.#stopLooking = every(clock, LOOK_MS, () => {
      if (this.#lost !== undefined) return;
      look().catch((error: unknown) => {
        if (!(error instanceof StoreFailure) || this.#lost !== undefined || this.#closed) return;
        const acceptsPosts = error.code === "storage_full" && clock.now() - this.#workedAt < WORKED_MS;
        if (!acceptsPosts) this.#lose("storage", error);
      });
    });
  }

  /** Why nothing can be written; undefined as long as nothing has failed. */
  get code(): StoreFailure["code"] | undefined {
    return this.#lost?.code;
  }

  /** A transaction or a check of the storage has failed. After a failed check, a probe first finds out whether writing fails too. */
  failed(place: FaultPlace, failure: StoreFailure): void {
    const lost = this.#lost;
    if (lost !== undefined) this.#lost = { ...lost, code: failure.code, failures: lost.failures + 1 };
    else if (place === "append") this.#lose(place, failure);
    else if (!this.#suspected) void this.#findOut(place);
  }

  async #findOut(place: FaultPlace): Promise<void> {
    this.#suspected = true;
    try {
      await this.#trial();
    } catch (error) {
      if (error instanceof StoreFailure && this.#lost === undefined) this.#lose(place, error);
    } finally {
      this.#suspected = false;
    }
  }

  #lose(place: FaultPlace, failure: StoreFailure): void {
    this.#lost = { code: failure.code, since: this.#parts.clock.now(), failures: 1 };
    this.#parts.onLost(place, failure);
    this.#tryLater();
  }

  /** A transaction was committed. */
  worked(): void {
    this.#workedAt = this.#parts.clock.now();
    const lost = this.#lost;
    if (lost === undefined) return;
    this.#stopTrying();
    this.#lost = undefined;
    this.#parts.onBack(lost);
  }

  close(): void {
    this.#closed = true;
    this.#stopTrying();
    this.#stopLooking();
  }

  /** Probes again later. Hours may pass without a post, and monitoring must not depend on one to learn that the storage works again. */
  #tryLater(): void {
    if (this.#closed) return;
    const { clock } = this.#parts;
    this.#stopTrying = clock.at(clock.now() + TRY_AGAIN_MS, () => {
      this.#trial().then(
        () => this.worked(),
        () => this.#tryLater(),
      );
    });
  }
}

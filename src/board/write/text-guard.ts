// Examines the text of a new message: its flags, its risk, and how many others have posted nearly the same lately.
import { ALONE, Copies, isSpreading, type Spread } from "../../core/guard/copies/copies.ts";
import { lookAt, type Looked, Scratch, signatureIn } from "../../core/guard/examine-text.ts";
import type { Noticed } from "../../core/guard/risk-and-copies.ts";
import type { RiskTable } from "../../core/guard/risk/scorer.ts";
import { DAY_MS } from "../../core/durations.ts";
import type { AuthorLine } from "../../core/keys/key-state.ts";
import type { Payload } from "../../core/protocol/payload.ts";
import type { Clock } from "../../ports/clock.ts";
import { nextSlice, sliced } from "../../ports/cpu-slices.ts";
import type { LogReads, MessageReads } from "../../ports/store.ts";
import type { Moved } from "../../ports/wakeup.ts";
import type { TextJournal } from "../../ports/text-fingerprints.ts";

/** How many texts are remembered; texts older than a day do not count. */
const TEXTS = 32_768;
/** How far back the log is read at the start; this takes a second at most. */
const ENTRIES = 32_768;

/** Messages just before the last text of the journal are read again, because they may be missing there. */
const AGAIN_MS = 10_000;

type Followed = Pick<MessageReads, "dump"> & Pick<LogReads, "seqAt">;

export class TextGuard {
  readonly #table: RiskTable;
  readonly #scratch = new Scratch();
  readonly #clock: Clock;
  readonly #journal: TextJournal | undefined;
  readonly #copies = new Copies(TEXTS, DAY_MS);
  /** The time of the last text in the journal at the start. */
  readonly #noted: number;
  /** The last entry of the log whose message is counted. */
  #seq = 0;
  #following = Promise.resolve();

  constructor(table: RiskTable, clock: Clock, journal?: TextJournal) {
    this.#table = table;
    this.#clock = clock;
    this.#journal = journal;
    let noted = 0;
    for (const { signature, author, at, takenBack } of journal?.read() ?? []) {
      if (takenBack) this.#copies.takeBack(signature, author, { ...ALONE, before: at === 0 ? undefined : at });
      else this.#copies.add(signature, author, at);
      noted = Math.max(noted, at);
    }
    this.#noted = Math.min(noted, clock.now());
  }

  look(payload: Payload): Looked {
    return lookAt(this.#table, payload, this.#scratch);
  }

  /** The copies of this text, if this author posted it now. All keys of an agent are one author here. */
  spreadOf({ signature }: Looked, author: string): Spread {
    return signature === undefined ? ALONE : this.#copies.look(signature, author, this.#clock.now());
  }

  /**
   * Counts the text from now on, so that simultaneous copies see each other; `takeBack` is called if it is not stored. A dry run counts
   * nothing.
   */
  enter(looked: Looked, author: string, dryRun = false): { readonly noticed: Noticed; readonly takeBack: () => void } {
    const { signature } = looked;
    if (dryRun || signature === undefined) return { noticed: noticed(looked, this.spreadOf(looked, author)), takeBack: () => {} };
    const spread = this.#add(signature, author, this.#clock.now());
    const takeBack = (): void => {
      this.#copies.takeBack(signature, author, spread);
      this.#journal?.note({ signature, author, at: spread.before ?? 0, takenBack: true });
    };
    return { noticed: noticed(looked, spread), takeBack };
  }

  #add(signature: Uint16Array, author: string, at: number): Spread {
    this.#journal?.note({ signature, author, at, takenBack: false });
    return this.#copies.add(signature, author, at);
  }

  /** Counts the texts up to this entry that other nodes stored, or that were stored before the start. Own texts are counted already. */
  follow(store: Followed, { seq, ownAfter = seq }: Pick<Moved, "seq" | "ownAfter">): Promise<void> {
    // One after the other, because a hint may come while the previous one is still being handled.
    return (this.#following = this.#following
      .catch(() => {})
      .then(() => this.#follow(store, ownAfter))
      .then(() => void (this.#seq = Math.max(this.#seq, seq))));
  }

  async #follow(store: Followed, upTo: number): Promise<void> {
    const now = this.#clock.now();
    if (this.#seq === 0) this.#seq = Math.max(0, upTo - ENTRIES, (await store.seqAt(Math.max(now - DAY_MS, this.#noted - AGAIN_MS))) - 1);
    for (let after = this.#seq; after < upTo;) {
      const batch = await store.dump(after, upTo, now);
      await sliced(batch, ({ state, raw, author }) => {
        const signature = state.kind === "email" ? undefined : signatureIn(JSON.parse(raw.payload) as Payload, this.#scratch.said);
        const agent = author.line == null ? state.author : (JSON.parse(author.line) as AuthorLine).principal;
        if (signature !== undefined) this.#add(signature, agent, state.receivedAt);
      });
      const last = batch.at(-1);
      if (last === undefined) break;
      after = last.state.seq;
      await nextSlice();
    }
  }
}

const noticed = ({ risk }: Looked, spread: Spread): Noticed => ({ risk, copies: spread.copies, spreading: isSpreading(spread) });

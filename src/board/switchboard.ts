// What the operator turned or removed from another process, noticed by looking several times a second.
import { type Switches, SWITCHES_OFF } from "../core/message/moderation.ts";
import type { Clock } from "../ports/clock.ts";
import type { Report } from "../ports/report.ts";
import type { Store } from "../ports/store.ts";
import { UnderWay } from "./under-way.ts";

const LOOK_MS = 250;
/** Decisions that are read in one go. */
const STEP = 100;

export class Switchboard {
  readonly #store: Pick<Store, "switches" | "actions" | "head">;
  readonly #clock: Clock;
  readonly #report: Report;
  readonly #turned: ((switches: Switches) => void)[] = [];
  readonly #removed: ((targets: ReadonlySet<string>) => void)[] = [];
  #switches: Switches = SWITCHES_OFF;
  /** Decisions up to here have been told, and the log was looked at up to there. */
  #decided = 0;
  #seen = 0;
  /** Looks begun, and the last one begun of those that have answered. */
  #begun = 0;
  #answered = 0;
  #stopLooking = () => {};
  readonly #looks = new UnderWay();

  private constructor(store: Pick<Store, "switches" | "actions" | "head">, clock: Clock, report: Report) {
    this.#store = store;
    this.#clock = clock;
    this.#report = report;
  }

  static async open(store: Pick<Store, "switches" | "actions" | "head">, clock: Clock, report: Report): Promise<Switchboard> {
    const board = new Switchboard(store, clock, report);
    board.#seen = (await store.head()).seq;
    board.#decided = board.#seen;
    board.#switches = await store.switches();
    board.#wait();
    return board;
  }

  get readOnly(): boolean {
    return this.#switches.readOnly;
  }

  /** Called at once, and whenever a switch was turned. */
  onTurn(listener: (switches: Switches) => void): void {
    this.#turned.push(listener);
    listener(this.#switches);
  }

  /** Hears of messages, keys and attachments on which the operator has just decided. */
  onRemoved(listener: (targets: ReadonlySet<string>) => void): void {
    this.#removed.push(listener);
  }

  /** Resolves when nobody looks any more: what they look at may then be closed. */
  async close(): Promise<void> {
    this.#stopLooking();
    await this.#looks.settled();
  }

  #wait(): void {
    this.#stopLooking = this.#clock.at(this.#clock.now() + LOOK_MS, () => {
      this.#wait();
      this.#looks.add(this.#look().catch((error: unknown) => this.#report.failed("switches", error)));
    });
  }

  async #look(): Promise<void> {
    const look = ++this.#begun;
    const switches = await this.#store.switches();
    // Looks may overtake each other on their way to the database: what an older one saw is over.
    if (look < this.#answered) return;
    this.#answered = look;
    const before = this.#switches;
    this.#switches = switches;
    if (JSON.stringify(switches) !== JSON.stringify(before)) for (const listener of this.#turned) listener(switches);
    // Every decision has an entry: where the log has not moved there is none.
    const { seq } = await this.#store.head();
    if (seq === this.#seen) return;
    this.#seen = seq;
    const targets = new Set<string>();
    const from = this.#decided;
    for (let before: number | undefined; ;) {
      const actions = await this.#store.actions({ since: 0, before, limit: STEP });
      for (const one of actions) if (one.seq > from) targets.add(one.target);
      this.#decided = Math.max(this.#decided, actions[0]?.seq ?? 0);
      before = actions.at(-1)?.seq;
      if (actions.length < STEP || before === undefined || before <= from) break;
    }
    if (targets.size > 0) for (const listener of this.#removed) listener(targets);
  }
}

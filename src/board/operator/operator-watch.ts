// Notices what the operator switched or removed from another process, by polling several times a second.
import { type Action, type Switches, SWITCHES_OFF } from "../../core/message/moderation-state.ts";
import { type Clock, every } from "../../ports/clock.ts";
import type { Telemetry } from "../../ports/telemetry.ts";
import type { Store } from "../../ports/store.ts";
import { BackgroundWork } from "./finish-before-close.ts";

const LOOK_MS = 250;
/** Decisions that are read at once. */
const ACTIONS_PER_READ = 100;

type Watched = Pick<Store, "switches" | "actions" | "head">;

export class OperatorWatch {
  readonly #store: Watched;
  readonly #turned: ((switches: Switches) => void)[] = [];
  readonly #decided: ((actions: readonly Action[]) => void)[] = [];
  #switches: Switches = SWITCHES_OFF;
  /** The last decision that was reported, and the last log entry that was checked. */
  #reported = 0;
  #seen = 0;
  /** The newest decisions: by these a reversal is noticed. */
  #states: ReadonlyMap<string, Action["state"]> = new Map();
  /** Polls begun, and the latest one that has answered. */
  #begun = 0;
  #answered = 0;
  #stopLooking = () => {};
  readonly #looks: BackgroundWork;

  private constructor(store: Watched, report: Telemetry) {
    this.#store = store;
    this.#looks = new BackgroundWork((error) => report.failed("switches", error));
  }

  static async open(store: Watched, clock: Clock, report: Telemetry): Promise<OperatorWatch> {
    const board = new OperatorWatch(store, report);
    board.#seen = (await store.head()).seq;
    board.#reported = board.#seen;
    board.#states = statesOf(await store.actions({ since: 0, before: undefined, limit: ACTIONS_PER_READ }));
    board.#switches = await store.switches();
    board.#stopLooking = every(clock, LOOK_MS, () => board.#looks.add(board.#look()));
    return board;
  }

  get readOnly(): boolean {
    return this.#switches.readOnly;
  }

  get now(): Switches {
    return this.#switches;
  }

  /** Called at once, and whenever a switch was changed. */
  onTurn(listener: (switches: Switches) => void): void {
    this.#turned.push(listener);
    listener(this.#switches);
  }

  /** Called with new decisions and reversals about messages, keys and attachments; newest first. */
  onDecided(listener: (actions: readonly Action[]) => void): void {
    this.#decided.push(listener);
  }

  /** Called with their targets only. */
  onRemoved(listener: (targets: ReadonlySet<string>) => void): void {
    this.onDecided((actions) => listener(new Set(actions.map(({ target }) => target))));
  }

  /** Resolves when no poll is running any more: then the store may be closed. */
  async close(): Promise<void> {
    this.#stopLooking();
    await this.#looks.finished();
  }

  #isReversed({ id, state }: Action): boolean {
    return state === "reversed" && this.#states.get(id) === "in_force";
  }

  async #look(): Promise<void> {
    const look = ++this.#begun;
    const switches = await this.#store.switches();
    // Polls may overtake each other on their way to the database: the result of an older one is ignored.
    if (look < this.#answered) return;
    this.#answered = look;
    const before = this.#switches;
    this.#switches = switches;
    if (JSON.stringify(switches) !== JSON.stringify(before)) for (const listener of this.#turned) listener(switches);
    // Every decision has an entry: without new entries there is none.
    const { seq } = await this.#store.head();
    if (seq === this.#seen) return;
    this.#seen = seq;
    const [from, states] = [this.#reported, this.#states];
    try {
      await this.#notify(from);
    } catch (error) {
      // The next look reads all of it again.
      [this.#seen, this.#reported, this.#states] = [-1, from, states];
      throw error;
    }
  }

  async #notify(from: number): Promise<void> {
    const decided: Action[] = [];
    for (let before: number | undefined; ;) {
      const actions = await this.#store.actions({ since: 0, before, limit: ACTIONS_PER_READ });
      decided.push(...actions.filter((one) => one.seq > from || this.#isReversed(one)));
      if (before === undefined) this.#states = statesOf(actions);
      this.#reported = Math.max(this.#reported, actions[0]?.seq ?? 0);
      before = actions.at(-1)?.seq;
      if (actions.length < ACTIONS_PER_READ || before === undefined || before <= from) break;
    }
    if (decided.length > 0) for (const listener of this.#decided) listener(decided);
  }
}

const statesOf = (actions: readonly Action[]): ReadonlyMap<string, Action["state"]> => new Map(actions.map(({ id, state }) => [id, state]));

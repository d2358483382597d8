// Statements to PostgreSQL over a few connections; converts the driver's errors into failures of the store.
import postgres from "postgres";
import { Refusal } from "../../core/errors.ts";
import { laneNow, cost, costOfNow, requireShare } from "../../ports/cpu-slices.ts";
import { Lanes } from "../system/caller-lanes.ts";
import { StoreFailure } from "../../ports/store.ts";
import { serverOf } from "./address.ts";
import { isLost, isTooSlow, storeFailure, wasStopped } from "./failure.ts";

export type Value = string | number | null;

export interface ClientOptions {
  readonly url: string;
  readonly connections: number;
  /** Concurrent statements of one caller, if limited; fewer while there are others, with whom it shares the connections. */
  readonly each?: number;
  /**
   * For statements that may take long: one on each connection, charged to the caller by time. Others cost the same each, because how long
   * they take depends on the server's other load.
   */
  readonly long?: true;
  /** The timeout of a new connection; 5 s unless given. */
  readonly connectMs?: number;
  /** The name that the server shows for each connection. */
  readonly name: string;
  /** Session settings that differ from a board's. */
  readonly session?: Readonly<Record<string, string | number>>;
}

interface ConnectionEvents {
  readonly onnotify?: (channel: string, payload: string) => void;
  readonly onclose?: () => void;
}

/** Ad hoc statements stay prepared up to this many, so that a flood of different queries cannot fill the server's memory. */
const MAX_PREPARED = 200;
const CONNECT_MS = 5000;
const RECONNECT_S = 0.1;
/** Statements in flight over one connection. */
const PIPELINED = 4;
/** What a short statement takes, in this process and in the database's, approximately. */
const STATEMENT_MS = 0.25;

/** Session settings: an acknowledged commit is on disk, and a hanging node never holds the log's lock for long. */
const SESSION = {
  synchronous_commit: "on",
  jit: "off",
  // Every statement has its index. A plan made while a table was empty would scan all of it until statistics are gathered.
  enable_seqscan: "off",
  // A page is scanned in its order until it is full; collecting and sorting all matches first is never worth it.
  enable_bitmapscan: "off",
  // Statements are written so that one plan is right for all values; planning again takes longer than most of them take.
  plan_cache_mode: "force_generic_plan",
  statement_timeout: 30_000,
  idle_in_transaction_session_timeout: 15_000,
} as const;

/** `events`: what the driver calls for notifications, and when a connection is lost. */
export function connectTo({ url, connections, name, connectMs = CONNECT_MS, session = {} }: ClientOptions, events: ConnectionEvents = {}) {
  const { address, socket } = serverOf(url);
  return postgres(address, {
    ...(socket === undefined ? {} : { host: socket }),
    max: connections,
    // 64-bit integers are times and seqs, all below 2^53.
    types: { bigint: { to: 20, from: [20], parse: Number, serialize: String } },
    fetch_types: false,
    max_lifetime: null,
    connect_timeout: connectMs / 1000,
    backoff: () => RECONNECT_S,
    onnotice: () => {},
    connection: { application_name: name, ...SESSION, ...session },
    ...events,
  });
}
type Driver = ReturnType<typeof connectTo>;

export class Client {
  readonly #options: ClientOptions;
  readonly #shapes = new Set<string>();
  readonly #lanes: Lanes;
  #driver: Driver | undefined;
  #ended = false;

  constructor(options: ClientOptions) {
    this.#options = options;
    const { connections, each, long } = options;
    const most = connections * (long === true ? 1 : PIPELINED);
    this.#lanes = new Lanes(each === undefined ? { most, each: most } : { most, each, shared: connections });
  }

  /** Rows of a statement from a fixed set. */
  query<Row>(text: string, values: readonly Value[] = []): Promise<readonly Row[]> {
    return this.#run(text, values, true);
  }

  /** Rows of a statement that was built for one query. `took` is told how long the statement took, without waiting for its turn. */
  ask<Row>(text: string, values: readonly Value[], took?: (ms: number) => void): Promise<readonly Row[]> {
    const prepare = this.#shapes.has(text) || this.#shapes.size < MAX_PREPARED;
    if (prepare) this.#shapes.add(text);
    return this.#run(text, values, prepare, took);
  }

  /** Statements without values, sent as they are. */
  async script(text: string): Promise<void> {
    await this.#run(text, [], false);
  }

  /** Closes the connections; the next statement makes new ones. Nothing from the old connections reaches the new ones. */
  reset(): void {
    const driver = this.#driver;
    this.#driver = undefined;
    driver?.end({ timeout: 0 }).catch(() => {});
  }

  async end(): Promise<void> {
    this.#ended = true;
    await this.#driver?.end({ timeout: 1 });
  }
  [Symbol.asyncDispose] = (): Promise<void> => this.end();

  async #run<Row>(
    text: string,
    values: readonly Value[],
    prepare: boolean,
    took?: (ms: number) => void,
    again = false,
  ): Promise<readonly Row[]> {
    if (this.#ended) throw new StoreFailure("storage_unavailable", "The board is shutting down.");
    const lane = laneNow();
    await this.#lanes.enter(lane);
    const driver = (this.#driver ??= connectTo(this.#options));
    const began = performance.now();
    try {
      // Other requests of the same caller may have used up its time while this one waited.
      if (this.#options.long === true) requireShare();
      // Never refused here: the result may be for others too.
      else if (this.#options.each !== undefined) costOfNow()(STATEMENT_MS);
      const rows = (await driver.unsafe(text, [...values], { prepare })) as unknown as readonly Row[];
      const ms = performance.now() - began;
      took?.(ms);
      if (this.#options.long === true) cost(ms);
      return rows;
    } catch (error) {
      if (error instanceof Refusal) throw error;
      // A fault of the database is not at the caller's cost, but work in vain is.
      if (this.#options.long === true && wasStopped(error)) costOfNow()(performance.now() - began);
      // A broken connection may leave the driver's queues in disorder: the other connections finish, and new ones are made.
      if (isLost(error) && this.#driver === driver) {
        this.#driver = undefined;
        driver.end({ timeout: 1 }).catch(() => {});
      }
      // Nothing was sent yet. A process that was stopped for seconds gives up connections although the server has answered. One more
      // attempt is enough.
      if (!again && isTooSlow(error)) return this.#run(text, values, prepare, took, true);
      throw storeFailure(error);
    } finally {
      this.#lanes.leave(lane);
    }
  }
}

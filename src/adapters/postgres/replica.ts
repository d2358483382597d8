// A streaming replica that answers listings while it holds this board and keeps up with it.
import type { Head } from "../../core/log/checkpoint.ts";
import type { ReplicaStanding, ReplicaWatch } from "../../ports/replica.ts";
import type { ListingReads } from "../../ports/store.ts";
import type { BoardState, State } from "./board-state.ts";
import { Client } from "./client.ts";
import type { SeenOf } from "../sql/card-memory.ts";
import { PostgresLister } from "./list.ts";
import { type Claim, judge } from "./same-board.ts";

/** What a listing may be behind the primary. */
const STALE_MS = 2000;
/** Longer than any request takes: its validator and its body come from the same side. */
const LEFT_ALONE_MS = 5000;
/** Between two looks at it while nobody asks, and how long one may take. */
const LOOK_EVERY_MS = 2000;
const LOOK_WITHIN_MS = 5000;

/** What it says of itself, over which connection. */
interface Told extends State, Claim {
  readonly connection: string;
}
const ASK = `SELECT version, seq, hash, next_due AS "nextDue", pk,
  pg_backend_pid() || ' ' || extract(epoch FROM pg_postmaster_start_time()) AS connection FROM board`;
const NO_BOARD = "42P01";

export interface ReplicaParts {
  readonly url: string;
  readonly connections: { readonly reads: number; readonly walks: number };
  /** The board's own database, and where its log stands. */
  readonly own: Client;
  readonly primary: BoardState;
  readonly seenOf: SeenOf;
  readonly watch: ReplicaWatch;
}

/** It is not what it was said to be: nothing that helps by waiting. */
class Foreign extends Error {}

export class Replica {
  readonly #parts: ReplicaParts;
  readonly #client: Client;
  readonly #walks: Client;
  readonly #lister: PostgresLister;
  /** Connections over which it was found to hold this board. */
  readonly #proven = new Set<string>();
  #standing: "up" | "lost" | "foreign" | undefined;
  #formerPk: string | undefined;
  #leftUntil = 0;
  #seq = 0;
  #behind = 0;
  #next: NodeJS.Timeout | undefined;
  #ended = false;

  constructor(parts: ReplicaParts) {
    const { url, connections, seenOf } = parts;
    this.#parts = parts;
    this.#client = new Client({ url, connections: connections.reads, name: "blackboard replica" });
    this.#walks = new Client({ url, connections: connections.walks, each: 1, long: true, name: "blackboard replica walks" });
    this.#lister = new PostgresLister(this.#client, this.#walks, seenOf);
  }

  /** Refuses another board; where it cannot be asked, it is looked at again and again. `formerPk`: see `judge`. */
  async begin(formerPk?: string): Promise<void> {
    this.#formerPk = formerPk;
    const told = await this.#ask();
    if (told instanceof Foreign)
      throw new Error(
        `--database-read-url is no replica of --database-url: ${told.message}. Give the address of a streaming replica, or leave it out.`,
      );
    this.#lookLater();
  }

  standing(): ReplicaStanding {
    const up = this.#standing === "up";
    return { up, behind: up ? this.#behind : this.#missing() };
  }

  /** Where it stands; undefined where it is lost or too far behind. Then it is left alone for a while, by whoever asks. */
  async state(): Promise<State | undefined> {
    if (this.#standing !== "up" || performance.now() < this.#leftUntil) return undefined;
    const required = this.#parts.primary.versionBefore(STALE_MS);
    const told = await this.#ask();
    if (!(told instanceof Error) && told.version >= required) return told;
    this.#leftUntil = performance.now() + LEFT_ALONE_MS;
    return undefined;
  }

  /** Reads of one moment; where they fail, the primary takes over. */
  async reads(primary: ListingReads): Promise<ListingReads | undefined> {
    const state = await this.state();
    if (state === undefined) return undefined;
    return {
      head: async (): Promise<Head> => ({ seq: state.seq, hash: state.hash }),
      nextDue: async () => state.nextDue,
      list: (query) => this.#lister.list(query).catch(() => primary.list(query)),
    };
  }

  async end(): Promise<void> {
    this.#ended = true;
    clearTimeout(this.#next);
    await Promise.all([this.#client.end(), this.#walks.end()]);
  }

  #lookLater(): void {
    if (!this.#ended) this.#next = setTimeout(() => void this.#ask().then(() => this.#lookLater()), LOOK_EVERY_MS);
  }

  /** What it says, where it holds this board; and its standing from now on. */
  async #ask(): Promise<Told | Error> {
    try {
      const told = await this.#told();
      this.#seq = told.seq;
      this.#behind = this.#missing();
      this.#turn("up");
      return told;
    } catch (error) {
      this.#turn(error instanceof Foreign ? "foreign" : "lost", (error as Error).message);
      return error as Error;
    }
  }

  async #told(): Promise<Told> {
    const [told] = await within(
      LOOK_WITHIN_MS,
      this.#client.query<Told>(ASK).catch((error: unknown) => {
        const { message } = error as Error;
        throw new Error(message.includes(NO_BOARD) ? "there is no board in that database yet" : message, { cause: error });
      }),
    );
    if (told === undefined) throw new Error("there is no board in that database yet");
    // A new connection may lead to another server than the one before.
    if (!this.#proven.has(told.connection)) {
      const verdict = await judge(this.#parts.own, told, this.#formerPk).catch((error: unknown) => {
        throw new Error(`it could not be held against this board's log: ${(error as Error).message}`, { cause: error });
      });
      if (verdict.is !== "same") throw verdict.is === "foreign" ? new Foreign(verdict.why) : new Error(verdict.why);
      this.#proven.add(told.connection);
    }
    return told;
  }

  /** Each change is told once; that another board cannot be reached either is none. */
  #turn(now: "up" | "lost" | "foreign", why?: string): void {
    const before = this.#standing;
    if (this.#ended || now === before || (before === "foreign" && now === "lost")) return;
    this.#standing = now;
    if (now !== "up") {
      this.#leftUntil = performance.now() + LEFT_ALONE_MS;
      this.#proven.clear();
      // Whoever waits for it is answered by the primary.
      for (const client of [this.#client, this.#walks]) client.reset();
    }
    // At the start, another board in its place ends the start, which says so itself.
    if (before !== undefined || now === "lost") this.#parts.watch(why);
  }

  #missing(): number {
    return Math.max(0, this.#parts.primary.newestSeq - this.#seq);
  }
}

async function within<Answer>(ms: number, answer: Promise<Answer>): Promise<Answer> {
  const { promise: late, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new Error(`it did not answer within ${ms / 1000} s`)), ms);
  try {
    return await Promise.race([answer, late]);
  } finally {
    clearTimeout(timer);
  }
}

// A streaming replica that answers listings while it belongs to this board and keeps up with it.
import type { Head } from "../../core/log/chain-checkpoint.ts";
import type { ReplicaLimits, ReplicaStatus, ReplicaUse } from "../../ports/replica-status.ts";
import type { ListingReads } from "../../ports/store.ts";
import type { LatestHead, State } from "./latest-head.ts";
import { Client } from "./client.ts";
import type { SeenOf } from "../sql/message-caches.ts";
import { within } from "../system/within.ts";
import { PostgresLister } from "./list.ts";
import { type Claim, compareBoards } from "./verify-replica.ts";

const LIMITS: ReplicaLimits = { staleMs: 2000, lookWithinMs: 5000 };
/**
 * How long a lost replica is not asked. Longer than any request takes, so that the validator and the body of an answer come from the same
 * database.
 */
const LEFT_ALONE_MS = 5000;
/** The pause between two checks while nobody asks. */
const LOOK_EVERY_MS = 2000;

/** Its state, and the connection that returned it. */
interface ReplicaReply extends State, Claim {
  readonly connection: string;
}
const ASK = `SELECT version, seq, hash, next_due AS "nextDue", pk,
  pg_backend_pid() || ' ' || extract(epoch FROM pg_postmaster_start_time()) AS connection FROM board`;
const NO_BOARD = "42P01";

export interface ReplicaParts extends ReplicaUse {
  readonly url: string;
  readonly connections: { readonly reads: number; readonly walks: number };
  /** The board's own database, and the head of its log. */
  readonly own: Client;
  readonly primary: LatestHead;
  readonly seenOf: SeenOf;
}

/** It is not a replica of this board: waiting does not help. */
class Foreign extends Error {}

export class Replica {
  readonly #parts: ReplicaParts;
  readonly #limits: ReplicaLimits;
  readonly #client: Client;
  readonly #walks: Client;
  readonly #lister: PostgresLister;
  /** Connections that were verified to lead to a replica of this board. */
  readonly #proven = new Set<string>();
  #status: "up" | "lost" | "foreign" | undefined;
  #formerPk: string | undefined;
  #leftUntil = 0;
  #seq = 0;
  #version = 0;
  #behind = 0;
  #next: NodeJS.Timeout | undefined;
  #ended = false;

  constructor(parts: ReplicaParts) {
    const { url, connections, seenOf, limits = LIMITS } = parts;
    const connectMs = limits.lookWithinMs;
    this.#parts = parts;
    this.#limits = limits;
    this.#client = new Client({ url, connectMs, connections: connections.reads, name: "blackboard replica" });
    this.#walks = new Client({ url, connectMs, connections: connections.walks, each: 1, long: true, name: "blackboard replica walks" });
    this.#lister = new PostgresLister(this.#client, this.#walks, seenOf, () => this.#version);
  }

  /**
   * Throws if it is not a replica of this board. If it cannot be reached, it is checked again and again. `formerPk`: see `compareBoards`.
   */
  async begin(formerPk?: string): Promise<void> {
    this.#formerPk = formerPk;
    const reply = await this.#ask();
    if (reply instanceof Foreign)
      throw new Error(
        `--database-read-url is no replica of --database-url: ${reply.message}. Give the address of a streaming replica, or leave it out.`,
      );
    this.#lookLater();
  }

  status(): ReplicaStatus {
    const up = this.#status === "up";
    return { up, behind: up ? this.#behind : this.#missing() };
  }

  /** Its position; undefined if it is lost or too far behind. Then it is not asked for a while. */
  async state(): Promise<State | undefined> {
    if (this.#status !== "up" || performance.now() < this.#leftUntil) return undefined;
    const required = this.#parts.primary.versionBefore(this.#limits.staleMs);
    const reply = await this.#ask();
    if (!(reply instanceof Error) && reply.version >= required) return reply;
    this.#leftUntil = performance.now() + LEFT_ALONE_MS;
    return undefined;
  }

  /** Reads from one snapshot; if they fail, the primary takes over. */
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

  /** Its state, if it belongs to this board; updates whether it is used. */
  async #ask(): Promise<ReplicaReply | Error> {
    try {
      const reply = await this.#look();
      this.#seq = reply.seq;
      this.#version = reply.version;
      this.#behind = this.#missing();
      this.#turn("up");
      return reply;
    } catch (error) {
      this.#turn(error instanceof Foreign ? "foreign" : "lost", (error as Error).message);
      return error as Error;
    }
  }

  async #look(): Promise<ReplicaReply> {
    const [reply] = await within(
      this.#limits.lookWithinMs,
      this.#client.query<ReplicaReply>(ASK).catch((error: unknown) => {
        const { message } = error as Error;
        throw new Error(message.includes(NO_BOARD) ? "there is no board in that database yet" : message, { cause: error });
      }),
      () => new Error(`it did not answer within ${this.#limits.lookWithinMs / 1000} s`),
    );
    if (reply === undefined) throw new Error("there is no board in that database yet");
    // A new connection may lead to another server than the one before.
    if (!this.#proven.has(reply.connection)) {
      const verdict = await compareBoards(this.#parts.own, reply, this.#formerPk).catch((error: unknown) => {
        throw new Error(`it could not be compared with this board's log: ${(error as Error).message}`, { cause: error });
      });
      if (verdict.is !== "same") throw verdict.is === "foreign" ? new Foreign(verdict.why) : new Error(verdict.why);
      this.#proven.add(reply.connection);
    }
    return reply;
  }

  /** Each change is reported once; a foreign board that becomes unreachable is no change. */
  #turn(now: "up" | "lost" | "foreign", why?: string): void {
    const before = this.#status;
    if (this.#ended || now === before || (before === "foreign" && now === "lost")) return;
    this.#status = now;
    if (now !== "up") {
      this.#leftUntil = performance.now() + LEFT_ALONE_MS;
      this.#proven.clear();
      // This ends statements that are under way, so that the primary answers the callers that wait for them.
      for (const client of [this.#client, this.#walks]) client.reset();
    }
    // A replica of another board ends the start of this board, and the start reports that itself.
    if (before !== undefined || now === "lost") this.#parts.watch(why);
  }

  #missing(): number {
    return Math.max(0, this.#parts.primary.newestSeq - this.#seq);
  }
}

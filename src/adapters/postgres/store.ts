// A board in PostgreSQL, shared by any number of nodes.
import { randomUUID } from "node:crypto";
import type { Act } from "../../core/message/acts-and-outcomes.ts";
import type { Head } from "../../core/log/chain-checkpoint.ts";
import { LABEL_BYTES, REF_BYTES } from "../../core/message/stored-bytes.ts";
import { LIMITS } from "../../core/protocol/limits.ts";
import { type Appended, type Store, StoreFailure } from "../../ports/store.ts";
import type { ReplicaStatus, ReplicaUse } from "../../ports/replica-status.ts";
import type { Peers } from "../../ports/peers.ts";
import type { Moved, Wakeup } from "../../ports/wakeup.ts";
import { dump } from "../sql/dump.ts";
import { SqlReads } from "../sql/reads.ts";
import { unreachable } from "./address.ts";
import { LatestHead } from "./latest-head.ts";
import { Client } from "./client.ts";
import { postgresRows } from "./dialect.ts";
import { PostgresLister } from "./list.ts";
import { Listener } from "./listener.ts";
import { migrate, requireBoard } from "./migrate.ts";
import { PostgresReader } from "./reader.ts";
import { Replica } from "./replica.ts";
import { CHANNEL, NODE_CHANNEL } from "./write-function.ts";
import { PostgresWriter } from "./writer.ts";

const READ_CONNECTIONS = 5;
/** Connections of one caller at once, so that others find a free one. */
const READS_EACH = 4;
/** Additional connections, for listings that may have to scan the whole board. */
const WALK_CONNECTIONS = 2;
/** Tables with texts that people wrote. */
const ERASED_FROM = ["contents", "messages", "labels", "tallies", "agent_tallies", "blobs", "notices", "gone", "log"];

/** A replica for listings, and the listener for its state. */
export interface ReplicaOptions extends ReplicaUse {
  readonly url: string;
}

/** A board initialises an empty database; an operator's command needs an existing board. */
export async function openPostgresStore(url: string, replica?: ReplicaOptions, as: "board" | "operator" = "board"): Promise<PostgresStore> {
  const client = new Client({ url, connections: READ_CONNECTIONS, each: READS_EACH, name: "blackboard" });
  try {
    if (as === "operator") await requireBoard(client);
    await migrate(client);
    if (as === "board") await endWithdrawn(url, client);
    return new PostgresStore(url, client, replica);
  } catch (error) {
    await client.end();
    throw error instanceof StoreFailure ? unreachable(error.message) : error;
  }
}

async function endWithdrawn(url: string, client: Client): Promise<void> {
  if ((await client.query("SELECT 1 FROM withdrawals LIMIT 1")).length === 0) return;
  await using writer = new PostgresWriter(url);
  await writer.endWithdrawn();
}

export class PostgresStore extends SqlReads implements Store, Wakeup, Peers {
  readonly client: Client;
  readonly #writer: PostgresWriter;
  /** Nearly every read begins with the head of the log, which must not wait for statements of others. */
  readonly #heads: Client;
  readonly #walks: Client;
  readonly #replica: Replica | undefined;
  readonly #state: LatestHead;
  readonly #listener: Listener;
  /** Identifies this node's own notifications. */
  readonly #node = randomUUID();
  readonly #listeners: ((text: string) => void)[] = [];
  readonly #reader: PostgresReader;
  readonly #lister: PostgresLister;

  constructor(url: string, client: Client, replica?: ReplicaOptions) {
    super(postgresRows(client));
    this.client = client;
    this.#writer = new PostgresWriter(url, this.#node);
    this.#heads = new Client({ url, connections: 1, name: "blackboard head" });
    this.#state = new LatestHead(this.#heads, this.#node);
    const connections = { reads: READ_CONNECTIONS, walks: WALK_CONNECTIONS };
    this.#replica = replica && new Replica({ ...replica, connections, own: client, primary: this.#state, seenOf: this.seenOf });
    this.#listener = new Listener({
      url,
      channels: {
        [CHANNEL]: (payload) => this.#state.receive(payload),
        [NODE_CHANNEL]: (payload) => this.#receive(payload),
      },
      begun: () => void this.#state.read().catch(() => {}),
    });
    this.#reader = new PostgresReader(client, this.seenOf, this.#state);
    this.#walks = new Client({ url, connections: WALK_CONNECTIONS, each: 1, long: true, name: "blackboard walks" });
    this.#lister = new PostgresLister(client, this.#walks, this.seenOf, () => this.#state.newestVersion);
  }

  /** One call at a time, which the appender ensures. */
  async append<One extends Act>(acts: readonly One[], now: number): Promise<Appended<One>> {
    const stepBack = this.#state.expect();
    try {
      const { version, after, ...appended } = await this.#writer.run(acts, now);
      stepBack(version, after);
      this.#state.learn({ version, ...appended.head, nextDue: appended.nextDue }, { ownAfter: after });
      return appended;
    } catch (error) {
      // It may have been committed although the answer was lost.
      this.#state.read().catch(() => {});
      throw error;
    }
  }

  trial = (): Promise<void> => this.#writer.trial();
  /** The server's disk and files are not visible from here. */
  requireUsable = async (): Promise<void> => {};
  size = (): Promise<number> => this.#bytes("pg_database_size(current_database())");
  /** The space of ended rows is reused but never given back to the system, so what is there is counted, and the log, which only grows. */
  used = (): Promise<number> =>
    this.#bytes(`(SELECT coalesce(sum(greatest(octet_length(payload), ${LIMITS.post_bytes})), 0) FROM contents)::bigint
        + (SELECT coalesce(sum(octet_length(text)), 0) FROM blobs)::bigint
        + (SELECT coalesce(sum(${LABEL_BYTES.each} + ${LABEL_BYTES.times} * octet_length(label)), 0) FROM labels)::bigint
        + (SELECT count(*) * ${REF_BYTES} FROM refs) + pg_total_relation_size('log')`);
  async #bytes(expression: string): Promise<number> {
    return (await this.client.query<{ bytes: number }>(`SELECT ${expression} AS bytes`))[0]?.bytes ?? 0;
  }

  /**
   * Called once the board has its key, by which a replica of another board is recognised. Returns the state of the replica, if there is
   * one.
   */
  async beginReplica(formerPk?: string): Promise<(() => ReplicaStatus) | undefined> {
    const replica = this.#replica;
    await replica?.begin(formerPk);
    return replica && (() => replica.status());
  }

  head = async (): Promise<Head> => {
    const { seq, hash } = await this.#state.read();
    return { seq, hash };
  };
  nextDue = (): Promise<number | null> => this.#state.nextDue();
  async broadcast(text: string): Promise<void> {
    await this.client.query("SELECT pg_notify($1, $2)", [NODE_CHANNEL, `${this.#node} ${text}`]);
  }
  onMessage(listener: (text: string) => void): void {
    this.#listeners.push(listener);
  }
  onMoved = (listener: (moved: Moved) => void): void => this.#state.onMoved(listener);
  onBack = (listener: (seq: number) => void): void => this.#state.onBack(listener);
  precheck: Store["precheck"] = (id, author, blobs, now) => this.#reader.precheck(id, author, blobs, now);
  find: Store["find"] = (id, now) => this.#reader.find(id, now);
  findAll: Store["findAll"] = (ids, now) => this.#reader.findAll(ids, now);
  list: Store["list"] = (query) => this.#lister.list(query);
  listingReads: Store["listingReads"] = async () => (await this.#replica?.reads(this)) ?? this;
  leastState: Store["leastState"] = async () => {
    const [behind, state] = await Promise.all([this.#replica?.state(), this.#state.read()]);
    return { ...(behind ?? state), newest: state.seq };
  };
  listSeqs: Store["listSeqs"] = (query) => this.#lister.seqs(query);
  countUpTo: Store["countUpTo"] = (query) => this.#lister.count(query);
  seqAt: Store["seqAt"] = (unixMs) => this.#reader.seqAt(unixMs);
  dump: Store["dump"] = (after, upTo, now) => dump(this.rows, (seqs) => this.#reader.storedMessages(seqs), { after, upTo, now });

  /** Erased content may be overwritten; when that happens, and how long the server's own logs keep it, is up to the server. */
  async scrub(): Promise<boolean> {
    // The server's statistics contain sample values of columns; new statistics contain others.
    for (const table of ERASED_FROM) await this.client.script(`VACUUM (ANALYZE) ${table}`);
    return true;
  }

  #receive(payload: string): void {
    const [node = ""] = payload.split(" ", 1);
    if (node !== this.#node) for (const listener of this.#listeners) listener(payload.slice(node.length + 1));
  }

  async close(): Promise<void> {
    await Promise.all([
      this.#listener.end(),
      this.#writer.end(),
      this.client.end(),
      this.#heads.end(),
      this.#walks.end(),
      this.#replica?.end(),
    ]);
  }
  [Symbol.asyncDispose] = (): Promise<void> => this.close();
}

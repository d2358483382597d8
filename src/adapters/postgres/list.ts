// Listings in PostgreSQL: first chooses the rows of a page, then fetches everything about them.
import { LIMITS } from "../../core/protocol/limits.ts";
import { utf8Length } from "../../core/protocol/encoding.ts";
import type { StoredMessage, Listed, ListQuery } from "../../ports/store.ts";
import type { SeenOf } from "../sql/message-caches.ts";
import { holdsMostly, merged, mergedUntilEnd, conditionsOf, tombstoneConditions } from "../sql/shared-listing-parts.ts";
import { SORTABLE } from "../sql/lookup-table-spec.ts";
import { TOMBSTONE_COLUMNS, toTombstone } from "../sql/rows.ts";
import { AccessPathChooser } from "./access-path.ts";
import {
  STORED_MESSAGE_COLUMNS,
  STORED_MESSAGE_JOINS,
  storedMessageOf,
  FACT_COLUMNS,
  FACT_JOINS,
  type FactRow,
  toStoredMessage,
} from "./stored-messages.ts";
import type { Client } from "./client.ts";
import { CurrentMessages, SNAPSHOT_READ } from "./current-messages.ts";
import { PostgresMessageCache } from "./message-cache.ts";
import { costOfRows } from "./portions.ts";
import { tombstonePage, messagePage, type PageSql } from "./page-sql.ts";

interface PageRow extends FactRow {
  readonly position: number;
  readonly seq: number;
  readonly version: string;
  readonly snapshot: string;
  /** Of its payload; only if they are counted. */
  readonly bytes?: number;
}

/** The messages that were read are in the cache then, so that a repetition reads only those that have changed. */
const REPEATS = 2;

/** Pages of the usual length, and one row more that tells whether there is a next page. */
const SHORT_PAGE = LIMITS.list_default + 1;

/** `isCut` if the page ends because its payloads have enough bytes. */
interface Cut<Row> {
  readonly found: readonly Row[];
  readonly isCut: boolean;
}
type Found = Cut<Listed>;

/** How the rows of a page are found, and over which connections. */
interface Chosen extends PageSql {
  readonly client: Client;
}

export class PostgresLister {
  readonly #client: Client;
  /** For listings that may have to scan the whole board: however many there are, the others keep their connections. */
  readonly #walks: Client;
  readonly #paths: AccessPathChooser;
  readonly #cache: PostgresMessageCache;
  readonly #current = new CurrentMessages<number>();
  readonly #newestVersion: () => number;
  readonly #toStoredMessage: (row: unknown) => StoredMessage;

  /** `newestVersion` is the newest version of the board that is known. */
  constructor(client: Client, walks: Client, seenOf: SeenOf, newestVersion: () => number) {
    this.#client = client;
    this.#walks = walks;
    this.#paths = new AccessPathChooser(client);
    this.#cache = new PostgresMessageCache(client, seenOf);
    this.#newestVersion = newestVersion;
    this.#toStoredMessage = toStoredMessage(seenOf);
  }

  async list(query: ListQuery): Promise<readonly Listed[]> {
    const [{ found, isCut }, tombstones] = await Promise.all([
      this.#storedMessages(query),
      query.removed === true ? this.#tombstones(query) : [],
    ]);
    if (query.removed !== true) return found;
    return isCut ? mergedUntilEnd(query, found, tombstones) : merged(query, found, tombstones);
  }

  async seqs(query: ListQuery): Promise<readonly number[]> {
    const { sql, values, client } = await this.#chosen(query);
    return (await client.ask<{ seq: number }>(sql, values)).map(({ seq }) => seq);
  }

  async count(query: ListQuery): Promise<number> {
    const { sql, values, client } = await this.#chosen(query);
    const [row] = await client.ask<{ found: number }>(`SELECT count(*) AS found FROM (${sql}) p`, values);
    return row?.found ?? 0;
  }

  async #storedMessages(query: ListQuery): Promise<Found> {
    const chosen = await this.#chosen(query);
    const { enoughBytes, limit } = query;
    // The rows are found twice if one of the messages is not here, which must not take long.
    const isShort = chosen.client === this.#client && limit <= SHORT_PAGE;
    const unchanged = isShort ? await this.#unchanged(chosen, enoughBytes) : undefined;
    return unchanged ?? (await this.#read(chosen, enoughBytes));
  }

  /** The page, if all of its messages were read since the board last changed. */
  async #unchanged({ sql, values, direction }: Chosen, enoughBytes: number | undefined): Promise<Found | undefined> {
    if (!this.#current.isAt(this.#newestVersion())) return undefined;
    const [row] = await this.#client.ask<{ snapshot: string; places: readonly (readonly [position: number, seq: number])[] }>(
      `SELECT ${SNAPSHOT_READ} AS snapshot,
        coalesce(json_agg(json_build_array(p.position, p.seq) ORDER BY p.position ${direction}, p.seq ${direction}), '[]') AS places
        FROM (${sql}) p`,
      values,
    );
    if (row === undefined) return undefined;
    const { snapshot, places } = row;
    const messages = this.#current.find(
      snapshot,
      places.map(([, seq]) => seq),
    );
    if (messages === undefined) return undefined;
    costOfRows(places.length);
    const listed = messages.map((stored, i) => {
      const [key, seq] = places[i] as readonly [number, number];
      return { stored, position: { key, seq } };
    });
    return cutAt(enoughBytes, listed, ({ stored }) => utf8Length(stored.raw.payload));
  }

  /** First the rows of the page, then only those that are not cached. If one of them changes between the two reads, both are repeated. */
  async #read(chosen: Chosen, enoughBytes: number | undefined, repeats = REPEATS): Promise<Found> {
    const { sql, values, direction, client } = chosen;
    const [column, join] =
      enoughBytes === undefined ? ["", ""] : [", octet_length(c.payload) AS bytes", " JOIN contents c ON c.seq = m.seq"];
    const listed = await client.ask<PageRow>(
      `SELECT p.position, m.seq, m.id || m.xmin AS version, ${SNAPSHOT_READ} AS snapshot, ${FACT_COLUMNS}${column}
        FROM (${sql}) p JOIN messages m ON m.seq = p.seq${join} ${FACT_JOINS} ORDER BY p.position ${direction}, m.seq ${direction}`,
      values,
    );
    const { found: rows, isCut } = cutAt(enoughBytes, listed, ({ bytes = 0 }) => bytes);
    const cached = await this.#cache.of(rows);
    if (cached === undefined && repeats > 0) return this.#read(chosen, enoughBytes, repeats - 1);
    if (cached === undefined) return { found: await this.#messagesAtOnce(chosen), isCut: false };
    const found = cached.map((one, i) => {
      const row = rows[i] as PageRow;
      return { stored: storedMessageOf(one, row), position: { key: row.position, seq: row.seq } };
    });
    const [first] = rows;
    if (first !== undefined)
      this.#current.keep(
        first.snapshot,
        found.map(({ stored }) => [stored.state.seq, stored] as const),
      );
    return { found, isCut };
  }

  /** In one statement, between whose reads nothing can change. */
  async #messagesAtOnce({ sql, values, direction, client }: Chosen): Promise<readonly Listed[]> {
    const rows = await client.ask<{ position: number }>(
      `SELECT p.position, ${STORED_MESSAGE_COLUMNS} FROM (${sql}) p JOIN messages m ON m.seq = p.seq ${STORED_MESSAGE_JOINS}
        ORDER BY p.position ${direction}, m.seq ${direction}`,
      values,
    );
    const listed = rows.map(({ position, ...row }) => {
      const stored = this.#toStoredMessage(row);
      return { stored, position: { key: position, seq: stored.state.seq } };
    });
    costOfRows(
      rows.length,
      listed.reduce((sum, { stored }) => sum + utf8Length(stored.raw.payload), 0),
    );
    return listed;
  }

  async #tombstones(query: ListQuery): Promise<readonly Listed[]> {
    const conditions = tombstoneConditions(conditionsOf(query.condition));
    if (conditions === undefined) return [];
    const { sql, values, direction } = tombstonePage(query, conditions);
    // They have no index but that of seq.
    const isWalk = query.only === undefined && (query.order.key !== "seq" || !conditions.every(holdsMostly));
    const rows = await (isWalk ? this.#walks : this.#client).ask<{ position: number }>(
      `SELECT p.position, g.* FROM (${sql}) p JOIN (SELECT ${TOMBSTONE_COLUMNS} FROM gone) g ON g.seq = p.seq
        ORDER BY p.position ${direction}, p.seq ${direction}`,
      values,
    );
    return rows.map(({ position, ...row }) => {
      const tombstone = toTombstone(row);
      return { tombstone, position: { key: position, seq: tombstone.seq } };
    });
  }

  async #chosen(query: ListQuery): Promise<Chosen> {
    const conditions = conditionsOf(query.condition);
    const path = query.only === undefined ? await this.#paths.choose(conditions, query.order.key) : undefined;
    const short = query.only !== undefined || (path?.rows ?? Infinity) <= SORTABLE;
    const page = messagePage(query, conditions, path);
    const isWalk = !short && conditions.some((one) => one !== path?.condition && !holdsMostly(one));
    return { ...page, client: isWalk ? this.#walks : this.#client };
  }
}

/** The rows up to the one with which their payloads have enough bytes, and the next. */
function cutAt<Row>(enoughBytes: number | undefined, rows: readonly Row[], bytesOf: (row: Row) => number): Cut<Row> {
  let bytes = 0;
  const last = enoughBytes === undefined ? -1 : rows.findIndex((row) => (bytes += bytesOf(row)) >= enoughBytes);
  const found = last < 0 ? rows : rows.slice(0, last + 2);
  return { found, isCut: found.length < rows.length };
}

// Listings in PostgreSQL: first chooses the rows of a page, then fetches everything about them.
import { LIMITS } from "../../core/protocol/limits.ts";
import { utf8Length } from "../../core/protocol/encoding.ts";
import type { Condition } from "../../core/query/condition.ts";
import { nextSlice } from "../../ports/cpu-slices.ts";
import type { StoredMessage, Listed, ListQuery } from "../../ports/store.ts";
import type { SeenOf } from "../sql/message-caches.ts";
import {
  isCurrent,
  merged,
  mergedUntilEnd,
  conditionsOf,
  type SeqEnds,
  SHOWN_TOMBSTONES,
  tombstoneConditions,
  walkTombstones,
} from "../sql/shared-listing-parts.ts";
import { SORTABLE } from "../sql/lookup-table-spec.ts";
import { TOMBSTONES, toTombstone } from "../sql/rows.ts";
import { type AccessPath, AccessPathChooser } from "./access-path.ts";
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
import { type LookedRow, tombstonePage, messagePage, type PageSql } from "./page-sql.ts";

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

/** How the rows of a page are found; in portions, if that may take long. */
interface Plan {
  readonly conditions: readonly Condition[];
  readonly path: AccessPath | undefined;
  readonly isWalk: boolean;
}

/** How many rows the first statement of a walk looks at, for each that is wanted; a later one looks at more if the one before was short. */
const ROWS_PER_WANTED = 4;
const GROWTH = 4;
const [FEWEST_ROWS, FIRST_ROWS, MOST_ROWS] = [GROWTH ** 3, GROWTH ** 5, GROWTH ** 8];
const SHORT_MS = 20;

export class PostgresLister {
  readonly #client: Client;
  /** For statements that find the rows of long listings: however many there are, the others keep their connections. */
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
    const plan = await this.#plan(query);
    if (plan.isWalk) return this.#walk(query, plan)(query.limit);
    const { sql, values } = messagePage(query, plan.conditions, plan.path);
    return (await this.#client.ask<{ seq: number }>(sql, values)).map(({ seq }) => seq);
  }

  async count(query: ListQuery): Promise<number> {
    const plan = await this.#plan(query);
    if (plan.isWalk) return (await this.#walk(query, plan)(query.limit)).length;
    const { sql, values } = messagePage(query, plan.conditions, plan.path);
    const [row] = await this.#client.ask<{ found: number }>(`SELECT count(*) AS found FROM (${sql}) p`, values);
    return row?.found ?? 0;
  }

  async #storedMessages(query: ListQuery): Promise<Found> {
    const plan = await this.#plan(query);
    const { enoughBytes, limit } = query;
    if (plan.isWalk) return this.#walked(query, plan);
    const page = messagePage(query, plan.conditions, plan.path);
    // The rows are found twice if one of the messages is not here.
    const unchanged = limit <= SHORT_PAGE ? await this.#unchanged(page, enoughBytes) : undefined;
    return unchanged ?? (await this.#read(page, enoughBytes));
  }

  /** The rows are found first, and then read. Some may have changed in between, and others come in their place. */
  async #walked(query: ListQuery, plan: Plan): Promise<Found> {
    const { limit, enoughBytes } = query;
    const walk = this.#walk(query, plan);
    const found: Listed[] = [];
    for (let bytesLeft = enoughBytes; ;) {
      const only = await walk(limit - found.length);
      if (only.length === 0) return { found, isCut: false };
      const page = messagePage({ ...query, after: undefined, only }, plan.conditions, undefined);
      const read = await this.#read(page, bytesLeft);
      found.push(...read.found);
      if (read.isCut || found.length >= limit) return { found, isCut: read.isCut };
      if (bytesLeft !== undefined) bytesLeft -= read.found.reduce((sum, one) => sum + payloadBytes(one), 0);
    }
  }

  /**
   * Returns a function that finds the next rows, in the order of the page. Each of its statements looks at a number of rows, whether they
   * fit or not: other callers have their turn in between, and the caller pays for each.
   */
  #walk(query: ListQuery, { conditions, path }: Plan): (count: number) => Promise<readonly number[]> {
    let after = query.after;
    let isDone = false;
    let portion = powerOfGrowth(query.limit * ROWS_PER_WANTED);
    const found: number[] = [];
    /** A message whose place changes between two statements may come again. */
    const seen = new Set<number>();
    return async (count) => {
      while (found.length < count && !isDone) {
        if (after !== query.after) await nextSlice();
        const { sql, values } = messagePage({ ...query, after }, conditions, path, portion);
        let ms = 0;
        const rows = await this.#walks.ask<LookedRow>(sql, values, (took) => (ms = took));
        for (const { seq, fits } of rows) if (fits === 1 && !seen.has(seq)) found.push(seq);
        for (const { seq } of rows) seen.add(seq);
        const last = rows.at(-1);
        isDone = last?.n !== portion;
        if (last !== undefined) after = { key: last.position, seq: last.seq };
        portion = nextPortion(portion, ms);
      }
      return found.splice(0, count);
    };
  }

  /** The page, if all of its messages were read since the board last changed. */
  async #unchanged({ sql, values, direction }: PageSql, enoughBytes: number | undefined): Promise<Found | undefined> {
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
  async #read(page: PageSql, enoughBytes: number | undefined, repeats = REPEATS): Promise<Found> {
    const { sql, values, direction } = page;
    const [column, join] =
      enoughBytes === undefined ? ["", ""] : [", octet_length(c.payload) AS bytes", " JOIN contents c ON c.seq = m.seq"];
    const listed = await this.#client.ask<PageRow>(
      `SELECT p.position, m.seq, m.id || m.xmin AS version, ${SNAPSHOT_READ} AS snapshot, ${FACT_COLUMNS}${column}
        FROM (${sql}) p JOIN messages m ON m.seq = p.seq${join} ${FACT_JOINS} ORDER BY p.position ${direction}, m.seq ${direction}`,
      values,
    );
    const { found: rows, isCut } = cutAt(enoughBytes, listed, ({ bytes = 0 }) => bytes);
    const cached = await this.#cache.of(rows);
    if (cached === undefined && repeats > 0) return this.#read(page, enoughBytes, repeats - 1);
    if (cached === undefined) return { found: await this.#messagesAtOnce(page), isCut: false };
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
  async #messagesAtOnce({ sql, values, direction }: PageSql): Promise<readonly Listed[]> {
    const rows = await this.#client.ask<{ position: number }>(
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
    // They have no index but that of seq.
    const isWalk = query.only === undefined && (query.order.key !== "seq" || !conditions.every(isCurrent));
    if (!isWalk) return this.#tombstonesOf(this.#client, query, conditions);
    const [ends = NO_ENDS] = await this.#client.ask<SeqEnds>(SHOWN_TOMBSTONES, []);
    const lengths = { start: FIRST_ROWS, next: nextPortion };
    return walkTombstones(query, ends, lengths, (within) => this.#tombstonesOf(this.#walks, query, [...conditions, within]));
  }

  async #tombstonesOf(client: Client, query: ListQuery, conditions: readonly Condition[]): Promise<readonly Listed[]> {
    const { sql, values, direction } = tombstonePage(query, conditions);
    const rows = await client.ask<{ position: number }>(
      `SELECT p.position, g.* FROM (${sql}) p JOIN (${TOMBSTONES}) g ON g.seq = p.seq
        ORDER BY p.position ${direction}, p.seq ${direction}`,
      values,
    );
    return rows.map(({ position, ...row }) => {
      const tombstone = toTombstone(row);
      return { tombstone, position: { key: position, seq: tombstone.seq } };
    });
  }

  async #plan(query: ListQuery): Promise<Plan> {
    const conditions = conditionsOf(query.condition);
    const mostly = await this.#paths.mostly();
    const path = query.only === undefined ? await this.#paths.choose(conditions, mostly, query.order.key) : undefined;
    const short = query.only !== undefined || (path?.rows ?? Infinity) <= SORTABLE;
    return { conditions, path, isWalk: !short && conditions.some((one) => one !== path?.condition && !mostly(one)) };
  }
}

const NO_ENDS: SeqEnds = { first: null, last: null };

function nextPortion(portion: number, ms: number): number {
  if (ms < SHORT_MS) return Math.min(portion * GROWTH, MOST_ROWS);
  return ms > GROWTH * SHORT_MS ? Math.max(portion / GROWTH, FEWEST_ROWS) : portion;
}

/** The next power: the number is part of the statement, and few of these are kept. */
const powerOfGrowth = (rows: number): number =>
  Math.min(FIRST_ROWS, GROWTH ** Math.ceil(Math.log(Math.max(rows, FEWEST_ROWS)) / Math.log(GROWTH)));

const payloadBytes = (one: Listed): number => ("stored" in one ? utf8Length(one.stored.raw.payload) : 0);

/** The rows up to the one with which their payloads have enough bytes, and the next. */
function cutAt<Row>(enoughBytes: number | undefined, rows: readonly Row[], bytesOf: (row: Row) => number): Cut<Row> {
  let bytes = 0;
  const last = enoughBytes === undefined ? -1 : rows.findIndex((row) => (bytes += bytesOf(row)) >= enoughBytes);
  const found = last < 0 ? rows : rows.slice(0, last + 2);
  return { found, isCut: found.length < rows.length };
}

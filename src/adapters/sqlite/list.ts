// Listings in SQLite: chooses the leading index, scans in steps, and turns rows into messages.
import type { DatabaseSync, StatementSync } from "node:sqlite";
import { atLeast, type Condition } from "../../core/query/condition.ts";
import type { Position } from "../../core/query/order.ts";
import { BoundedCache } from "../../core/bounded-cache.ts";
import { utf8Length } from "../../core/protocol/encoding.ts";
import { nextSlice, slice } from "../../ports/cpu-slices.ts";
import type { Listed, ListQuery } from "../../ports/store.ts";
import { Binder } from "../sql/condition.ts";
import { AccessPathChooser } from "./access-path.ts";
import type { SqliteMessageCache } from "./message-cache.ts";
import { prepared, SQLITE_DIALECT } from "./dialect.ts";
import { LAST_SEQ, messagesByThread, NO_SEQ, pageSql, type ScanPlan, type ScanRange } from "./page-sql.ts";
import {
  isSeqRange,
  logTimes,
  merged,
  mergedUntilEnd,
  conditionsOf,
  endsOf,
  ORDER_COLUMN,
  type SeqEnds,
  SHOWN_TOMBSTONES,
  tombstoneConditions,
  walkTombstones,
} from "../sql/shared-listing-parts.ts";
import { SORTABLE } from "../sql/lookup-table-spec.ts";
import { TOMBSTONES, toTombstone } from "../sql/rows.ts";
import { lookupsFor } from "./condition-cost.ts";
import { SqliteRows } from "./statement-runner.ts";

const MAX_STATEMENTS = 200;

/** The result of one step; and where it stopped early because large messages take long to read. */
interface Look<Row> {
  readonly rows: readonly Row[];
  readonly stoppedAt?: Position | undefined;
  /** Nothing more is wanted after these rows. */
  readonly isLast?: boolean;
}

/** The rows of a scan, and whether nothing more is wanted after them. */
interface Scanned<Row> {
  readonly rows: Row[];
  readonly isLast: boolean;
}

const FIRST_SCAN_ROWS = 256;
const MIN_SCAN_ROWS = 64;
/** The longest step: slow rows may follow any number of fast ones. */
const MAX_SCAN_ROWS = 4096;
/** The target time of a step: some rows take a microsecond, others thirty. */
const SCAN_MS = 4;
/** More bytes of messages than this are read in several steps: the largest page is a hundred times as long. */
const SCAN_CHARS = 1024 * 1024;
const SYNC_SCAN_ROWS = 512;
/** More lookups than this are made in several steps, also if an index leads to few messages: 5,000 of them with 32 tags each took 110 ms. */
const MAX_LOOKUPS = 10_000;
/** As a limit: all rows. */
const ALL = -1;
/** The longest step where rows are looked up one by one: in an order other than that of seq, and among tombstones. */
const MAX_KEY_SCAN_ROWS = 1024;
export class SqliteLister {
  readonly #db: DatabaseSync;
  readonly #statements = new BoundedCache<string, StatementSync>(MAX_STATEMENTS);
  readonly #storedMessages: SqliteMessageCache;
  readonly #tombstoneBySeq: StatementSync;
  readonly #paths: AccessPathChooser;
  readonly #atOrAfter: StatementSync;
  readonly #bounds: StatementSync;
  readonly #seqs: StatementSync;
  readonly #shownTombstones: StatementSync;
  readonly #begin: StatementSync;
  readonly #commit: StatementSync;

  constructor(db: DatabaseSync, storedMessages: SqliteMessageCache) {
    this.#db = db;
    this.#storedMessages = storedMessages;
    this.#tombstoneBySeq = db.prepare(`${TOMBSTONES} WHERE seq = ?`);
    this.#paths = new AccessPathChooser(new SqliteRows(db));
    this.#atOrAfter = db.prepare("SELECT at FROM log WHERE seq >= ? ORDER BY seq LIMIT 1");
    this.#bounds = db.prepare(endsOf("log"));
    this.#seqs = db.prepare(endsOf("messages"));
    this.#shownTombstones = db.prepare(SHOWN_TOMBSTONES);
    this.#begin = db.prepare("BEGIN");
    this.#commit = db.prepare("COMMIT");
  }

  async list(query: ListQuery): Promise<Listed[]> {
    const { enoughBytes } = query;
    let bytes = 0;
    let isCut = false;
    const found = await this.#walk(this.#plan(query, "messages"), (plan, range) => {
      const hasEnough = enoughBytes !== undefined && bytes >= enoughBytes;
      // One more tells whether there is a next page.
      const look = this.#listed(plan, hasEnough ? { ...range, limit: 1 } : range);
      if (enoughBytes !== undefined) bytes += payloadBytes(look.rows);
      isCut = hasEnough && look.rows.length > 0;
      return { ...look, isLast: isCut };
    });
    if (query.removed !== true) return found;
    const plan = this.#plan(query, "gone");
    const conditions = tombstoneConditions(plan.conditions);
    if (conditions === undefined) return found;
    const tombstones = await this.#walkTombstones({ ...plan, conditions });
    return isCut ? mergedUntilEnd(query, found, tombstones) : merged(query, found, tombstones);
  }

  #walkTombstones(plan: ScanPlan): Promise<readonly Listed[]> {
    const ends = this.#shownTombstones.get() as unknown as SeqEnds;
    const lengths = {
      start: FIRST_SCAN_ROWS,
      next: (length: number, ms: number) => Math.min(MAX_KEY_SCAN_ROWS, nextLength(length, ms)),
    };
    const { after, limit, conditions } = plan;
    return walkTombstones(plan, ends, lengths, (within) =>
      slice(() => this.#tombstones({ ...plan, conditions: [...conditions, within] }, { after, upTo: undefined, limit })),
    );
  }

  /** The listing in one step, or undefined: if the first messages are not enough, the scan may be long. */
  listNow(query: ListQuery): Listed[] | undefined {
    if (query.removed === true) return undefined;
    const plan = this.#plan(query, "messages");
    const { after, limit, order } = plan;
    if (takesLong(plan)) return undefined;
    const short = isShort(plan);
    if (!short && order.key !== "seq") return undefined;
    const upTo = short ? undefined : this.#seqEnd(plan, after, SYNC_SCAN_ROWS);
    const { rows, stoppedAt } = this.#listed(plan, { after, upTo, limit });
    if (stoppedAt !== undefined) return undefined;
    return upTo === undefined || rows.length >= limit ? [...rows] : undefined;
  }

  seqs(query: ListQuery): Promise<number[]> {
    return this.#walk(this.#plan(query, "messages"), (plan, range) => ({
      rows: this.#rows(plan, range, "seq").map(([seq]) => seq),
    }));
  }

  #plan(query: ListQuery, source: ScanPlan["source"]): ScanPlan {
    const conditions = this.#withSeqBounds(query.condition);
    const path = query.only === undefined && source === "messages" ? this.#paths.choose(conditions, query.order.key) : undefined;
    const mostly = this.#paths.mostly();
    const sortsRange = query.order.key !== "activity" && conditions.some(isSeqRange) && conditions.every(mostly);
    const { low, high } = sortsRange ? this.#rangeOf(conditions) : { low: 0, high: Infinity };
    return { ...query, source, conditions, mostly, path, sortsRange: high - low < SORTABLE };
  }

  #rangeOf(conditions: readonly Condition[]): { readonly low: number; readonly high: number } {
    const ranges = conditions.filter(isSeqRange);
    const { first, last } = this.#seqs.get() as { first: number | null; last: number | null };
    const low = Math.max(first ?? 0, ...ranges.map(({ min = 0 }) => min));
    const high = Math.min(last ?? 0, ...ranges.map(({ max = Infinity }) => max));
    return { low, high };
  }

  async #walk<Row>(plan: ScanPlan, look: (plan: ScanPlan, range: ScanRange) => Look<Row>): Promise<Row[]> {
    return takesLong(plan) ? this.#test(plan, look) : (await this.#scan(plan, look)).rows;
  }

  /** Tests the messages that an index leads to, in the order of the listing, some at a time. */
  async #test<Row>(plan: ScanPlan, look: (plan: ScanPlan, range: ScanRange) => Look<Row>): Promise<Row[]> {
    const { after, path, limit } = plan;
    const conditions = plan.conditions.filter((one) => one === path?.condition || plan.mostly(one));
    const places = slice(() => this.#rows({ ...plan, conditions }, { after, upTo: undefined, limit: ALL }, "seq"));
    const rows: Row[] = [];
    for (let at = 0, length = MIN_SCAN_ROWS; at < places.length;) {
      await nextSlice();
      const began = performance.now();
      const only = places.slice(at, at + length).map(([seq]) => seq);
      const scanned = await this.#scan({ ...plan, path: undefined, only, limit: limit - rows.length }, look);
      rows.push(...scanned.rows);
      if (scanned.isLast || rows.length >= limit) return rows;
      at += length;
      length = nextLength(length, performance.now() - began);
    }
    return rows;
  }

  /** In steps until there is enough; a scan that cannot be long is one step. */
  async #scan<Row>(plan: ScanPlan, look: (plan: ScanPlan, range: ScanRange) => Look<Row>): Promise<Scanned<Row>> {
    const { after, limit } = plan;
    const short = isShort(plan);
    const found: Row[] = [];
    let from = after;
    for (let length = FIRST_SCAN_ROWS; ;) {
      const began = performance.now();
      let isLast = false;
      const upTo = slice(() => {
        const end = short ? undefined : plan.order.key === "seq" ? this.#seqEnd(plan, from, length) : this.#keyEnd(plan, from, length);
        const looked = look(plan, { after: from, upTo: end, limit: limit - found.length });
        found.push(...looked.rows);
        isLast = looked.isLast === true;
        return looked.stoppedAt ?? end;
      });
      if (isLast || upTo === undefined || found.length >= limit) return { rows: found, isLast };
      from = upTo;
      length = nextLength(length, performance.now() - began);
      await nextSlice();
    }
  }

  /** The position this many seqs further; undefined if that is past the end. */
  #seqEnd({ order, conditions }: ScanPlan, from: Position | undefined, length: number): Position | undefined {
    const { low, high } = this.#rangeOf(conditions);
    const end = order.descending ? Math.min(from?.seq ?? Infinity, high + 1) - length : Math.max(from?.seq ?? 0, low - 1) + length;
    return end <= low || end >= high ? undefined : { key: end, seq: end };
  }

  /**
   * The position this many messages further in the order of the listing. A step covers whole runs of equal keys, or a part of one run: if
   * it covered several runs, no index could tell where in the last run to stop.
   */
  #keyEnd({ order: { key, descending }, conditions }: ScanPlan, from: Position | undefined, length: number): Position | undefined {
    const binder = new Binder(SQLITE_DIALECT);
    const direction = descending ? "DESC" : "ASC";
    const column = ORDER_COLUMN[key];
    const how = descending ? "<" : ">";
    const [start, end] = descending ? [LAST_SEQ, NO_SEQ] : [NO_SEQ, LAST_SEQ];
    const rows = key === "activity" ? messagesByThread(conditions) : "messages m";
    const on = (condition: string): Position | undefined =>
      this.#statement(
        `SELECT ${column} AS key, m.seq FROM ${rows} WHERE ${condition} ORDER BY ${column} ${direction}, m.seq ${direction} LIMIT 1 OFFSET ${Math.min(length, MAX_KEY_SCAN_ROWS)}`,
      ).get(...binder.values) as Position | undefined;
    if (from !== undefined && from.seq !== end)
      return on(`${column} = ${binder.bind(from.key)} AND m.seq ${how} ${binder.bind(from.seq)}`) ?? { key: from.key, seq: end };
    const next = on(from === undefined ? "1 = 1" : `${column} ${how} ${binder.bind(from.key)}`);
    return next === undefined ? undefined : { key: next.key, seq: start };
  }

  /** In one transaction: a message that the writer deletes between the rows and the messages would end the page early. */
  #listed(plan: ScanPlan, range: ScanRange): Look<Listed> {
    this.#begin.run();
    try {
      const storedMessages = this.#storedMessages.current();
      const rows: Listed[] = [];
      let chars = 0;
      const places = this.#rows(plan, range);
      for (const [seq, key] of places) {
        const stored = storedMessages.bySeq(seq);
        if (stored === undefined) throw new Error(`Message ${seq} has a row and no content.`);
        const position = { key, seq };
        rows.push({ stored, position });
        chars += stored.raw.payload.length;
        if (rows.length < places.length && chars >= SCAN_CHARS) return { rows, stoppedAt: position };
      }
      return { rows };
    } finally {
      this.#commit.run();
    }
  }

  #tombstones(plan: ScanPlan, range: ScanRange): Listed[] {
    return this.#rows(plan, range).flatMap(([seq, key]) => {
      const row = this.#tombstoneBySeq.get(seq);
      return row === undefined ? [] : [{ tombstone: toTombstone(row), position: { key, seq } }];
    });
  }

  /** Seqs, or seqs and positions. */
  #rows(plan: ScanPlan, range: ScanRange, columns: "seq" | "seq and position" = "seq and position"): [number, number][] {
    const { sql, values } = pageSql(plan, range, columns);
    const statement = this.#statement(sql);
    // Arrays are made faster than objects.
    statement.setReturnArrays(true);
    return statement.all(...values) as unknown as [number, number][];
  }

  /** The top-level conditions, one by one; times of receipt also as bounds of seq, at which the scan can stop. */
  #withSeqBounds(condition: Condition): readonly Condition[] {
    const parts = conditionsOf(condition).flatMap((one) => (isByVotes(one) ? [VERIFIED, one] : [one]));
    const bounds = parts.flatMap((one): Condition[] => {
      const times = logTimes(one);
      if (times === undefined) return [];
      const { from, before } = times;
      const range = {
        ...(from === undefined ? {} : { min: this.seqAt(from) }),
        ...(before === undefined ? {} : { max: this.seqAt(before) - 1 }),
      };
      return [{ is: "between", field: "seq", ...range }];
    });
    return [...parts, ...bounds];
  }

  /** The first seq at or after a time: the log is ordered by both. */
  seqAt(ms: number): number {
    const { first, last } = this.#bounds.get() as { first: number | null; last: number | null };
    let low = first ?? 1;
    let high = (last ?? 0) + 1;
    while (low < high) {
      const middle = Math.floor((low + high) / 2);
      const at = this.#atOrAfter.get(middle)?.["at"] as number | undefined;
      if (at !== undefined && at < ms) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  #statement(sql: string): StatementSync {
    return this.#statements.of(sql, () => prepared(this.#db, sql));
  }
}

/** As many rows as would have taken the target time, but never many more than before: the next ones may be slow. */
function nextLength(length: number, ms: number): number {
  const fitting = length * Math.min(2, SCAN_MS / Math.max(ms, 0.1));
  // Powers of two: the length is part of some statements, and few of these are cached.
  return Math.min(Math.max(2 ** Math.floor(Math.log2(fitting)), MIN_SCAN_ROWS), MAX_SCAN_ROWS);
}

/** Most messages have no votes, which their own row shows. The votes of such a message need not be looked up. */
const VERIFIED = atLeast("verifies", 1);
const isByVotes = (condition: Condition): boolean =>
  (condition.is === "hasAny" || condition.is === "hasAll") && condition.field === "verifiedBy" && condition.values.length > 0;

/** Whether to test all messages that an index leads to, or that were chosen before, would take long. */
function takesLong({ source, only, conditions, path }: ScanPlan): boolean {
  const led = path !== undefined && path.rows <= SORTABLE ? path.rows : 0;
  const rows = source === "gone" ? 0 : (only?.length ?? led);
  const lookups = conditions.reduce((sum, one) => sum + (one === path?.condition ? 0 : lookupsFor(one)), 0);
  return rows * lookups > MAX_LOOKUPS;
}

/** Whether the scan is short: nearly every row that it reads matches, or there are few rows to read. */
function isShort({ source, only, conditions, mostly, path, order, sortsRange }: ScanPlan): boolean {
  if (source === "gone" || only !== undefined || (path !== undefined && path.rows <= SORTABLE)) return true;
  // The rows of a path in the order of the listing are read until there are enough; all of them match what the path stands for.
  const led = order.key === "seq" && path?.inOrder === true && !path.nearby ? path.condition : undefined;
  const others = conditions.filter((one) => one !== led);
  return others.every(mostly) && (order.key === "seq" || sortsRange || !conditions.some(isSeqRange));
}

const payloadBytes = (rows: readonly Listed[]): number =>
  rows.reduce((sum, row) => sum + ("stored" in row ? utf8Length(row.stored.raw.payload) : 0), 0);

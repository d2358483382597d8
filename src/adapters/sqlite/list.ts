// Listings in SQLite: chooses the leading index, builds the statement, and turns its rows into messages.
import type { DatabaseSync, StatementSync } from "node:sqlite";
import { atLeast, type Condition } from "../../core/query/condition.ts";
import type { Position } from "../../core/query/order.ts";
import { BoundedCache } from "../../core/bounded-cache.ts";
import { nextSlice, slice } from "../../ports/cpu-slices.ts";
import type { Listed, ListQuery } from "../../ports/store.ts";
import { Binder, conditionSql, rangeSql } from "../sql/condition.ts";
import { type AccessPath, AccessPathChooser } from "./access-path.ts";
import type { SqliteMessageCache } from "./message-cache.ts";
import { prepared, SQLITE_DIALECT } from "./dialect.ts";
import { threadOf } from "./thread-number-sql.ts";
import {
  TOMBSTONES_AS_MESSAGES,
  holdsMostly,
  isSeqRange,
  logTimes,
  merged,
  conditionsOf,
  ORDER_COLUMN,
  orderColumnOf,
  tombstoneConditions,
  type SeqRange,
} from "../sql/shared-listing-parts.ts";
import { SORTABLE } from "../sql/lookup-table-spec.ts";
import { TOMBSTONE_COLUMNS, toTombstone } from "../sql/rows.ts";
import { SqliteRows } from "./statement-runner.ts";

const MAX_STATEMENTS = 200;

/** The tables of rows; a listing of both scans each separately and merges them. */
type Source = "messages" | "gone";

/** How a listing is scanned; the same for all its steps. */
interface Plan extends ListQuery {
  readonly source: Source;
  readonly conditions: readonly Condition[];
  readonly path: AccessPath | undefined;
}

/** The result of one step; and where it stopped early because large messages take long to read. */
interface Look<Row> {
  readonly rows: readonly Row[];
  readonly stoppedAt?: Position | undefined;
  /** The length of their payloads. */
  readonly chars?: number;
  /** Nothing more is wanted after these rows. */
  readonly isLast?: boolean;
}

/** The part of a scan that one statement reads; other requests run between two of them. */
interface ScanRange {
  readonly after: Position | undefined;
  readonly upTo: Position | undefined;
  readonly limit: number;
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
/** The longest step where rows are looked up one by one: in an order other than that of seq, and among tombstones. */
const MAX_KEY_SCAN_ROWS = 1024;
/** NO_SEQ comes before every seq, LAST_SEQ after every seq. */
const NO_SEQ = -1;
const LAST_SEQ = Number.MAX_SAFE_INTEGER;

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
    this.#tombstoneBySeq = db.prepare(`SELECT ${TOMBSTONE_COLUMNS} FROM gone WHERE seq = ?`);
    this.#paths = new AccessPathChooser(new SqliteRows(db));
    this.#atOrAfter = db.prepare("SELECT at FROM log WHERE seq >= ? ORDER BY seq LIMIT 1");
    this.#bounds = db.prepare("SELECT (SELECT min(seq) FROM log) AS first, (SELECT max(seq) FROM log) AS last");
    this.#seqs = db.prepare("SELECT (SELECT min(seq) FROM messages) AS first, (SELECT max(seq) FROM messages) AS last");
    this.#shownTombstones = db.prepare(
      "SELECT (SELECT min(seq) FROM gone WHERE reason IN ('removed', 'retracted')) AS first, (SELECT max(seq) FROM gone WHERE reason IN ('removed', 'retracted')) AS last",
    );
    this.#begin = db.prepare("BEGIN");
    this.#commit = db.prepare("COMMIT");
  }

  async list(query: ListQuery): Promise<Listed[]> {
    const enough = query.removed ? Infinity : (query.enoughBytes ?? Infinity);
    let chars = 0;
    const found = await this.#walk(this.#plan(query, "messages"), (plan, range) => {
      const hadEnough = chars >= enough;
      const look = this.#listed(plan, range);
      chars += look.chars ?? 0;
      return { ...look, isLast: hadEnough && look.rows.length > 0 };
    });
    if (!query.removed) return found;
    const plan = this.#plan(query, "gone");
    const conditions = tombstoneConditions(plan.conditions);
    return conditions === undefined ? found : merged(query, found, await this.#walkTombstones({ ...plan, conditions }));
  }

  /** Scans tombstones by seq, whatever the order of the listing: there is an index for exactly that. */
  async #walkTombstones(plan: Plan): Promise<Listed[]> {
    const { after, limit, order } = plan;
    const { first, last } = this.#shownTombstones.get() as { first: number | null; last: number | null };
    if (first === null || last === null) return [];
    const found: Listed[] = [];
    const backwards = order.key === "seq" && order.descending;
    for (let from = backwards ? last : first, length = FIRST_SCAN_ROWS; backwards ? from >= first : from <= last;) {
      const began = performance.now();
      const range = backwards ? { min: from - length + 1, max: from } : { min: from, max: from + length - 1 };
      const within: Condition = { is: "between", field: "seq", ...range };
      slice(() =>
        found.push(...this.#tombstones({ ...plan, conditions: [...plan.conditions, within] }, { after, upTo: undefined, limit })),
      );
      // In the order of seq, the first ones are the wanted ones.
      if (order.key === "seq" && found.length >= limit) break;
      if (found.length > limit) found.splice(0, found.length, ...merged(plan, found, []));
      from += backwards ? -length : length;
      length = Math.min(MAX_KEY_SCAN_ROWS, nextLength(length, performance.now() - began));
      await nextSlice();
    }
    return merged(plan, found, []);
  }

  /** The listing in one step, or undefined: if the first messages are not enough, the scan may be long. */
  listNow(query: ListQuery): Listed[] | undefined {
    if (query.removed) return undefined;
    const plan = this.#plan(query, "messages");
    const { after, limit, order } = plan;
    const short = isShort(plan);
    if (!short && order.key !== "seq") return undefined;
    const upTo = short ? undefined : this.#seqEnd(plan, after, SYNC_SCAN_ROWS);
    const { rows, stoppedAt } = this.#listed(plan, { after, upTo, limit });
    if (stoppedAt !== undefined) return undefined;
    return upTo === undefined || rows.length >= limit ? [...rows] : undefined;
  }

  seqs(query: ListQuery): Promise<number[]> {
    return this.#walk(this.#plan(query, "messages"), (plan, range) => ({
      rows: this.#rows(plan, range, "m.seq").map(([seq]) => seq),
    }));
  }

  #plan(query: ListQuery, source: Source): Plan {
    const conditions = this.#withSeqBounds(query.condition);
    const path = query.only === undefined && source === "messages" ? this.#paths.choose(conditions, query.order.key) : undefined;
    return { ...query, source, conditions, path };
  }

  /** In steps until there is enough; a scan that cannot be long is one step. */
  async #walk<Row>(plan: Plan, look: (plan: Plan, range: ScanRange) => Look<Row>): Promise<Row[]> {
    const { after, limit } = plan;
    const short = isShort(plan);
    const found: Row[] = [];
    let from = after;
    for (let length = FIRST_SCAN_ROWS; ;) {
      const began = performance.now();
      const upTo = slice(() => {
        const end = short ? undefined : plan.order.key === "seq" ? this.#seqEnd(plan, from, length) : this.#keyEnd(plan, from, length);
        const { rows, stoppedAt = end, isLast = false } = look(plan, { after: from, upTo: end, limit: limit - found.length });
        found.push(...rows);
        return isLast ? undefined : stoppedAt;
      });
      if (upTo === undefined || found.length >= limit) return found;
      from = upTo;
      length = nextLength(length, performance.now() - began);
      await nextSlice();
    }
  }

  /** The position this many seqs further; undefined if that is past the end. */
  #seqEnd({ order, conditions }: Plan, from: Position | undefined, length: number): Position | undefined {
    const ranges = conditions.filter(isSeqRange);
    const { first, last } = this.#seqs.get() as { first: number | null; last: number | null };
    const low = Math.max(first ?? 0, ...ranges.map(({ min = 0 }) => min));
    const high = Math.min(last ?? 0, ...ranges.map(({ max = Infinity }) => max));
    const end = order.descending ? Math.min(from?.seq ?? Infinity, high + 1) - length : Math.max(from?.seq ?? 0, low - 1) + length;
    return end <= low || end >= high ? undefined : { key: end, seq: end };
  }

  /**
   * The position this many messages further in the order of the listing. A step covers whole runs of equal keys, or a part of one run: if
   * it covered several runs, no index could tell where in the last run to stop.
   */
  #keyEnd({ order: { key, descending } }: Plan, from: Position | undefined, length: number): Position | undefined {
    const binder = new Binder(SQLITE_DIALECT);
    const direction = descending ? "DESC" : "ASC";
    const column = ORDER_COLUMN[key];
    const how = descending ? "<" : ">";
    const [start, end] = descending ? [LAST_SEQ, NO_SEQ] : [NO_SEQ, LAST_SEQ];
    const rows = key === "activity" ? "threads t CROSS JOIN messages m ON m.thread = t.number" : "messages m";
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
  #listed(plan: Plan, range: ScanRange): Look<Listed> {
    this.#begin.run();
    try {
      const storedMessages = this.#storedMessages.current();
      const rows: Listed[] = [];
      let chars = 0;
      const places = this.#rows(plan, range, `m.seq, ${orderColumn(plan)} AS position`);
      for (const [seq, key] of places) {
        const stored = storedMessages.bySeq(seq);
        if (stored === undefined) throw new Error(`Message ${seq} has a row and no content.`);
        const position = { key, seq };
        rows.push({ stored, position });
        chars += stored.raw.payload.length;
        if (rows.length < places.length && chars >= SCAN_CHARS) return { rows, chars, stoppedAt: position };
      }
      return { rows, chars };
    } finally {
      this.#commit.run();
    }
  }

  #tombstones(plan: Plan, range: ScanRange): Listed[] {
    return this.#rows(plan, range, `m.seq, ${orderColumn(plan)} AS position`).flatMap(([seq, key]) => {
      const row = this.#tombstoneBySeq.get(seq);
      return row === undefined ? [] : [{ tombstone: toTombstone(row), position: { key, seq } }];
    });
  }

  #rows({ order, source, only, conditions, path }: Plan, { after, upTo, limit }: ScanRange, columns: string): [number, number][] {
    const binder = new Binder(SQLITE_DIALECT);
    const direction = order.descending ? "DESC" : "ASC";
    const byThread = order.key === "activity" && path === undefined && only === undefined && source === "messages";
    const messages = source === "gone" ? TOMBSTONES_AS_MESSAGES : "messages";

    let from = byThread ? `threads t CROSS JOIN ${messages} m ON m.thread = t.number` : `${messages} m`;
    if (path?.from !== undefined) from = `${path.from(binder)} d CROSS JOIN messages m ON m.seq = d.seq`;
    if (!byThread && order.key === "activity")
      from += ` LEFT JOIN threads t ON t.number = ${source === "gone" ? threadOf("m.root") : "m.thread"}`;
    // Seqs come from the leading table if there is one, so that its index gives bounds and order.
    const seq = path?.from === undefined ? "m.seq" : "d.seq";
    const where = conditions
      .filter((one) => !isSeqRange(one) && (path?.from === undefined || path.nearby || one !== path.condition))
      .map((one) => conditionSql(one, binder, path?.condition));
    if (only !== undefined) where.push(`m.seq IN (SELECT value FROM json_each(${binder.bind(JSON.stringify(only))}))`);
    const key = order.key === "seq" ? seq : orderColumn({ order, source });
    // Inside a long run of equal keys, only bounds of seq tell an index where to start.
    const within = after !== undefined && upTo !== undefined && after.key === upTo.key && key !== seq;
    if (within) where.push(`${key} = ${binder.bind(after.key)}`);
    const bySeq = within || key === seq;
    if (after !== undefined && !bySeq) where.push(compared(key, seq, order.descending ? "<" : ">", after, binder));
    if (upTo !== undefined && !bySeq) where.push(compared(key, seq, order.descending ? ">=" : "<=", upTo, binder));
    // One range: of several, SQLite uses the first for its index and skips the rest row by row.
    const range = seqRange(conditions.filter(isSeqRange), bySeq ? { after, upTo, descending: order.descending } : undefined);
    if (range !== undefined) where.push(rangeSql(seq, range, binder));
    const by = order.key === "seq" ? `${seq} ${direction}` : `${key} ${direction}, ${seq} ${direction}`;
    const sql = `SELECT ${columns} FROM ${from} WHERE ${where.join(" AND ")} ORDER BY ${by} LIMIT +${binder.bind(limit)}`;
    return this.#listStatement(sql).all(...binder.values) as unknown as [number, number][];
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

  /** Rows as arrays, which are made faster than objects. */
  #listStatement(sql: string): StatementSync {
    const statement = this.#statement(sql);
    statement.setReturnArrays(true);
    return statement;
  }

  #statement(sql: string): StatementSync {
    return this.#statements.of(sql, () => prepared(this.#db, sql));
  }
}

/** The intersection of all these ranges of seq, and a step of the scan. */
function seqRange(
  ranges: readonly SeqRange[],
  scanned: (Pick<ScanRange, "after" | "upTo"> & { readonly descending: boolean }) | undefined,
): SeqRange | undefined {
  const { after, upTo, descending = false } = scanned ?? {};
  const [low, high] = descending ? [upTo?.seq, after && after.seq - 1] : [after && after.seq + 1, upTo?.seq];
  const min = Math.max(low ?? -Infinity, ...ranges.map((range) => range.min ?? -Infinity));
  const max = Math.min(high ?? Infinity, ...ranges.map((range) => range.max ?? Infinity));
  const bounds = { ...(min === -Infinity ? {} : { min }), ...(max === Infinity ? {} : { max }) };
  return Object.keys(bounds).length === 0 ? undefined : { is: "between", field: "seq", ...bounds };
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

const orderColumn = ({ order, source }: Pick<Plan, "order" | "source">): string => orderColumnOf(order.key, source);

/** Rows before or after a position of the scan. */
function compared(key: string, seq: string, how: "<" | ">" | "<=" | ">=", { key: value, seq: last }: Position, binder: Binder): string {
  const strictly = how.charAt(0);
  // Before or after a whole run of equal keys: no seq has to be compared.
  if (last === NO_SEQ || last === LAST_SEQ)
    return `${key} ${strictly}${(last === NO_SEQ) === (strictly === ">") ? "=" : ""} ${binder.bind(value)}`;
  return `(${key} ${strictly}= ${binder.bind(value)} AND (${key} ${strictly} ${binder.bind(value)} OR ${seq} ${how} ${binder.bind(last)}))`;
}

/** Whether the scan is short: nearly every row matches, or there are few rows to read. */
function isShort({ source, only, conditions, path }: Plan): boolean {
  if (source === "gone" || only !== undefined || (path !== undefined && path.rows <= SORTABLE)) return true;
  return conditions.every(holdsMostly);
}

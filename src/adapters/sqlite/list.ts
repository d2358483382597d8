// Listings in SQLite: which index drives the walk, the statement for it, and its rows as cards.
import type { DatabaseSync, StatementSync } from "node:sqlite";
import type { Condition } from "../../core/query/condition.ts";
import type { OrderKey, Position } from "../../core/query/order.ts";
import type { Listed, ListQuery } from "../../ports/store.ts";
import { Binder, conditionSql, type Dialect, rangeSql } from "../sql/condition.ts";
import type { SqliteCards } from "./cards.ts";
import { DriverChooser } from "./driver.ts";
import { GONE_COLUMNS, toGone } from "./rows.ts";

/** A unary plus keeps SQLite's planner away from a column's index. */
const SQLITE_DIALECT: Dialect = { placeholder: () => "?", opaque: (column) => `+${column}` };

const ORDER_COLUMN: Record<OrderKey, string> = {
  seq: "m.seq",
  activity: "t.last_activity",
  expiresAt: "m.expires_at",
  verifies: "m.verifies",
  bits: "m.bits",
};

const STATEMENTS_KEPT = 200;

/** Tombstones in the shape of messages: what they no longer have is empty. */
const WITH_GONE = `(
  SELECT seq, id, author, kind, root, received_at, expires_at, "to", bits, assisted, has_data, has_attachment, lang, replied_to, status, verifies,
    refutes, replies, answers, answers_verified, answers_disputed, signals, resolved_by_author, duplicate_of, claimed_by, lease_until, claim_seq,
    superseded_by, superseded_at, withdrawn, NULL AS gone_reason, NULL AS gone_at, NULL AS statement FROM messages
  UNION ALL
  SELECT seq, id, author, kind, root, received_at, 9007199254740991, NULL, 0, 0, 0, 0, NULL, NULL, '', 0,
    0, 0, 0, 0, 0, NULL, 0, NULL, NULL, NULL, NULL, NULL, NULL, 0, reason, at, statement FROM gone WHERE reason IN ('removed', 'retracted')
)`;

export class SqliteLister {
  readonly #db: DatabaseSync;
  readonly #statements = new Map<string, StatementSync>();
  readonly #cards: SqliteCards;
  readonly #goneBySeq: StatementSync;
  readonly #drivers: DriverChooser;
  readonly #atOrAfter: StatementSync;
  readonly #bounds: StatementSync;
  readonly #begin: StatementSync;
  readonly #commit: StatementSync;

  constructor(db: DatabaseSync, cards: SqliteCards) {
    this.#db = db;
    this.#cards = cards;
    this.#goneBySeq = db.prepare(`SELECT ${GONE_COLUMNS} FROM gone WHERE seq = ?`);
    this.#drivers = new DriverChooser(db);
    this.#atOrAfter = db.prepare("SELECT at FROM log WHERE seq >= ? ORDER BY seq LIMIT 1");
    this.#bounds = db.prepare("SELECT (SELECT min(seq) FROM log) AS first, (SELECT max(seq) FROM log) AS last");
    this.#begin = db.prepare("BEGIN");
    this.#commit = db.prepare("COMMIT");
  }

  /** In one transaction: a message that the writer takes away between the rows and the cards would end the pages early. */
  list(query: ListQuery): Listed[] {
    this.#begin.run();
    try {
      return this.#listed(query);
    } finally {
      this.#commit.run();
    }
  }

  #listed(query: ListQuery): Listed[] {
    const key = orderColumn(query);
    const cards = this.#cards.current();
    return this.#rows(query, `m.seq, ${key} AS position${query.removed ? ", m.gone_reason AS reason" : ""}`).flatMap((row): Listed[] => {
      const seq = row["seq"] as number;
      const position = { key: row["position"] as number, seq };
      if (typeof row["reason"] === "string") return [{ gone: toGone(this.#goneBySeq.get(seq)), position }];
      const card = cards.bySeq(seq);
      if (card === undefined) throw new Error(`Message ${seq} has a row and no content.`);
      return [{ card, position }];
    });
  }

  seqs(query: ListQuery): number[] {
    return this.#rows(query, "m.seq").map((row) => row["seq"] as number);
  }

  #rows(query: ListQuery, columns: string): Record<string, unknown>[] {
    const { order, after, limit, removed, only } = query;
    const binder = new Binder(SQLITE_DIALECT);
    const conditions = this.#withSeqBounds(query.condition);
    const driver = only === undefined && !removed ? this.#drivers.choose(conditions, order.key) : undefined;
    const direction = order.descending ? "DESC" : "ASC";
    const byThread = order.key === "activity" && driver === undefined && only === undefined && !removed;
    const messages = removed ? WITH_GONE : "messages";

    let from = byThread ? `threads t CROSS JOIN ${messages} m ON m.root = t.root` : `${messages} m`;
    if (driver?.from !== undefined) from = `${driver.from(binder)} d CROSS JOIN messages m ON m.seq = d.seq`;
    if (!byThread && order.key === "activity") from += " LEFT JOIN threads t ON t.root = m.root";
    // Sequences come from the driving table where there is one, so that its index gives bounds and order.
    const seq = driver?.from === undefined ? "m.seq" : "d.seq";
    const where = conditions
      .filter((one) => driver?.from === undefined || one !== driver.condition)
      .map((one) => (isSeqRange(one) ? rangeSql(seq, one, binder) : conditionSql(one, binder, driver?.condition)));
    if (only !== undefined) where.push(`m.seq IN (SELECT value FROM json_each(${binder.bind(JSON.stringify(only))}))`);
    const key = orderColumn(query);
    if (after !== undefined) where.push(afterSql(order.key === "seq" ? seq : key, seq, after, order.descending, binder));
    const by = order.key === "seq" ? `${seq} ${direction}` : `${key} ${direction}, ${seq} ${direction}`;
    const sql = `SELECT ${columns} FROM ${from} WHERE ${where.join(" AND ")} ORDER BY ${by} LIMIT +${binder.bind(limit)}`;
    return this.#statement(sql).all(...binder.values);
  }

  /** The top-level conditions, one by one; times of receipt also as bounds of seq, which the walk can stop at. */
  #withSeqBounds(condition: Condition): readonly Condition[] {
    const parts =
      condition.is === "and"
        ? condition.of.flatMap((one) => (one.is === "hasAll" ? one.values.map((value) => ({ ...one, values: [value] })) : [one]))
        : [condition];
    const bounds = parts.flatMap((one): Condition[] => {
      if (one.is !== "between" || one.field !== "receivedAt") return [];
      const range = {
        ...(one.min === undefined ? {} : { min: this.seqAt(one.min) }),
        ...(one.max === undefined ? {} : { max: this.seqAt(one.max + 1) - 1 }),
      };
      return [{ is: "between", field: "seq", ...range }];
    });
    return [...parts, ...bounds];
  }

  /** The first seq at or after a time: the log is in order of both. */
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
    let statement = this.#statements.get(sql);
    if (statement === undefined) {
      if (this.#statements.size >= STATEMENTS_KEPT) this.#statements.clear();
      this.#statements.set(sql, (statement = this.#db.prepare(sql)));
    }
    return statement;
  }
}

/** A thread that nobody is left in is forgotten, but its tombstones are still listed where asked for. */
function orderColumn({ order, removed }: Pick<ListQuery, "order" | "removed">): string {
  return order.key === "activity" && removed ? "coalesce(t.last_activity, m.received_at)" : ORDER_COLUMN[order.key];
}

type SeqRange = Extract<Condition, { is: "between" }>;
const isSeqRange = (condition: Condition): condition is SeqRange => condition.is === "between" && condition.field === "seq";

function afterSql(key: string, seq: string, { key: value, seq: last }: Position, descending: boolean, binder: Binder): string {
  const past = descending ? "<" : ">";
  if (key === seq) return `${seq} ${past} ${binder.bind(last)}`;
  return `(${key} ${past}= ${binder.bind(value)} AND (${key} ${past} ${binder.bind(value)} OR ${seq} ${past} ${binder.bind(last)}))`;
}

// Listings in SQLite: which index drives the walk, the statement for it, and its rows as cards.
import type { DatabaseSync, StatementSync } from "node:sqlite";
import type { Condition } from "../../core/query/condition.ts";
import type { OrderKey, Position } from "../../core/query/order.ts";
import type { Card, Listed, ListQuery } from "../../ports/store.ts";
import { Binder, conditionSql, type Dialect, rangeSql } from "../sql/condition.ts";
import { DriverChooser } from "./driver.ts";
import { STANDING_COLUMNS, toStanding } from "./rows.ts";

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
  readonly #drivers: DriverChooser;
  readonly #atOrAfter: StatementSync;
  readonly #bounds: StatementSync;

  constructor(db: DatabaseSync) {
    this.#db = db;
    this.#drivers = new DriverChooser(db);
    this.#atOrAfter = db.prepare("SELECT at FROM log WHERE seq >= ? ORDER BY seq LIMIT 1");
    this.#bounds = db.prepare("SELECT (SELECT min(seq) FROM log) AS first, (SELECT max(seq) FROM log) AS last");
  }

  list(query: ListQuery): Listed[] {
    const columns = `${STANDING_COLUMNS}, c.payload, c.sig, c.nonce, a.first_seen AS firstSeen, a.messages AS authorMessages,
      t.messages AS threadMessages, t.last_activity AS lastActivity${query.removed ? ", m.gone_reason AS goneReason, m.gone_at AS goneAt, m.statement" : ""}`;
    return this.#rows(query, columns, "LEFT JOIN contents c ON c.seq = m.seq LEFT JOIN agents a ON a.id = m.author").map((row) =>
      toListed(row, query.order.key),
    );
  }

  seqs(query: ListQuery): number[] {
    return this.#rows(query, "m.seq", "").map((row) => row["seq"] as number);
  }

  #rows(query: ListQuery, columns: string, joins: string): Record<string, unknown>[] {
    const { order, after, limit, removed, only } = query;
    const binder = new Binder(SQLITE_DIALECT);
    const conditions = this.#withSeqBounds(query.condition);
    const driver = only === undefined && !removed ? this.#drivers.choose(conditions, order.key) : undefined;
    const direction = order.descending ? "DESC" : "ASC";
    const byThread = order.key === "activity" && driver === undefined && only === undefined && !removed;
    const messages = removed ? WITH_GONE : "messages";

    let from = byThread ? `threads t CROSS JOIN ${messages} m ON m.root = t.root` : `${messages} m`;
    if (driver?.from !== undefined) from = `${driver.from(binder)} d CROSS JOIN messages m ON m.seq = d.seq`;
    if (!byThread) from += " LEFT JOIN threads t ON t.root = m.root";
    // Sequences come from the driving table where there is one, so that its index gives bounds and order.
    const seq = driver?.from === undefined ? "m.seq" : "d.seq";
    const where = conditions
      .filter((one) => driver?.from === undefined || one !== driver.condition)
      .map((one) => (isSeqRange(one) ? rangeSql(seq, one, binder) : conditionSql(one, binder, driver?.condition)));
    if (only !== undefined) where.push(`m.seq IN (SELECT value FROM json_each(${binder.bind(JSON.stringify(only))}))`);
    const key = ORDER_COLUMN[order.key];
    if (after !== undefined) where.push(afterSql(order.key === "seq" ? seq : key, seq, after, order.descending, binder));
    const by = order.key === "seq" ? `${seq} ${direction}` : `${key} ${direction}, ${seq} ${direction}`;
    const sql = `SELECT ${columns} FROM ${from} ${joins} WHERE ${where.join(" AND ")} ORDER BY ${by} LIMIT ${binder.bind(limit)}`;
    return this.#statement(sql).all(...binder.values) as Record<string, unknown>[];
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
        ...(one.min === undefined ? {} : { min: this.#seqAt(one.min) }),
        ...(one.max === undefined ? {} : { max: this.#seqAt(one.max + 1) - 1 }),
      };
      return [{ is: "between", field: "seq", ...range }];
    });
    return [...parts, ...bounds];
  }

  /** The first seq at or after a time: the log is in order of both. */
  #seqAt(ms: number): number {
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

type SeqRange = Extract<Condition, { is: "between" }>;
const isSeqRange = (condition: Condition): condition is SeqRange => condition.is === "between" && condition.field === "seq";

function afterSql(key: string, seq: string, { key: value, seq: last }: Position, descending: boolean, binder: Binder): string {
  const past = descending ? "<" : ">";
  if (key === seq) return `${seq} ${past} ${binder.bind(last)}`;
  return `(${key} ${past}= ${binder.bind(value)} AND (${key} ${past} ${binder.bind(value)} OR ${seq} ${past} ${binder.bind(last)}))`;
}

type CardRow = Card["raw"] & {
  firstSeen: number;
  authorMessages: number;
  threadMessages: number | null;
  lastActivity: number | null;
  goneReason?: "removed" | "retracted" | null;
  goneAt?: number;
  statement?: string | null;
};

function toListed(row: Record<string, unknown>, key: OrderKey): Listed {
  const { payload, sig, nonce, firstSeen, authorMessages, threadMessages, lastActivity, goneReason, goneAt, statement, ...rest } =
    row as unknown as CardRow;
  const standing = toStanding(rest);
  const keys: Record<OrderKey, number> = {
    seq: standing.seq,
    activity: lastActivity ?? 0,
    expiresAt: standing.expiresAt,
    verifies: standing.verifies,
    bits: standing.bits,
  };
  const position = { key: keys[key], seq: standing.seq };
  if (goneReason !== undefined && goneReason !== null) {
    const { id, seq, author, kind, root, receivedAt } = standing;
    return {
      gone: { id, seq, author, kind, root, receivedAt, reason: goneReason, at: goneAt ?? receivedAt, statement: statement ?? null },
      position,
    };
  }
  const card: Card = {
    standing,
    raw: { payload, sig, nonce },
    author: { firstSeen, messages: authorMessages },
    thread: { messages: threadMessages ?? 0, lastActivity: lastActivity ?? standing.receivedAt },
  };
  return { card, position };
}

// The log, for readers.
import { type Entry, GENESIS } from "../../core/log/chain.ts";
import { LIMITS } from "../../core/protocol/limits.ts";
import type { LogEntry, LogReads, Raw, StatusEffect } from "../../ports/store.ts";
import { fieldsIn } from "./columns.ts";
import { first, spelled, type SqlRows } from "./dialect.ts";
import { idsWithPrefix } from "./lookups.ts";

type EntryRow = Omit<Entry, "prev"> & { readonly assisted: 0 | 1 | null } & { readonly [Name in keyof Raw]?: string | null };

const COLUMNS = fieldsIn("log", "l");
const PAGE = "WHERE l.seq >= $1 ORDER BY l.seq LIMIT $2";
const ENTRIES = `SELECT ${COLUMNS} FROM log l ${PAGE}`;
/** Each table is bounded by itself: otherwise PostgreSQL may scan all of them. */
const WITH_CONTENT = `SELECT ${COLUMNS}, c.payload, c.sig, c.nonce FROM log l
  LEFT JOIN messages m ON m.seq = l.seq AND m.seq >= $1 AND l.type = 'create' AND +m.expires_at > $3
  LEFT JOIN contents c ON c.seq = m.seq AND c.seq >= $1 ${PAGE}`;

/** No message has more effects. */
const MOST_EFFECTS = LIMITS.refs * 2;
const STATUS_EFFECTS = spelled(({ each, lateral }) => {
  const effect = `SELECT min(e.seq) AS value FROM log e
    WHERE e.seq > k.value AND e.seq <= k.value + ${MOST_EFFECTS} AND e.type = 'status' AND e.id = $1
      AND NOT EXISTS (SELECT 1 FROM log c WHERE c.seq > k.value AND c.seq < e.seq AND c.type = 'create')`;
  // Its columns one by one: a join with the log could be planned as a scan of all of it.
  const column = (name: string): string => `(SELECT l.${name} FROM log l WHERE l.seq = n.value) AS ${name}`;
  return `SELECT k.value AS "of", n.value AS seq, ${column("at")}, ${column("detail")}
    FROM ${each("$2", "number", "k")} CROSS JOIN ${lateral(effect, "n")} WHERE n.value IS NOT NULL`;
});

type OfLog = Omit<LogReads, "head" | "nextDue" | "seqAt" | "postedByMinute">;

export const logReads = (rows: SqlRows): OfLog => ({
  async entries(after, limit, rawAt) {
    // Includes the entry before, for its hash.
    const page = [after, limit + 1];
    const found = await (rawAt === undefined ? rows.all<EntryRow>(ENTRIES, page) : rows.all<EntryRow>(WITH_CONTENT, [...page, rawAt]));
    const from = found[0]?.seq === after ? 1 : 0;
    return found.slice(from, from + limit).map((row, i): LogEntry => {
      const { seq, at, type, id, detail, digest, hash, assisted, payload, sig, nonce } = row;
      const prev = found[from + i - 1]?.hash ?? GENESIS;
      const raw = typeof payload === "string" && typeof sig === "string" && typeof nonce === "string" ? { payload, sig, nonce } : null;
      return { seq, at, type, id, detail, digest, hash, prev, assisted: assisted === null ? null : assisted === 1, raw };
    });
  },
  statusEffects: async (id, of) => (of.length === 0 ? [] : rows.all<StatusEffect>(STATUS_EFFECTS(rows), [id, rows.dialect.list(of)])),
  /** For a message of which only its log entry is left. */
  pastSeq: async (id) => (await first<{ seq: number }>(rows, "SELECT seq FROM past_messages WHERE id = $1", [id]))?.seq,
  pastIds: (prefix, limit) => idsWithPrefix(rows, "past_messages", prefix, limit),
  /** The first entry kept, unless it is only kept as the anchor of the chain. */
  async oldestSeq() {
    const oldest = (await first<{ seq: number | null }>(rows, "SELECT min(seq) AS seq FROM log", []))?.seq ?? null;
    return oldest === null || oldest === 1 ? 1 : oldest + 1;
  },
});

// Tags, needs and offers in SQLite, most used first.
import type { DatabaseSync } from "node:sqlite";
import type { LabelField } from "../../core/message/standing.ts";
import type { TagFacts, TagQuery } from "../../ports/tags.ts";
import { SORTABLE } from "../sql/driven.ts";
import { mostUsed, type SpellingCount, SPELLINGS_READ } from "../sql/spellings.ts";
import { SPELT } from "./schema.ts";

/** Comes after every character that a tag may hold. */
const LAST = "\u{10FFFF}";

export class SqliteTags {
  readonly #sql: Readonly<Record<LabelField, ReturnType<typeof statements>>>;

  constructor(db: DatabaseSync) {
    this.#sql = { tag: statements(db, "tag"), need: statements(db, "need"), offer: statements(db, "offer") };
  }

  tags({ field, prefix, after, limit }: TagQuery): TagFacts[] {
    const sql = this.#sql[field];
    const end = prefix + LAST;
    const few = prefix !== "" && (sql.withPrefix.get(prefix, end, SORTABLE + 1)?.["rows"] as number) <= SORTABLE;
    const last = after ?? { count: Number.MAX_SAFE_INTEGER, tag: "" };
    const found = (few ? sql.sorted : sql.walked).all(prefix, end, last.count, last.count, last.tag, limit);
    return (found as unknown as Omit<TagFacts, "shown">[]).map((facts) => ({ ...facts, shown: this.#shown(field, facts) }));
  }

  /** A label in the spelling that is used most. */
  shown(field: LabelField, tag: string): string {
    const total = this.#sql[field].total.get(tag)?.["count"] as number | undefined;
    return this.#shown(field, { tag, count: total ?? 0 });
  }

  #shown(field: LabelField, { tag, count }: Pick<TagFacts, "tag" | "count">): string {
    return mostUsed(tag, count, this.#sql[field].spellings.all(tag) as unknown as SpellingCount[]);
  }
}

/** The field stands in the text, for only then SQLite sees that the partial index fits. */
function statements(db: DatabaseSync, field: LabelField) {
  const select = (label: string, count: string) =>
    db.prepare(`SELECT label AS tag, count, last_used AS lastUsed FROM tallies
      WHERE field = '${field}' AND ${label} >= ? AND ${label} < ? AND ${count} <= ? AND (count < ? OR label > ?)
      ORDER BY ${count} DESC, label LIMIT +?`);
  return {
    total: db.prepare(`SELECT count FROM tallies WHERE field = '${field}' AND label = ?`),
    spellings: db.prepare(
      `SELECT label, count FROM tallies WHERE field = '${field}_as' AND ${SPELT} = ? ORDER BY count DESC, label LIMIT ${SPELLINGS_READ}`,
    ),
    withPrefix: db.prepare(
      `SELECT count(*) AS rows FROM (SELECT 1 FROM tallies WHERE field = '${field}' AND label >= ? AND label < ? LIMIT +?)`,
    ),
    // A unary plus keeps the planner away from a column's index: the first finds by label and sorts, the second walks by count.
    sorted: select("label", "+count"),
    walked: select("+label", "count"),
  };
}

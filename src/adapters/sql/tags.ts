// Tags, needs and offers, most used first, and their displayed spellings.
import type { LabelField } from "../../core/message/message-state.ts";
import type { ListReads } from "../../ports/store.ts";
import type { TagFacts } from "../../ports/tags.ts";
import { type Dialect, first, fromJson, type SqlRows } from "./dialect.ts";
import { SORTABLE } from "./lookup-table-spec.ts";
import { mostUsed, type SpellingCount, SPELLINGS_READ } from "./most-used-spelling.ts";
import { firstFitting } from "./short-statements.ts";

/** Sorts after every character that a tag may contain. */
const LAST = "\u{10FFFF}";

// The field is in the statement's text, so that the database sees that the partial index fits.
const withPrefix = (field: LabelField): string =>
  `SELECT count(*) AS rows FROM (SELECT 1 FROM tallies WHERE field = '${field}' AND label >= $1 AND label < $2 LIMIT ${SORTABLE + 1}) few`;

/** Looked up by label and sorted if few have the prefix, else scanned by count. */
const page = (field: LabelField, few: boolean, dialect: Dialect): string => {
  const count = few ? dialect.opaque("count", "number") : "count";
  const hasPrefix = "label >= $1 AND label < $2";
  return `SELECT label AS tag, count, last_used AS "lastUsed", CASE WHEN ${hasPrefix} THEN 1 ELSE 0 END AS fits FROM tallies
    WHERE field = '${field}' ${few ? `AND ${hasPrefix}` : ""} AND ${count} <= $3 AND (count < $3 OR label > $4)
    ORDER BY ${count} DESC, label LIMIT $5`;
};

const spellings = (field: LabelField, { each, json, spelt }: Dialect): string =>
  `SELECT g.value AS tag, (SELECT t.count FROM tallies t WHERE t.field = '${field}' AND t.label = g.value) AS total,
      ${json(
        ["label", "count"],
        `SELECT label, count FROM tallies WHERE field = '${field}_as' AND ${spelt} = g.value ORDER BY count DESC, label LIMIT ${SPELLINGS_READ}`,
      )} AS counts
    FROM ${each("$1", "text", "g")}`;

export const tagReads = (rows: SqlRows): Pick<ListReads, "tags"> => ({
  async tags({ field, prefix, after, limit }) {
    const range = [prefix, prefix + LAST];
    const few = prefix !== "" && ((await first<{ rows: number }>(rows, withPrefix(field), range))?.rows ?? 0) <= SORTABLE;
    const sql = page(field, few, rows.dialect);
    const found = await firstFitting<Omit<TagFacts, "shown">>(limit, (last, most) => {
      const { count, tag } = last ?? after ?? { count: Number.MAX_SAFE_INTEGER, tag: "" };
      return rows.all<Omit<TagFacts, "shown"> & { readonly fits: number }>(sql, [...range, count, tag, most]);
    });
    const shown = await shownAs(rows, field, new Set(found.map(({ tag }) => tag)));
    return found.map(({ tag, count, lastUsed }) => ({ tag, count, lastUsed, shown: shown(tag) }));
  },
});

/** Each of these labels in its most used spelling. */
export async function shownAs(rows: SqlRows, field: LabelField, labels: ReadonlySet<string>): Promise<(label: string) => string> {
  if (labels.size === 0) return (label) => label;
  const { dialect } = rows;
  const found = await rows.all<{ tag: string; total: number | null; counts: string | null }>(spellings(field, dialect), [
    dialect.list([...labels]),
  ]);
  const shown = new Map(
    found.map(({ tag, total, counts }) => {
      const spelt = (fromJson(counts) as [string, number][]).map(([label, count]): SpellingCount => ({ label, count }));
      return [tag, mostUsed(tag, total ?? 0, spelt)];
    }),
  );
  return (label) => shown.get(label) ?? label;
}

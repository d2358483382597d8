// Tags, needs and offers in PostgreSQL, most used first, and the spellings they are shown in.
import type { LabelField } from "../../core/message/standing.ts";
import type { TagFacts, TagQuery } from "../../ports/tags.ts";
import { mostUsed, type SpellingCount, SPELLINGS_READ } from "../sql/spellings.ts";
import type { Client } from "./client.ts";
import { storable, textArray } from "./literals.ts";
import { SPELT } from "./schema.ts";

/** Comes after every character that a tag may hold. */
const LAST = "\u{10FFFF}";

export async function tagsIn(client: Client, { field, prefix, after, limit }: TagQuery): Promise<readonly TagFacts[]> {
  const last = after ?? { count: Number.MAX_SAFE_INTEGER, tag: "" };
  const start = storable(prefix);
  // The field stands in the text, for only then the planner sees that the partial index fits.
  const found = await client.query<Omit<TagFacts, "shown">>(
    `SELECT label AS tag, count, last_used AS "lastUsed" FROM tallies
      WHERE field = '${field}' AND label >= $1 AND label < $2 AND count <= $3 AND (count < $3 OR label > $4)
      ORDER BY count DESC, label LIMIT $5`,
    [start, start + LAST, last.count, storable(last.tag), limit],
  );
  const shown = await shownIn(client, field, new Set(found.map(({ tag }) => tag)));
  return found.map((facts) => ({ ...facts, shown: shown.get(facts.tag) ?? facts.tag }));
}

/** Each of these labels in the spelling that is used most. */
export async function shownIn(client: Client, field: LabelField, labels: ReadonlySet<string>): Promise<ReadonlyMap<string, string>> {
  if (labels.size === 0) return new Map();
  const rows = await client.query<SpellingCount & { tag: string; total: number }>(
    `SELECT g.tag, t.count AS total, s.label, s.count FROM unnest($1::text[]) AS g (tag)
      JOIN tallies t ON t.field = '${field}' AND t.label = g.tag
      CROSS JOIN LATERAL (SELECT label, count FROM tallies WHERE field = '${field}_as' AND ${SPELT} = g.tag
        ORDER BY count DESC, label LIMIT ${SPELLINGS_READ}) s`,
    [textArray([...labels])],
  );
  return new Map([...Map.groupBy(rows, ({ tag }) => tag)].map(([tag, counts]) => [tag, mostUsed(tag, counts[0]?.total ?? 0, counts)]));
}

// Tags, needs and offers in PostgreSQL, most used first.
import type { TagFacts, TagQuery } from "../../ports/tags.ts";
import type { Client } from "./client.ts";
import { storable } from "./literals.ts";

/** Comes after every character that a tag may hold. */
const LAST = "\u{10FFFF}";

export async function tagsIn(client: Client, { field, prefix, after, limit }: TagQuery): Promise<readonly TagFacts[]> {
  const last = after ?? { count: Number.MAX_SAFE_INTEGER, tag: "" };
  const start = storable(prefix);
  // The field stands in the text, for only then the planner sees that the partial index fits.
  return client.query<TagFacts>(
    `SELECT label AS tag, count, last_used AS "lastUsed" FROM tallies
      WHERE field = '${field}' AND label >= $1 AND label < $2 AND count <= $3 AND (count < $3 OR label > $4)
      ORDER BY count DESC, label LIMIT $5`,
    [start, start + LAST, last.count, storable(last.tag), limit],
  );
}

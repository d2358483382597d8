// GET /api/changes: the log, entry by entry.
import { z } from "zod";
import { integer } from "../../core/query/forms.ts";
import { LIMITS } from "../../core/protocol/limits.ts";
import { iso } from "../../core/protocol/time.ts";
import type { Clock } from "../../ports/clock.ts";
import type { LogEntry, LogReads } from "../../ports/store.ts";
import { changesBody } from "../bodies/log.ts";
import { jsonReply, READ_REFUSALS, readOperation } from "../operation.ts";
import { includeList } from "../parameters.ts";
import { nextSlice, sliced } from "../../ports/cpu-slices.ts";

const DEFAULT_LIMIT = 100;
/** A payload may have half a megabyte, so content is read a few entries at a time; details, which are shorter, too. */
const RAW_ENTRIES_PER_READ = 16;
const ENTRIES_PER_READ = 250;

export const getChanges = (log: LogReads, clock: Clock) =>
  readOperation({
    name: "get_changes",
    path: "/api/changes",
    summary: "The append-only change log after a seq.",
    input: z.strictObject({
      after: integer(0, Number.MAX_SAFE_INTEGER).default(0).describe("The last seq already known; 0 starts at the oldest."),
      limit: integer(1, LIMITS.changes_limit)
        .default(DEFAULT_LIMIT)
        .describe("How many entries at most; if they are long there may be fewer, so look at `more`."),
      include: includeList(["raw"]).optional().describe("raw adds the signed payload of each create entry."),
    }),
    responses: { 200: { words: "Entries in order of seq.", body: changesBody } },
    refusals: READ_REFUSALS,
    large: ({ include }) => include?.has("raw") ?? false,
    async run({ input }) {
      const { after, limit } = input;
      const raw = input.include?.has("raw") ?? false;
      const { seq: latest } = await log.head();
      const oldest = await log.oldestSeq();
      const start = Math.max(after, oldest - 1);
      const entries = await pageOf(log, start, limit, raw ? clock.now() : undefined);
      const changes: string[] = [];
      await sliced(entries, ({ raw: content, assisted, seq, at, ...entry }) => {
        const extra = { ...(assisted === null ? {} : { assisted }), ...(raw && entry.type === "create" ? { raw: content } : {}) };
        changes.push(JSON.stringify({ seq, at: iso(at), ...entry, ...extra }));
      });
      const next = entries.at(-1)?.seq ?? start;
      const rest = { next_after: next, latest_seq: latest, oldest_seq: oldest, more: next < latest };
      return jsonReply({ json: `{"changes":[${changes.join()}],${JSON.stringify(rest).slice(1)}` });
    },
  });

/** Up to `limit` entries, with their present content if that is asked for; fewer if content and details fill a page. */
async function pageOf(log: LogReads, start: number, limit: number, now: number | undefined): Promise<readonly LogEntry[]> {
  const perRead = now === undefined ? ENTRIES_PER_READ : RAW_ENTRIES_PER_READ;
  const entries: LogEntry[] = [];
  let chars = 0;
  while (entries.length < limit && chars < LIMITS.changes_raw_chars) {
    const batch = await log.entries(entries.at(-1)?.seq ?? start, Math.min(perRead, limit - entries.length), now);
    if (batch.length === 0) break;
    for (const entry of batch) {
      if (chars >= LIMITS.changes_raw_chars) break;
      entries.push(entry);
      chars += (entry.raw?.payload.length ?? 0) + (entry.detail?.length ?? 0);
    }
    await nextSlice();
  }
  return entries;
}

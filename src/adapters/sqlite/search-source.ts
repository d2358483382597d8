// What the search index reads of a SQLite board, on a connection of its own.
import { GENESIS } from "../../core/log/chain.ts";
import type { GoneReason } from "../../core/message/standing.ts";
import type { SearchSource, SourceMessage } from "../../ports/search.ts";
import { toDeparture } from "../../core/message/departures.ts";
import { openDatabase } from "./open.ts";

interface SqliteSourceOptions {
  /** Path of the database file, which exists already. */
  readonly path: string;
}

/** What is read in one go, unless a single message is larger: to read hundreds of the largest takes a second, and searches wait. */
const MOST_CHARS = 512 * 1024;

/** Called on the thread of the index; see `SourceModule`. */
export function openSource(options: unknown): SearchSource {
  const db = openDatabase((options as SqliteSourceOptions).path, "read");
  const head = db.prepare("SELECT max(seq) AS seq FROM log");
  const hash = db.prepare("SELECT hash FROM log WHERE seq = ?");
  // Newest tombstones speak: whoever is gone has one for as long as the log keeps the entry.
  const gone = db.prepare(`SELECT g.seq, g.reason FROM log l JOIN gone g ON g.id = l.id
    WHERE l.seq > ? AND l.seq <= ? AND l.type IN ('expire', 'retract', 'remove')`);
  // One that was given back and posted again has no tombstone any more. That is rare, and only then the log is read through.
  const restored = db.prepare("SELECT DISTINCT id FROM log WHERE seq > ? AND seq <= ? AND type = 'restore'");
  const former = db.prepare(`SELECT seq, 'removed' AS reason FROM log l WHERE type = 'create' AND id = ?
    AND NOT EXISTS (SELECT 1 FROM contents c WHERE c.seq = l.seq)`);
  const range = db.prepare("SELECT seq, payload FROM contents WHERE seq > ? AND seq <= ? ORDER BY seq LIMIT ?");

  const read = (after: number, upTo: number, limit: number): { readonly messages: readonly SourceMessage[]; readonly all: boolean } => {
    const messages: SourceMessage[] = [];
    let chars = 0;
    for (const row of range.iterate(after, upTo, limit) as Iterable<unknown> as Iterable<SourceMessage>) {
      if (chars >= MOST_CHARS) return { messages, all: false };
      messages.push(row);
      chars += row.payload.length;
    }
    return { messages, all: true };
  };
  return {
    head: () => (head.get()?.["seq"] as number | null) ?? 0,
    hashAt: (seq) => (seq === 0 ? GENESIS : (hash.get(seq)?.["hash"] as string | undefined)),
    changes(after, last) {
      const { messages: arrived, all } = read(after, last, -1);
      const upTo = all ? last : (arrived.at(-1)?.seq ?? last);
      const replaced = restored.all(after, upTo).flatMap(({ id }) => former.all(id as string));
      const departed = [...gone.all(after, upTo), ...replaced] as unknown as { seq: number; reason: GoneReason }[];
      return { gone: departed.map(toDeparture), arrived, upTo };
    },
    messages: (after, upTo, limit) => read(after, upTo, limit).messages,
    close: () => db.close(),
  };
}

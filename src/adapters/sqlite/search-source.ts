// What the search index reads of a SQLite board, on a connection of its own.
import { GENESIS } from "../../core/log/chain.ts";
import type { GoneReason } from "../../core/message/standing.ts";
import type { SearchSource, SourceMessage } from "../../ports/search.ts";
import { toDeparture } from "../sql/departures.ts";
import { openDatabase } from "./open.ts";

interface SqliteSourceOptions {
  /** Path of the database file, which exists already. */
  readonly path: string;
}

/** Called on the thread of the index; see `SourceModule`. */
export function openSource(options: unknown): SearchSource {
  const db = openDatabase((options as SqliteSourceOptions).path, "read");
  const head = db.prepare("SELECT max(seq) AS seq FROM log");
  const hash = db.prepare("SELECT hash FROM log WHERE seq = ?");
  // Newest tombstones speak: whoever is gone has one for as long as the log keeps the entry.
  const gone = db.prepare(`SELECT g.seq, g.reason FROM log l JOIN gone g ON g.id = l.id
    WHERE l.seq > ? AND l.seq <= ? AND l.type IN ('expire', 'retract', 'remove')`);
  const restored = db.prepare(`SELECT c.seq, c.payload FROM log l JOIN messages m ON m.id = l.id JOIN contents c ON c.seq = m.seq
    WHERE l.seq > ? AND l.seq <= ? AND l.type = 'restore'`);
  const range = db.prepare("SELECT seq, payload FROM contents WHERE seq > ? AND seq <= ? ORDER BY seq LIMIT ?");

  const rows = (found: unknown): readonly SourceMessage[] => found as readonly SourceMessage[];
  return {
    head: () => (head.get()?.["seq"] as number | null) ?? 0,
    hashAt: (seq) => (seq === 0 ? GENESIS : (hash.get(seq)?.["hash"] as string | undefined)),
    changes(after, upTo) {
      const departed = gone.all(after, upTo) as unknown as { seq: number; reason: GoneReason }[];
      const back = rows(restored.all(after, upTo));
      return {
        gone: [...departed.map(toDeparture), ...back.map(({ seq }) => ({ seq, erase: "later" as const }))],
        arrived: [...rows(range.all(after, upTo, -1)), ...back],
      };
    },
    messages: (after, upTo, limit) => rows(range.all(after, upTo, limit)),
    close: () => db.close(),
  };
}

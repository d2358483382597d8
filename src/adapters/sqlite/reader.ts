// Reads of a SQLite board: prepared statements on a connection of their own, never blocked by the writer.
import type { DatabaseSync } from "node:sqlite";
import { type Entry, GENESIS } from "../../core/log/chain.ts";
import type { Head } from "../../core/log/checkpoint.ts";
import type { Found, LogEntry, Prior, Raw } from "../../ports/store.ts";
import type { SqliteCards } from "./cards.ts";
import { GONE_COLUMNS, goneByTime, toGone } from "../sql/rows.ts";

const NOTHING_KNOWN: Prior = { known: undefined, gone: undefined, keyBlocked: false, storedBlobs: new Map(), blockedBlobs: [] };

export class SqliteReader {
  readonly #sql: ReturnType<typeof statements>;
  readonly #cards: SqliteCards;

  constructor(db: DatabaseSync, cards: SqliteCards) {
    this.#sql = statements(db);
    this.#cards = cards;
  }

  head(): Head {
    return this.#cards.head();
  }

  /** Pages that hold something. */
  used(): number {
    return this.#sql.used.get()?.["bytes"] as number;
  }

  prior(id: string, author: string, blobs: readonly string[], now: number): Prior {
    // Most posts are new and of nobody's business yet: one question instead of four.
    if (blobs.length === 0 && this.#sql.anyPrior.get(id, author) === undefined) return NOTHING_KNOWN;
    const found = this.find(id, now);
    return {
      known: found !== undefined && "card" in found ? found.card.raw : undefined,
      gone: found !== undefined && "gone" in found ? found.gone : undefined,
      keyBlocked: this.#sql.blocked.get("key", author) !== undefined,
      storedBlobs: new Map(
        blobs.flatMap((hash) => this.#sql.blobBytes.all(hash, now).map((row): [string, number] => [hash, row["bytes"] as number])),
      ),
      blockedBlobs: blobs.filter((hash) => this.#sql.blocked.get("blob", hash) !== undefined),
    };
  }

  find(id: string, now: number): Found | undefined {
    const card = this.#cards.current().byId(id);
    if (card !== undefined) return card.standing.expiresAt > now ? { card } : { gone: goneByTime(card.standing) };
    const gone = this.#sql.gone.get(id);
    return gone === undefined ? undefined : { gone: toGone(gone) };
  }

  findAll(ids: readonly string[], now: number): ReadonlyMap<string, Found> {
    return new Map(
      ids.flatMap((id): [string, Found][] => {
        const found = this.find(id, now);
        return found === undefined ? [] : [[id, found]];
      }),
    );
  }

  verifiers(seq: number): readonly string[] {
    const votes = this.#sql.votes.all(seq) as unknown as { agent: string; rel: string }[];
    // In order of seq, so the last of an agent is the one that stands.
    const standing = new Map(votes.map(({ agent, rel }) => [agent, rel]));
    return [...standing].filter(([, rel]) => rel === "verifies").map(([agent]) => agent);
  }

  firstSeen(agent: string): number | undefined {
    return this.#sql.firstSeen.get(agent)?.["at"] as number | undefined;
  }

  idsByPrefix(prefix: string, limit: number, now: number): { live: string[]; gone: string[] } {
    // Ids are lower-case hex, so everything with the prefix lies before the prefix followed by `g`.
    const rows = this.#sql.idsByPrefix.all(prefix, `${prefix}g`) as unknown as { id: string; expiresAt: number }[];
    const live = rows.filter((row) => row.expiresAt > now).map((row) => row.id);
    const swept = this.#sql.goneByPrefix.all(prefix, `${prefix}g`, limit).map((row) => row["id"] as string);
    return {
      live: live.slice(0, limit),
      gone: [...rows.filter((row) => row.expiresAt <= now).map((row) => row.id), ...swept].slice(0, limit),
    };
  }

  blob(hash: string, now: number): string | undefined {
    return this.#sql.blob.get(hash, now)?.["text"] as string | undefined;
  }

  entries(after: number, limit: number, rawAt: number | undefined): readonly LogEntry[] {
    const anchor = after === 0 ? undefined : (this.#sql.entryHash.get(after)?.["hash"] as string | undefined);
    let prev = anchor ?? GENESIS;
    const rows = this.#sql.entries.all(after, limit) as unknown as (Omit<Entry, "prev"> & { assisted: 0 | 1 | null })[];
    return rows.map(({ assisted, ...row }) => {
      const raw = rawAt === undefined || row.type !== "create" ? undefined : (this.#sql.liveRaw.get(row.seq, rawAt) as Raw | undefined);
      const entry = { ...row, prev, assisted: assisted === null ? null : assisted === 1, raw: raw ?? null };
      prev = row.hash;
      return entry;
    });
  }

  /** The first entry kept, unless it is only there as the anchor of the chain. */
  oldestSeq(): number {
    const first = this.#sql.oldest.get()!["seq"] as number | null;
    return first === null || first === 1 ? 1 : first + 1;
  }
}

function statements(db: DatabaseSync) {
  const p = (sql: string) => db.prepare(sql);
  return {
    gone: p(`SELECT ${GONE_COLUMNS} FROM gone WHERE id = ?`),
    used: db.prepare(
      `SELECT (page_count - freelist_count) * page_size AS bytes FROM pragma_page_count, pragma_freelist_count, pragma_page_size`,
    ),
    anyPrior: p(`SELECT 1 FROM messages WHERE id = ?1 UNION ALL SELECT 1 FROM gone WHERE id = ?1
      UNION ALL SELECT 1 FROM blocks WHERE what = 'key' AND name = ?2 LIMIT 1`),
    blocked: p("SELECT 1 FROM blocks WHERE what = ? AND name = ? LIMIT 1"),
    blobBytes: p("SELECT octet_length(text) AS bytes FROM blobs WHERE sha256 = ? AND expires_at > ?"),
    liveRaw: p("SELECT payload, sig, nonce FROM contents c JOIN messages m ON m.seq = c.seq WHERE c.seq = ? AND m.expires_at > ?"),
    idsByPrefix: p("SELECT id, expires_at AS expiresAt FROM messages WHERE id >= ? AND id < ? ORDER BY id LIMIT 64"),
    goneByPrefix: p("SELECT id FROM gone WHERE id >= ? AND id < ? ORDER BY id LIMIT +?"),
    votes: p("SELECT agent, rel FROM votes WHERE target = ? ORDER BY seq"),
    firstSeen: p("SELECT first_seen AS at FROM agents WHERE id = ?"),
    // It ends with the last message that carries it, swept or not.
    blob: p(`SELECT text FROM blobs b WHERE sha256 = ?1 AND expires_at > ?2
      AND EXISTS (SELECT 1 FROM attachments a JOIN messages m ON m.seq = a.seq WHERE a.sha256 = b.sha256 AND m.expires_at > ?2)`),
    entries: p("SELECT seq, at, type, id, detail, digest, hash, assisted FROM log WHERE seq > ? ORDER BY seq LIMIT +?"),
    entryHash: p("SELECT hash FROM log WHERE seq = ?"),
    oldest: p("SELECT min(seq) AS seq FROM log"),
  };
}

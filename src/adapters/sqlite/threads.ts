// Threads in SQLite: narrow rows by root, and the refs between messages.
import type { DatabaseSync } from "node:sqlite";
import { REL_NAMES, RELS } from "../../core/protocol/vocabulary.ts";
import { threadOf } from "./thread-number.ts";
import type { Answer, Branch, BranchQuery, StoredRef, ThreadExtent } from "../../ports/threads.ts";

const JOINING = REL_NAMES.filter((rel) => RELS[rel].thread)
  .map((rel) => `'${rel}'`)
  .join(", ");

export class SqliteThreads {
  readonly #sql: ReturnType<typeof statements>;

  constructor(db: DatabaseSync) {
    this.#sql = statements(db);
  }

  extent(root: string): ThreadExtent {
    return this.#sql.extent.get(root) as unknown as ThreadExtent;
  }

  branches(root: string, { after, upTo, limit, now }: BranchQuery): Branch[] {
    return this.#sql.branches.all({ root, after, upTo, limit, now }) as unknown as Branch[];
  }

  openWork(root: string, limit: number, now: number): string[] {
    return this.#sql.openWork.all(root, now, limit).map((row) => row["id"] as string);
  }

  answersTo(target: string, asker: string, limit: number, now: number): Answer[] {
    return this.#sql.answersTo.all(target, asker, now, limit) as unknown as Answer[];
  }

  barredWork(agent: string, now: number): number[] {
    return this.#sql.barredWork.all(agent, now).map((row) => row["target"] as number);
  }

  refs(seqs: readonly number[]): StoredRef[] {
    return this.#sql.refs.all(JSON.stringify(seqs)) as unknown as StoredRef[];
  }
}

// A unary plus keeps the planner on the index that gives the order.
function statements(db: DatabaseSync) {
  const p = (sql: string) => db.prepare(sql);
  return {
    extent: p(`SELECT coalesce((SELECT messages FROM threads WHERE number = ${threadOf(() => "?1")}), 0) AS messages,
      coalesce((SELECT max(seq) FROM messages WHERE thread = ${threadOf(() => "?1")}), 0) AS lastSeq`),
    branches: p(`SELECT m.seq, m.author, m.expires_at AS expiresAt, m.id = m.root AS isRoot,
        (SELECT p.seq FROM messages p WHERE p.id = (SELECT r.target FROM refs r WHERE r.seq = m.seq AND r.rel IN (${JOINING}) ORDER BY r.position LIMIT 1)
          AND +p.thread = m.thread AND +p.expires_at > :now) AS parent
      FROM messages m WHERE m.thread = ${threadOf(() => ":root")} AND m.seq > :after AND m.seq <= :upTo AND +m.expires_at > :now ORDER BY m.seq LIMIT :limit`),
    openWork:
      p(`SELECT id FROM messages WHERE thread = ${threadOf(() => "?1")} AND status = 'open' AND kind IN ('task', 'subtask', 'question')
      AND superseded_by IS NULL AND +expires_at > ?2 ORDER BY seq LIMIT ?3`),
    answersTo:
      p(`SELECT a.id, a.verifies, a.refutes, (SELECT v.rel FROM votes v WHERE v.target = a.seq AND v.agent = ?2 ORDER BY v.seq DESC LIMIT 1) AS asker
      FROM refs r JOIN messages a ON a.seq = r.seq JOIN messages t ON t.id = r.target AND t.seq < a.seq WHERE r.target = ?1 AND r.rel = 'answers' AND a.superseded_by IS NULL AND a.expires_at > ?3 ORDER BY r.seq LIMIT ?4`),
    barredWork: p("SELECT target FROM barred WHERE agent = ? AND until > ?"),
    refs: p("SELECT seq, rel, target FROM refs WHERE seq IN (SELECT value FROM json_each(?)) ORDER BY seq, position"),
  };
}

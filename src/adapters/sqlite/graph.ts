// The neighbours of messages in SQLite: one statement for each direction of a ref.
import type { DatabaseSync } from "node:sqlite";
import type { NeighbourQuery } from "../../ports/threads.ts";

export class SqliteGraph {
  readonly #sql: ReturnType<typeof statements>;

  constructor(db: DatabaseSync) {
    this.#sql = statements(db);
  }

  neighbours({ of, except, rels, limit, now }: NeighbourQuery): number[] {
    const values = { of: JSON.stringify(of), except: JSON.stringify(except), rels: JSON.stringify(rels), limit, now };
    const found = [...this.#sql.pointedTo.all(values), ...this.#sql.pointing.all(values)].map((row) => row["seq"] as number);
    return [...new Set(found)].sort((a, b) => a - b).slice(0, limit);
  }
}

function statements(db: DatabaseSync) {
  const given = (name: string) => `(SELECT value FROM json_each(:${name}))`;
  return {
    pointedTo: db.prepare(`SELECT DISTINCT t.seq FROM refs r CROSS JOIN messages t ON t.id = r.target
      WHERE r.seq IN ${given("of")} AND r.rel IN ${given("rels")} AND +t.expires_at > :now AND t.seq NOT IN ${given("except")}
      ORDER BY t.seq LIMIT :limit`),
    // A message may be pointed to a hundred thousand times: each of its rels is read in order and only as far as there is room.
    pointing: db.prepare(`SELECT DISTINCT n.value AS seq
      FROM json_each(:of) f CROSS JOIN messages t ON t.seq = f.value CROSS JOIN json_each(:rels) k CROSS JOIN json_each((
        SELECT json_group_array(seq) FROM (
          SELECT r.seq FROM refs r CROSS JOIN messages m ON m.seq = r.seq
          WHERE r.target = t.id AND r.rel = k.value AND r.seq NOT IN ${given("except")} AND +m.expires_at > :now
          ORDER BY r.seq LIMIT :limit
        )
      )) n
      ORDER BY 1 LIMIT :limit`),
  };
}

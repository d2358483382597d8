// Reads of a PostgreSQL board by id, seq and prefix.
import { type Entry, GENESIS } from "../../core/log/chain.ts";
import type { Found, LogEntry, Prior, Raw, Store } from "../../ports/store.ts";
import { GONE_COLUMNS, goneByTime, toGone } from "../sql/rows.ts";
import { CARD_COLUMNS, CARD_JOINS, toCard } from "./cards.ts";
import type { Client } from "./client.ts";
import { textArray } from "./literals.ts";
import { Together } from "./together.ts";

type Reads = Pick<
  Store,
  "prior" | "find" | "findAll" | "verifiers" | "firstSeen" | "idsByPrefix" | "blob" | "entries" | "oldestSeq" | "seqAt"
>;

/** What may be known of a post, or blocked. */
interface Posting {
  readonly id: string;
  readonly author: string;
  readonly blobs: readonly string[];
}

/** A message whose time is over is gone, whether or not the sweep has come by. */
function asOf(found: Found | undefined, now: number): Found | undefined {
  if (found === undefined || "gone" in found || found.card.standing.expiresAt > now) return found;
  return { gone: goneByTime(found.card.standing) };
}

export class PostgresReader implements Reads {
  readonly #client: Client;
  readonly #found = new Together<string, Found | undefined>(async (ids) => {
    const found = await this.#stored(ids);
    return (id) => found.get(id);
  });
  readonly #heardOf = new Together<Posting, ReadonlySet<string>>(async (asked) => {
    const heardOf = new Set((await this.#mentions(asked)).map(({ what, name }) => `${what} ${name}`));
    return () => heardOf;
  });

  constructor(client: Client) {
    this.#client = client;
  }

  async prior(id: string, author: string, blobs: readonly string[], now: number): Promise<Prior> {
    const [heardOf, stored] = await Promise.all([
      this.#heardOf.ask({ id, author, blobs }),
      blobs.length === 0
        ? []
        : this.#client.query<{ sha256: string; bytes: number }>(
            "SELECT sha256, octet_length(text) AS bytes FROM blobs WHERE sha256 = ANY ($1::text[]) AND expires_at > $2",
            [textArray(blobs), now],
          ),
    ]);
    // Nearly every post is new, so what is known of it is read only where there is something.
    const found = heardOf.has(`message ${id}`) ? await this.find(id, now) : undefined;
    return {
      known: found !== undefined && "card" in found ? found.card.raw : undefined,
      gone: found !== undefined && "gone" in found ? found.gone : undefined,
      keyBlocked: heardOf.has(`key ${author}`),
      storedBlobs: new Map(stored.map(({ sha256, bytes }) => [sha256, bytes])),
      blockedBlobs: blobs.filter((hash) => heardOf.has(`blob ${hash}`)),
    };
  }

  async find(id: string, now: number): Promise<Found | undefined> {
    return asOf(await this.#found.ask(id), now);
  }

  async findAll(ids: readonly string[], now: number): Promise<ReadonlyMap<string, Found>> {
    const found = await this.#stored(ids);
    return new Map(
      [...found.keys()].flatMap((id): [string, Found][] => {
        const one = asOf(found.get(id), now);
        return one === undefined ? [] : [[id, one]];
      }),
    );
  }

  /** Whether or not their time is over. */
  async #stored(ids: readonly string[]): Promise<ReadonlyMap<string, Found>> {
    const values = [textArray(ids)];
    const [cards, gone] = await Promise.all([
      this.#client.query(`SELECT ${CARD_COLUMNS} FROM messages m ${CARD_JOINS} WHERE m.id = ANY ($1::text[])`, values),
      this.#client.query(`SELECT ${GONE_COLUMNS} FROM gone WHERE id = ANY ($1::text[])`, values),
    ]);
    const found = new Map<string, Found>(gone.map(toGone).map((one) => [one.id, { gone: one }]));
    for (const card of cards.map(toCard)) found.set(card.standing.id, { card });
    return found;
  }

  /** What the board has heard of: messages that are or were here, keys and attachments that are blocked. */
  async #mentions(asked: readonly Posting[]): Promise<readonly { what: string; name: string }[]> {
    return this.#client.query(
      `SELECT 'message' AS what, id AS name FROM messages WHERE id = ANY ($1::text[])
        UNION ALL SELECT 'message', id FROM gone WHERE id = ANY ($1::text[])
        UNION ALL SELECT what, name FROM blocks WHERE what = 'key' AND name = ANY ($2::text[])
        UNION ALL SELECT what, name FROM blocks WHERE what = 'blob' AND name = ANY ($3::text[])`,
      [textArray(asked.map(({ id }) => id)), textArray(asked.map(({ author }) => author)), textArray(asked.flatMap(({ blobs }) => blobs))],
    );
  }

  async verifiers(seq: number): Promise<readonly string[]> {
    const votes = await this.#client.query<{ agent: string; rel: string }>("SELECT agent, rel FROM votes WHERE target = $1 ORDER BY seq", [
      seq,
    ]);
    // In order of seq, so the last of an agent is the one that stands.
    const standing = new Map(votes.map(({ agent, rel }) => [agent, rel]));
    return [...standing].filter(([, rel]) => rel === "verifies").map(([agent]) => agent);
  }

  async firstSeen(agent: string): Promise<number | undefined> {
    const [row] = await this.#client.query<{ at: number }>("SELECT first_seen AS at FROM agents WHERE id = $1", [agent]);
    return row?.at;
  }

  async idsByPrefix(prefix: string, limit: number, now: number): Promise<{ live: string[]; gone: string[] }> {
    // Ids are lower-case hex, so everything with the prefix lies before the prefix followed by `g`.
    const range = [prefix, `${prefix}g`];
    const [rows, swept] = await Promise.all([
      this.#client.query<{ id: string; expiresAt: number }>(
        `SELECT id, expires_at AS "expiresAt" FROM messages WHERE id >= $1 AND id < $2 ORDER BY id LIMIT 64`,
        range,
      ),
      this.#client.query<{ id: string }>("SELECT id FROM gone WHERE id >= $1 AND id < $2 ORDER BY id LIMIT $3", [...range, limit]),
    ]);
    const live = rows.filter((row) => row.expiresAt > now).map((row) => row.id);
    const over = rows.filter((row) => row.expiresAt <= now).map((row) => row.id);
    return { live: live.slice(0, limit), gone: [...over, ...swept.map((row) => row.id)].slice(0, limit) };
  }

  async blob(hash: string, now: number): Promise<string | undefined> {
    // It ends with the last message that carries it, swept or not.
    const sql = `SELECT text FROM blobs b WHERE sha256 = $1 AND expires_at > $2
      AND EXISTS (SELECT 1 FROM attachments a JOIN messages m ON m.seq = a.seq WHERE a.sha256 = b.sha256 AND m.expires_at > $2)`;
    const [row] = await this.#client.query<{ text: string }>(sql, [hash, now]);
    return row?.text;
  }

  async entries(after: number, limit: number, rawAt?: number): Promise<readonly LogEntry[]> {
    const raw = rawAt === undefined ? "" : ", c.payload, c.sig, c.nonce";
    const join =
      rawAt === undefined
        ? ""
        : "LEFT JOIN messages m ON m.seq = l.seq AND l.type = 'create' AND m.expires_at > $3 LEFT JOIN contents c ON c.seq = m.seq";
    // The entry before comes along for its hash.
    const rows = await this.#client.query<Omit<Entry, "prev"> & { [key in keyof Raw]?: string | null } & { assisted: 0 | 1 | null }>(
      `SELECT l.seq, l.at, l.type, l.id, l.detail, l.digest, l.hash, l.assisted${raw} FROM log l ${join} WHERE l.seq >= $1 ORDER BY l.seq LIMIT $2`,
      [after, limit + 1, ...(rawAt === undefined ? [] : [rawAt])],
    );
    let prev = rows[0]?.seq === after ? rows[0].hash : GENESIS;
    const wanted = rows.filter(({ seq }) => seq > after).slice(0, limit);
    return wanted.map(({ payload, sig, nonce, assisted, ...row }) => {
      const content = typeof payload === "string" && typeof sig === "string" && typeof nonce === "string" ? { payload, sig, nonce } : null;
      const entry = { ...row, prev, assisted: assisted === null ? null : assisted === 1, raw: content };
      prev = row.hash;
      return entry;
    });
  }

  /** The first entry kept, unless it is only there as the anchor of the chain. */
  async oldestSeq(): Promise<number> {
    const [row] = await this.#client.query<{ seq: number | null }>("SELECT min(seq) AS seq FROM log");
    const first = row?.seq ?? null;
    return first === null || first === 1 ? 1 : first + 1;
  }

  async seqAt(unixMs: number): Promise<number> {
    const [row] = await this.#client.query<{ seq: number }>("SELECT seq_at($1) AS seq", [Math.ceil(unixMs)]);
    return row?.seq ?? 1;
  }
}

// Reads of a PostgreSQL board by id, seq and prefix.
import type { StoredMessage, Found, Precheck, Store } from "../../ports/store.ts";
import { utf8Length } from "../../core/protocol/encoding.ts";
import { atNobodysCost } from "../../ports/cpu-slices.ts";
import type { SeenOf } from "../sql/message-caches.ts";
import type { AuthorLine } from "../../core/keys/key-state.ts";
import { authorLineOf } from "../sql/key-rows.ts";
import { foundAt, precheckOf } from "../sql/known-message.ts";
import { TOMBSTONES, toTombstone } from "../sql/rows.ts";
import { FACT_JOINS, STORED_MESSAGE_COLUMNS, STORED_MESSAGE_JOINS, toStoredMessage } from "./stored-messages.ts";
import type { Client } from "./client.ts";
import { CurrentMessages, SNAPSHOT_READ } from "./current-messages.ts";
import type { LatestHead } from "./latest-head.ts";
import { numberArray, textArray } from "./array-literals.ts";
import { Coalesced } from "./coalesce.ts";
import { costOfRows, inPortions, portionSql } from "./portions.ts";

type Reads = Pick<Store, "precheck" | "find" | "findAll" | "seqAt">;

/** The parts of a post that the board may know or block. */
interface Posting {
  readonly id: string;
  readonly author: string;
  readonly blobs: readonly string[];
}

const BY_ID = portionSql(`${SNAPSHOT_READ} AS snapshot, ${STORED_MESSAGE_COLUMNS}`, FACT_JOINS, "m.id = ANY ($1::text[])");

interface Mentioned {
  readonly names: ReadonlySet<string>;
  /** For authors with key operations. */
  readonly lines: ReadonlyMap<string, AuthorLine | undefined>;
}

const asOf = (found: Found, now: number): Found => ("tombstone" in found ? found : foundAt(found.stored, now));

export class PostgresReader implements Reads {
  readonly #client: Client;
  readonly #toStoredMessage: (row: unknown) => StoredMessage;
  readonly #head: LatestHead;
  readonly #current = new CurrentMessages<string>();
  readonly #found = new Coalesced<string, Found | undefined>(async (ids) => {
    // Several callers wait for these.
    const found = await atNobodysCost(() => this.#stored(ids));
    return (id) => found.get(id);
  });
  readonly #mentioned = new Coalesced<Posting, Mentioned>(async (asked) => {
    const mentions = await this.#mentions(asked);
    const lines = new Map(mentions.flatMap(({ what, name, line }) => (what === "line" ? [[name, authorLineOf(line)]] : [])));
    const heardOf = { names: new Set(mentions.map(({ what, name }) => `${what} ${name}`)), lines };
    return () => heardOf;
  });

  constructor(client: Client, seenOf: SeenOf, head: LatestHead) {
    this.#client = client;
    this.#head = head;
    this.#toStoredMessage = toStoredMessage(seenOf);
  }

  async precheck(id: string, author: string, blobs: readonly string[], now: number): Promise<Precheck> {
    const [{ names: heardOf, lines }, stored] = await Promise.all([
      this.#mentioned.ask({ id, author, blobs }),
      blobs.length === 0
        ? []
        : this.#client.query<{ sha256: string; bytes: number }>(
            "SELECT sha256, octet_length(text) AS bytes FROM blobs WHERE sha256 = ANY ($1::text[]) AND expires_at > $2",
            [textArray(blobs), now],
          ),
    ]);
    // Nearly every post is new, so further facts are read only if something is known.
    const found = heardOf.has(`message ${id}`) ? await this.find(id, now) : undefined;
    return precheckOf({
      found,
      author,
      line: lines.get(author),
      blobs,
      storedBlobs: new Map(stored.map(({ sha256, bytes }) => [sha256, bytes])),
      isBlocked: (what, name) => heardOf.has(`${what} ${name}`),
    });
  }

  async find(id: string, now: number): Promise<Found | undefined> {
    const unchanged = await this.#unchanged(id);
    const found = unchanged ?? (await this.#found.ask(id));
    if (unchanged === undefined && found !== undefined && "stored" in found) costOfRows(1, utf8Length(found.stored.raw.payload));
    return found && asOf(found, now);
  }

  /** The message, if it was read since the board last changed. */
  async #unchanged(id: string): Promise<Found | undefined> {
    if (!this.#current.isAt(this.#head.newestVersion)) return undefined;
    const [stored] = this.#current.find((await this.#head.read()).snapshot, [id]) ?? [];
    return stored && { stored };
  }

  async findAll(ids: readonly string[], now: number): Promise<ReadonlyMap<string, Found>> {
    const found = await this.#stored(ids);
    return new Map([...found].map(([id, one]) => [id, asOf(one, now)]));
  }

  /** The messages and tombstones with these ids, whether or not they are past their time. */
  async #stored(ids: readonly string[]): Promise<ReadonlyMap<string, Found>> {
    const found = new Map<string, Found>();
    const asked = textArray(ids);
    for await (const row of inPortions<{ readonly snapshot: string }>((after) => this.#client.query(BY_ID, [asked, after]))) {
      const stored = this.#toStoredMessage(row);
      found.set(stored.state.id, { stored });
      this.#current.keep(row.snapshot, [[stored.state.id, stored]]);
    }
    // Afterwards, so that a message that ends meanwhile is found here.
    const others = ids.filter((id) => !found.has(id));
    if (others.length === 0) return found;
    const rows = await this.#client.query(`${TOMBSTONES} WHERE id = ANY ($1::text[])`, [textArray(others)]);
    for (const one of rows.map(toTombstone)) found.set(one.id, { tombstone: one });
    return found;
  }

  /** In order of seq, without ended ones. */
  async storedMessages(seqs: readonly number[]): Promise<readonly StoredMessage[]> {
    const sql = `SELECT ${STORED_MESSAGE_COLUMNS} FROM messages m ${STORED_MESSAGE_JOINS} WHERE m.seq = ANY ($1::bigint[]) ORDER BY m.seq`;
    return (await this.#client.query(sql, [numberArray(seqs)])).map(this.#toStoredMessage);
  }

  /** What the board knows of these posts: messages that are or were here, blocked keys and attachments. */
  async #mentions(asked: readonly Posting[]): Promise<readonly { what: string; name: string; line: string | null }[]> {
    return this.#client.query(
      `SELECT 'message' AS what, id AS name, NULL AS line FROM messages WHERE id = ANY ($1::text[])
        UNION ALL SELECT 'message', id, NULL FROM gone WHERE id = ANY ($1::text[])
        UNION ALL SELECT what, name, NULL FROM blocks WHERE what = 'key' AND name = ANY ($2::text[])
        UNION ALL SELECT what, name, NULL FROM blocks WHERE what = 'blob' AND name = ANY ($3::text[])
        UNION ALL SELECT 'line', id, line FROM agents WHERE id = ANY ($2::text[]) AND line IS NOT NULL
        UNION ALL SELECT 'key', b.name, NULL FROM agents a JOIN keys k ON k.agent = a.id JOIN blocks b ON b.what = 'key' AND b.name = k.principal
          WHERE a.id = ANY ($2::text[]) AND a.line IS NOT NULL`,
      [textArray(asked.map(({ id }) => id)), textArray(asked.map(({ author }) => author)), textArray(asked.flatMap(({ blobs }) => blobs))],
    );
  }

  async seqAt(unixMs: number): Promise<number> {
    const [row] = await this.#client.query<{ seq: number }>("SELECT seq_at($1) AS seq", [Math.ceil(unixMs)]);
    return row?.seq ?? 1;
  }
}

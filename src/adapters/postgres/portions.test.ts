// Whoever asks for many of the longest messages pays for them step by step, and reads no more than it can pay for.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { databaseFor, dropDatabaseOf } from "../../../test/support/postgres/database.ts";
import { utf8Length } from "../../core/protocol/encoding.ts";
import { atTheCostOf } from "../../ports/cpu-slices.ts";
import type { StoredMessage } from "../../ports/store.ts";
import { seenCache } from "../sql/message-caches.ts";
import { Client } from "./client.ts";
import { LatestHead } from "./latest-head.ts";
import { PostgresMessageCache } from "./message-cache.ts";
import { PostgresReader } from "./reader.ts";

const MESSAGES = 40;
/** Two bytes each. */
const CHARS = 150_000;
const PORTION_BYTES = 1024 * 1024;
const idOf = (n: number): string => String(n).padStart(64, "0");
const SEQS = Array.from({ length: MESSAGES }, (_, n) => n + 1);

let data: string;
let client: Client;
beforeAll(async () => {
  data = mkdtempSync(join(tmpdir(), "portions-"));
  client = new Client({ url: await databaseFor(data), connections: 2, name: "test" });
  await client.script(`
    INSERT INTO messages SELECT json.* FROM generate_series(1, ${MESSAGES}) AS n, LATERAL json_populate_record(NULL::messages, json_build_object(
      'seq', n, 'id', lpad(n::text, 64, '0'), 'author', 'ag_' || n, 'kind', 'note', 'root', lpad(n::text, 64, '0'), 'received_at', n,
      'expires_at', 1000000, 'bits', 0, 'assisted', 0, 'has_data', 0, 'has_attachment', 0, 'risk', 0, 'copies', 0, 'spreading', 0, 'status', 'open',
      'verifies', 0, 'refutes', 0, 'replies', 0, 'answers', 0, 'answers_verified', 0, 'rejected', 0, 'resolved_by_author', 0, 'withdrawn', 0, 'changed', n)) AS json;
    INSERT INTO contents SELECT n, repeat('é', ${CHARS} + n), 's', 'n' FROM generate_series(1, ${MESSAGES}) AS n`);
});
afterAll(async () => {
  await client.end();
  await dropDatabaseOf(data);
  rmSync(data, { recursive: true, force: true });
});

type Read = () => Promise<readonly Pick<StoredMessage, "state" | "raw">[]>;
const READS: Readonly<Record<string, Read>> = {
  "by id": async () => {
    const found = await new PostgresReader(client, seenCache(), new LatestHead(client, "test")).findAll([...SEQS.map(idOf), "none"], 5);
    return [...found.values()].flatMap((one) => ("stored" in one ? [one.stored] : []));
  },
  "by seq, for a page": async () => {
    const rows = await client.query<{ seq: number; version: string }>("SELECT seq, id || xmin AS version FROM messages ORDER BY seq");
    return (await new PostgresMessageCache(client, seenCache()).of(rows)) ?? [];
  },
};

describe.each(Object.keys(READS))("%s", (name) => {
  test("each message comes once and whole, and each portion is paid for by itself", async () => {
    const paid: number[] = [];
    const found = await atTheCostOf({ lane: "a", spend: (ms) => void paid.push(ms) }, READS[name]!);
    expect(found.map(({ state }) => state.seq).toSorted((a, b) => a - b)).toEqual(SEQS);
    for (const { state, raw } of found) expect(raw.payload).toBe("é".repeat(CHARS + state.seq));
    const bytes = found.reduce((sum, { raw }) => sum + utf8Length(raw.payload), 0);
    const portions = paid.filter((ms) => ms > 1);
    expect(portions.length).toBeGreaterThanOrEqual(Math.floor(bytes / (PORTION_BYTES + 2 * CHARS + 100)));
    expect(Math.max(...portions)).toBeLessThan(2 * (portions[0] ?? 0));
  });

  test("who cannot pay is refused after the first portion", async () => {
    let paid = 0;
    const spend = (ms: number): void => {
      if (ms > 1 && ++paid > 0) throw new Error("enough");
    };
    await expect(atTheCostOf({ lane: "a", spend }, READS[name]!)).rejects.toThrow("enough");
    expect(paid).toBe(1);
  });
});

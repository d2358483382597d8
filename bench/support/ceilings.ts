// Measures the most that this machine can do right now for each step of a post.
import { fork } from "node:child_process";
import { generateKeyPairSync, sign } from "node:crypto";
import { once } from "node:events";
import { closeSync, fsyncSync, openSync, writeSync } from "node:fs";
import { join } from "node:path";
import { Client } from "../../src/adapters/postgres/client.ts";
import { openDatabase } from "../../src/adapters/sqlite/open.ts";
import { checker, withOpenssl, withSodium } from "../../src/adapters/system/signature-thread.ts";
import type { GeneratorProcess } from "./spawn-load-generator.ts";

const SECONDS = 1;

/** How often per second `work` runs; it returns how much it did. */
function rate(work: () => number, seconds = SECONDS): number {
  const start = performance.now();
  const end = start + seconds * 1000;
  let done = 0;
  while (performance.now() < end) done += work();
  return done / ((performance.now() - start) / 1000);
}

export function signatureChecks(seconds = SECONDS): { readonly openssl: number; readonly sodium: number | undefined } {
  const { publicKey, privateKey } = generateKeyPairSync("ed25519");
  const text = "x".repeat(1000);
  const key = Buffer.from(publicKey.export({ format: "jwk" }).x ?? "", "base64url");
  const job = { key, sig: sign(null, Buffer.from(text), privateKey), text };
  const checks = (check: ReturnType<typeof checker>) =>
    rate(() => {
      if (!check(job)) throw new Error("A valid signature was refused.");
      return 1;
    }, seconds);
  const sodium = withSodium();
  return { openssl: checks(checker(withOpenssl())), sodium: sodium === undefined ? undefined : checks(checker(sodium)) };
}

/** Rows of 1 KB per second into one plain table, in durable transactions of `batch` rows. */
export function durableRows(dir: string, batch: number): number {
  const db = openDatabase(join(dir, `rows-${batch}.db`), "write");
  db.exec("CREATE TABLE bench (seq INTEGER PRIMARY KEY, text TEXT NOT NULL)");
  const insert = db.prepare("INSERT INTO bench (text) VALUES (?)");
  const text = "x".repeat(1000);
  const rows = rate(() => {
    db.exec("BEGIN IMMEDIATE");
    for (let i = 0; i < batch; i++) insert.run(text);
    db.exec("COMMIT");
    return batch;
  });
  db.close();
  return rows;
}

/** The same in PostgreSQL, over one connection, with one statement per transaction. */
export async function durableRowsIn(url: string, batch: number): Promise<number> {
  const client = new Client({ url, connections: 1, name: "bench" });
  const table = `bench_${batch}`;
  await client.script(`CREATE TABLE ${table} (seq bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, text text NOT NULL)`);
  const texts = JSON.stringify(Array.from({ length: batch }, () => "x".repeat(1000)));
  const start = performance.now();
  let rows = 0;
  for (; performance.now() < start + SECONDS * 1000; rows += batch)
    await client.query(`INSERT INTO ${table} (text) SELECT value FROM json_array_elements_text($1::text::json)`, [texts]);
  const perSecond = rows / ((performance.now() - start) / 1000);
  await client.end();
  return perSecond;
}

/** Counts fsync and not fdatasync, because the SQLite in Node.js calls fsync. */
export function syncs(dir: string): number {
  const file = openSync(join(dir, "syncs"), "w");
  const page = Buffer.alloc(4096, 1);
  const perSecond = rate(() => {
    writeSync(file, page);
    fsyncSync(file);
    return 1;
  });
  closeSync(file);
  return perSecond;
}

export async function smallAnswers(generator: GeneratorProcess): Promise<number> {
  const server = fork(new URL("./bare-http.ts", import.meta.url));
  const [port] = (await once(server, "message")) as [number];
  const { perSecond } = await generator.get([port], ["/"], 64, SECONDS);
  server.kill();
  return perSecond;
}

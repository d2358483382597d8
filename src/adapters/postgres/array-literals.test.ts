// Rows reach PostgreSQL as they are, whatever characters their texts have.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { databaseFor, dropDatabaseOf } from "../../../test/support/postgres/database.ts";
import { rowArray, storable } from "./array-literals.ts";
import { Client } from "./client.ts";

const COLUMNS = ["seq", "payload", "sig", "nonce"];
const text = fc.oneof(
  fc.string({ unit: "grapheme" }),
  fc.constantFrom("", " ", "null", "NULL", '"', "\\", '\\"', ",", "(a,b)", "{}", "a\tb\nc", " a ", "’“"),
  fc.string({ unit: fc.constantFrom('"', "\\", ",", "(", ")", "{", "}", "'", " ", "a", "\n") }),
);

test("every text, number and null comes back as it was sent", async () => {
  const data = mkdtempSync(join(tmpdir(), "rows-"));
  const client = new Client({ url: await databaseFor(data), connections: 1, name: "test" });
  const row = fc.record({
    seq: fc.integer({ min: 0, max: Number.MAX_SAFE_INTEGER }),
    payload: text.map(storable),
    sig: fc.option(text.map(storable)),
    nonce: fc.constant(null),
  });
  try {
    await fc.assert(
      fc.asyncProperty(fc.array(row, { minLength: 1, maxLength: 30 }), async (rows) => {
        const read = await client.query("SELECT * FROM unnest($1::text::contents[])", [rowArray(COLUMNS, rows)]);
        expect([...read]).toEqual(rows);
      }),
      { numRuns: 200 },
    );
    expect([...(await client.query("SELECT * FROM unnest($1::text::contents[])", [rowArray(COLUMNS, [{ seq: 7 }])]))]).toEqual([
      { seq: 7, payload: null, sig: null, nonce: null },
    ]);
  } finally {
    await client.end();
    await dropDatabaseOf(data);
    rmSync(data, { recursive: true, force: true });
  }
});

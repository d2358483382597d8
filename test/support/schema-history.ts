// A schema after two migrations, for tests of both stores.
import type { SchemaHistory } from "../../src/adapters/sql/schema.ts";

export const FIRST: SchemaHistory = { version: 1, schema: "CREATE TABLE notes (text TEXT);", steps: {} };
export const THIRD: SchemaHistory = {
  version: 3,
  schema: "CREATE TABLE notes (text TEXT, words INTEGER, kind TEXT);",
  steps: {
    1: "ALTER TABLE notes ADD COLUMN words INTEGER; UPDATE notes SET words = 1;",
    2: "ALTER TABLE notes ADD COLUMN kind TEXT; UPDATE notes SET words = words + 1;",
  },
};

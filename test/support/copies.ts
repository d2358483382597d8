// Copies of a stopped board's database, to restore later, as an operator does with a backup.
import { cpSync } from "node:fs";
import { join } from "node:path";
import { databasePath } from "../../src/adapters/sqlite/open.ts";
import { copyDatabase, copyRows, databaseUrlOf } from "./postgres/database.ts";

const fileOf = (data: string, name: string): string => join(data, `${name}.db`);

export async function keepCopy(data: string, name: string): Promise<void> {
  if (databaseUrlOf(data) === undefined) cpSync(databasePath(data), fileOf(data, name));
  else await copyDatabase(data, fileOf(data, name));
}

export async function putBack(data: string, name: string): Promise<void> {
  if (databaseUrlOf(data) === undefined) cpSync(fileOf(data, name), databasePath(data));
  else await copyDatabase(fileOf(data, name), data);
}

/** Copies the database of a running board to another directory, whose files were copied already. */
export async function copyBoard(from: string, to: string): Promise<void> {
  if (databaseUrlOf(from) === undefined) return;
  await copyRows(from, to);
}

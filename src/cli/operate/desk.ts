// The operator's desk: a store opened beside the board that may be running on it, a question before each act, and words after it.
import { existsSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline/promises";
import type { Command } from "commander";
import { postgresHeadRecord } from "../../adapters/postgres/head-record.ts";
import { openPostgresStore } from "../../adapters/postgres/store.ts";
import { databasePath } from "../../adapters/sqlite/open.ts";
import { openSqliteStore } from "../../adapters/sqlite/store.ts";
import { headFile } from "../../adapters/system/head-file.ts";
import { continues } from "../../board/checkpoint.ts";
import type { Config } from "../../config.ts";
import type { Order, Ordered } from "../../core/message/orders.ts";
import { visible } from "../../core/view/markdown.ts";
import type { HeadRecord } from "../../ports/head-record.ts";
import type { Store } from "../../ports/store.ts";
import { readSettings } from "../settings.ts";

export interface DeskOptions {
  readonly data?: string;
  readonly databaseUrl?: string;
  readonly keyFile?: string;
  readonly baseUrl?: string;
  readonly yes?: boolean;
  readonly json?: boolean;
}

export interface Desk {
  readonly config: Config;
  readonly store: Store;
  readonly now: () => number;
  /** Goes on only where the operator says yes. */
  readonly confirm: (question: string) => Promise<void>;
  readonly tell: (text: string, json: object) => void;
  readonly order: (order: Order) => Promise<Ordered>;
}

/** The flags that every command at the desk takes. */
export function atDesk(command: Command): Command {
  return command
    .option("--data <dir>", "directory of the board")
    .option("--database-url <url>", "postgres://... where the board is kept there")
    .option("--key-file <file>", "the board's own key")
    .option("--base-url <url>", "public address of the board")
    .option("--yes", "do not ask")
    .option("--json", "print JSON");
}

export function configOf({ data, databaseUrl, keyFile, baseUrl }: DeskOptions): Config {
  const given = { "--data": data, "--database-url": databaseUrl, "--key-file": keyFile, "--base-url": baseUrl };
  return readSettings(Object.entries(given).flatMap(([flag, value]) => (value === undefined ? [] : [flag, value])));
}

/** Opens the store, lets the work be done and closes it again, whatever came of it. */
export async function withDesk<Result>(options: DeskOptions, work: (desk: Desk) => Promise<Result>): Promise<Result> {
  const config = configOf(options);
  const { store, record } = await openBoard(config);
  try {
    return await work(desk(config, store, record, options));
  } finally {
    await store.close();
  }
}

/** The board's store beside the board that may be running on it, and the last head it signed. */
export async function openBoard({ data, databaseUrl }: Config): Promise<{ store: Store; record: HeadRecord }> {
  const file = headFile(join(data, "head.json"));
  if (databaseUrl !== undefined) {
    const store = await openPostgresStore(databaseUrl, undefined, "operator");
    return { store, record: postgresHeadRecord(store.client, file) };
  }
  requireBoardIn(data);
  return { store: await openSqliteStore(data, () => {}, "operator"), record: file };
}

export function requireBoardIn(data: string): void {
  if (!existsSync(databasePath(data))) throw new Error(`There is no board in ${data}. Give its directory with --data.`);
}

/** Asking and telling, for what is done without the store. */
export function offDesk(options: DeskOptions): Pick<Desk, "confirm" | "tell"> {
  return {
    confirm: (question) => confirm(question, options),
    tell(text, json) {
      process.stdout.write(options.json === true ? `${JSON.stringify(json)}\n` : `${text}\n`);
    },
  };
}

export function desk(config: Config, store: Store, record: HeadRecord, options: DeskOptions): Desk {
  const now = (): number => Date.now();
  return {
    ...offDesk(options),
    config,
    store,
    now,
    async order(order) {
      // Whoever wrote behind the last signed head would help to tell a second history.
      const signed = await record.read();
      if (signed !== undefined && !(await continues(store, signed)))
        throw new Error("The database is behind the last signed head: nothing may be written. Restore the newest database first.");
      const [outcome] = (await store.append([{ type: "order", order }], now())).outcomes;
      if (outcome !== undefined && "refused" in outcome) throw new Error(outcome.refused.message);
      if (outcome === undefined || !("ordered" in outcome)) throw new Error("The store answered an order with something else.");
      return outcome.ordered;
    },
  };
}

async function confirm(question: string, { yes, json }: DeskOptions): Promise<void> {
  if (yes === true) return;
  if (json === true) throw new Error("Nothing was done: with --json give --yes as well.");
  const lines = createInterface({ input: process.stdin, output: process.stdout });
  // The end of the input is no answer, and no answer is no.
  const closed = new Promise<string>((resolve) => lines.once("close", () => resolve("")));
  const answer = await Promise.race([lines.question(`${question} [y/N] `), closed]);
  lines.close();
  if (/^y(es)?$/i.test(answer.trim())) return;
  const unasked = answer === "" && !process.stdin.isTTY;
  throw new Error(unasked ? "Nothing was done: nobody answered. Where nobody can be asked, give --yes." : "Nothing was done.");
}

/** What strangers wrote, on one line and without anything that a terminal would obey. */
export function oneLine(text: string, chars = 120): string {
  const line = visible(text.replaceAll(/\s+/gu, " ")).trim();
  return line.length > chars ? `${line.slice(0, chars - 1)}…` : line;
}

// The operator's session: a store opened beside the running board, a confirmation before each command, and a report after it.
import { createInterface } from "node:readline/promises";
import type { Command } from "commander";
import { continues } from "../../board/operator/log-checkpoint-signer.ts";
import { type NameLookup, names } from "../../board/read/resolve-agents-and-messages.ts";
import type { Config } from "../../config.ts";
import type { Head } from "../../core/log/chain-checkpoint.ts";
import type { RefusedOutcome } from "../../core/message/acts-and-outcomes.ts";
import type { OperatorCommand, OrderedBy } from "../../core/message/execute-operator-commands.ts";
import { visible } from "../../core/view/fence.ts";
import type { Store } from "../../ports/store.ts";
import { placeOf } from "../../storage/open.ts";
import type { Beside } from "../../storage/storage-backend.ts";
import { UsageFault } from "../failure.ts";
import { readSettings } from "../board-setting-options.ts";
import { unknownHere } from "../unknown-variables.ts";

export interface OperatorOptions {
  readonly data?: string;
  readonly databaseUrl?: string;
  readonly keyFile?: string;
  readonly baseUrl?: string;
  readonly yes?: boolean;
  readonly json?: boolean;
}

/** The outcome of a command. */
type Answer<Given extends OperatorCommand> = RefusedOutcome | { readonly ordered: OrderedBy<Given> };

export interface OperatorSession {
  readonly config: Config;
  readonly store: Store;
  /** The source that the search index reads; undefined if each node has its own index. */
  readonly source: Beside["source"];
  readonly names: NameLookup;
  readonly now: () => number;
  /** Continues only if the operator says yes. */
  readonly confirm: (question: string) => Promise<void>;
  readonly print: (text: string, json: object) => void;
  /** Whether the output is JSON. */
  readonly json: boolean;
  /** Throws if it is refused. */
  readonly order: <Given extends OperatorCommand>(order: Given) => Promise<OrderedBy<Given>>;
  readonly attempt: <Given extends OperatorCommand>(order: Given) => Promise<Answer<Given>>;
  /** Executes all in one transaction; returns their outcomes in the same order. */
  readonly orders: <Given extends OperatorCommand>(orders: readonly Given[]) => Promise<readonly Answer<Given>[]>;
  /** The last head that the board signed, if the database does not continue it. Then nothing may be written. */
  readonly signedAhead: () => Promise<Head | undefined>;
}

/** Used instead of a database's address: the board is in the directory. */
export const NO_DATABASE = "none";
/** The environment of a command with `--database-url none`. */
const NO_DATABASE_VARIABLES = { BOARD_DATABASE_URL: "", BOARD_DATABASE_READ_URL: "" };

/** The flags that every operator's command takes. */
export function withOperator(command: Command): Command {
  return command
    .option("--data <dir>", "directory of the board")
    .option("--database-url <url>", "postgres://... if the board is in PostgreSQL; none for the board in the directory")
    .option("--key-file <file>", "the board's own key")
    .option("--base-url <url>", "public address of the board")
    .option("--yes", "do not ask")
    .option("--json", "print JSON");
}

export function configOf({ data, databaseUrl, keyFile, baseUrl }: OperatorOptions): Config {
  const inDirectory = databaseUrl === NO_DATABASE;
  const url = inDirectory ? undefined : databaseUrl;
  const given = { "--data": data, "--database-url": url, "--key-file": keyFile, "--base-url": baseUrl };
  const flags = Object.entries(given).flatMap(([flag, value]) => (value === undefined ? [] : [flag, value]));
  const config = readSettings(flags, inDirectory ? NO_DATABASE_VARIABLES : {});
  warnOfVariables();
  if (data !== undefined && url === undefined && config.databaseUrl !== undefined)
    throw new UsageFault(
      `which board? --data names the one in ${data}, and BOARD_DATABASE_URL (environment or .env) one in PostgreSQL. ` +
        `For the one in the directory give --database-url ${NO_DATABASE} as well; for the one in PostgreSQL give its --database-url, or leave --data out.`,
    );
  return config;
}

let warned = false;

/** Warns once per command, only about variables that were most likely meant for a board. */
function warnOfVariables(): void {
  const likely = warned ? [] : unknownHere().filter((one) => one.likely);
  warned = true;
  for (const { words } of likely) process.stderr.write(`warning: ${words}\n`);
}

export const withOpenBoard = <Result>(options: OperatorOptions, work: (session: OperatorSession) => Promise<Result>): Promise<Result> =>
  withOpenPlace(configOf(options), options, Date.now, work);

/** Opens the store, does the work and closes the store, also if the work failed. */
export async function withOpenPlace<Result>(
  config: Config,
  options: OperatorOptions,
  now: () => number,
  work: (session: OperatorSession) => Promise<Result>,
): Promise<Result> {
  const opened = await placeOf(config).openBeside();
  await using _store = opened.store;
  try {
    return await work(operatorSession(config, opened, options, now));
  } catch (error) {
    throw opened.explain(error);
  }
}

/** Confirmation and output, for commands that do not open the store. */
export function withClosedBoard(options: OperatorOptions): Pick<OperatorSession, "confirm" | "print" | "json"> {
  return {
    json: options.json === true,
    confirm: (question) => confirm(question, options),
    print(text, json) {
      process.stdout.write(options.json === true ? `${JSON.stringify(json)}\n` : `${text}\n`);
    },
  };
}

export function operatorSession(
  config: Config,
  { store, record, source }: Beside,
  options: OperatorOptions,
  now: () => number = Date.now,
): OperatorSession {
  async function signedAhead(): Promise<Head | undefined> {
    const signed = await record.read();
    return signed === undefined || (await continues(store, signed)) ? undefined : signed;
  }
  async function orders<Given extends OperatorCommand>(given: readonly Given[]): Promise<readonly Answer<Given>[]> {
    // Writing behind the last signed head would help to sign a second history.
    if ((await signedAhead()) !== undefined)
      throw new Error("The database is behind the last signed head: nothing may be written. Restore the newest database first.");
    const { outcomes } = await store.append(
      given.map((order) => ({ type: "order", order }) as const),
      now(),
    );
    return outcomes;
  }
  const attempt = async <Given extends OperatorCommand>(order: Given): Promise<Answer<Given>> => (await orders([order]))[0]!;
  return {
    ...withClosedBoard(options),
    config,
    store,
    source,
    names: names(store, { now }, config.mailDomain),
    now,
    signedAhead,
    orders,
    attempt,
    async order(order) {
      const outcome = await attempt(order);
      if ("refused" in outcome) throw new Error(refusalWords(outcome));
      return outcome.ordered;
    },
  };
}

/** A fault of the program has a stack, of which the first line is enough here. */
export const refusalWords = ({ refused }: RefusedOutcome): string => refused.message.split("\n", 1)[0] ?? "";

async function confirm(question: string, { yes, json }: OperatorOptions): Promise<void> {
  if (yes === true) return;
  if (json === true) throw new Error("Nothing was done: with --json give --yes as well.");
  const lines = createInterface({ input: process.stdin, output: process.stdout });
  // The end of the input is not an answer, and no answer means no.
  const closed = new Promise<string>((resolve) => lines.once("close", () => resolve("")));
  const answer = await Promise.race([lines.question(`${question} [y/N] `), closed]);
  lines.close();
  if (/^y(es)?$/i.test(answer.trim())) return;
  const unasked = answer === "" && !process.stdin.isTTY;
  throw new Error(unasked ? "Nothing was done: nobody answered. If nobody can answer, give --yes." : "Nothing was done.");
}

/** The typed text, with its invisible characters made visible. */
export function quoted(given: string, chars = 80): string {
  const text = visible(JSON.stringify(given));
  return text.length > chars ? `${text.slice(0, chars - 1)}…` : text;
}

/** Text of strangers, on one line and without control characters for the terminal. */
export function printable(text: string, chars = 120): string {
  const line = visible(text.replaceAll(/\s+/gu, " ")).trim();
  return line.length > chars ? `${line.slice(0, chars - 1)}…` : line;
}

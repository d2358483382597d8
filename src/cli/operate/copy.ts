// `blackboard copy`: moves a board from SQLite to PostgreSQL or back, with its chain and key, and checks it at its new place.
import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Command } from "commander";
import { openPostgresStore } from "../../adapters/postgres/store.ts";
import { postgresHeadRecord } from "../../adapters/postgres/head-record.ts";
import { fillPostgres, nodesAt } from "../../adapters/postgres/transfer.ts";
import { databasePath, lockDataDir, openDatabase } from "../../adapters/sqlite/open.ts";
import { soundHead } from "../../adapters/sqlite/snapshot.ts";
import { portionsOf } from "../../adapters/sqlite/transfer.ts";
import { requireBoardKey } from "../../adapters/system/board-key.ts";
import { parentFault } from "../../adapters/system/make-directory.ts";
import { headFileIn } from "../../adapters/system/head-file.ts";
import type { Head } from "../../core/log/chain-checkpoint.ts";
import { agentId } from "../../core/protocol/message-and-agent-ids.ts";
import { inDatabase } from "../../storage/in-database.ts";
import { fileOfKey, signersAt } from "../../storage/key-ring.ts";
import { inDirectory } from "../../storage/in-directory.ts";
import { UsageFault } from "../failure.ts";
import { checkConfigured } from "./check.ts";
import { configOf, NO_DATABASE } from "./operator-session.ts";
import { KEY_FILE, keyFilesIn, keysMove, ownKeys, keyWords, type MovedKey } from "./move-board-key.ts";
import { allOrNothing } from "./fill-directory-atomically.ts";
import { loadEnvFile } from "../board-setting-options.ts";

export interface CopyOptions {
  readonly from: string;
  readonly to: string;
  readonly keyFile?: string;
  readonly json?: boolean;
}

interface Copied {
  readonly head: Head;
  readonly key: MovedKey;
}

const MEND = "Give the board's own key with --key-file.";
const isDatabase = (place: string): boolean => /^postgres(ql)?:\/\//.test(place);

export function copyCommand(program: Command): void {
  program
    .command("copy")
    .description("move a board from SQLite to PostgreSQL or back, and verify it there; every board on it must be stopped")
    .option("--from <place>", "directory of a SQLite board, or postgres://...")
    .option("--to <place>", "postgres://... of an empty database, or a directory without a board")
    .option("--key-file <file>", "the board's own key; the one in the SQLite directory, or of the settings, unless given")
    .option("--json", "print JSON")
    .action(async (given: Partial<CopyOptions>) => {
      const { from, to } = given;
      if (from === undefined || to === undefined)
        throw new UsageFault(
          `${[from === undefined ? "--from" : "", to === undefined ? "--to" : ""].filter((one) => one !== "").join(" and ")} missing: give the place to copy from and the place to copy to, one a directory and the other postgres://...`,
        );
      const options: CopyOptions = { ...given, from, to };
      loadEnvFile();
      const { head, key } = await copyBoard(options);
      const place = options.to.replace(/\/\/.*@/, "//");
      const words = `Copied and verified: ${place} ends at entry ${head.seq}, ${head.hash}.\n${keyWords(key, isDatabase(options.to))}`;
      process.stdout.write(options.json === true ? `${JSON.stringify({ copied: head, key })}\n` : `${words}\n`);
    });
}

export async function copyBoard(options: CopyOptions, now: number = Date.now()): Promise<Copied> {
  const { from, to, keyFile = join(from, KEY_FILE) } = options;
  if (isDatabase(from) === isDatabase(to))
    throw new Error("Give a directory and a postgres:// address: one to copy from, the other to copy to.");
  if (!isDatabase(to)) return copyToSqlite(options, now);
  const identity = await inDirectory(from).identity();
  const signing = signersAt(identity, now).board?.current;
  const file = fileOfKey(keyFile, signing);
  const { pk: held } = requireBoardKey(file, from, signing, MEND);
  const pk = identity.pk ?? held;
  return { head: await copyToPostgres({ from, to, pk }, now), key: { board: agentId(pk), file, state: "there" } };
}

/** `pk` is the public half of the board's first key. */
export async function copyToPostgres({ from, to, pk }: { from: string; to: string; pk: string }, now = Date.now()): Promise<Head> {
  const head = await fillFrom(from, to, pk);
  // The head in the copied board counts, not the one that this machine has of another board.
  await requireSound({ databaseUrl: to, data: from }, now);
  return head;
}

async function fillFrom(from: string, to: string, pk: string): Promise<Head> {
  soundHead(databasePath(from));
  using _lock = lockDataDir(from);
  using db = openDatabase(databasePath(from), "write");
  await using store = await openPostgresStore(to);
  const head = await fillPostgres(to, portionsOf(db), pk);
  const signed = await headFileIn(from, pk).read();
  if (signed !== undefined)
    await postgresHeadRecord(store.client, { read: async () => undefined, write: async (one) => one }, pk).write(signed);
  return head;
}

async function copyToSqlite({ from, to, keyFile }: CopyOptions, now: number): Promise<Copied> {
  if (existsSync(databasePath(to))) throw new Error(`There is already a board in ${to}. Give a directory without one.`);
  const lost = parentFault(to);
  if (lost !== undefined) throw new Error(`The board cannot be put in ${to}: ${lost}`);
  const nodes = await nodesAt(from);
  if (nodes > 0)
    throw new Error(
      `Boards are running on that database (${nodes} connections). Stop them first: two copies of one board must not run at the same time.`,
    );
  const place = inDatabase(from, to);
  // Copied before the database, so that the copied database is never behind the copied head.
  const identity = await place.identity();
  const { pk, signed } = identity;
  const signers = signersAt(identity, now);
  const signing = signers.board?.current;
  const own = join(to, KEY_FILE);
  const { keyFile: configured, data } = configOf({});
  const given = keyFile ?? (existsSync(own) ? own : configured);
  requireBoardKey(fileOfKey(given, signing), place.words, signing, MEND);
  const { move } = keysMove(signers, ownKeys({ keyFile: given, data }), keyFilesIn(to));
  const copied = await allOrNothing(to, async () => {
    using _lock = lockDataDir(to);
    await place.copyTo(databasePath(to), pk);
    if (signed !== undefined) await headFileIn(to, pk).write(signed);
    return { head: soundHead(databasePath(to)), key: move().key };
  });
  await requireSound({ data: to, databaseUrl: NO_DATABASE }, now);
  return copied;
}

/** Checks every signature, the chain, the signed head and every derived fact at the new place. */
async function requireSound(place: { readonly data: string; readonly databaseUrl: string }, now: number): Promise<void> {
  const { faults, findings } = await checkConfigured(configOf(place), now);
  if (faults === 0) return;
  const some = findings.slice(0, 5).map(({ where, fault }) => `${where} ${fault}`);
  throw new Error(`The copy has ${faults} faults and must not be used: ${some.join("; ")}`);
}

// `blackboard operate accept-history`: the board continues from a database that does not match what it had signed, under a new log name.
import { existsSync, renameSync } from "node:fs";
import { join } from "node:path";
import type { Command } from "commander";
import { readBoardKey, requireBoardKey } from "../../adapters/system/board-key.ts";
import { HEAD_FILE } from "../../adapters/system/head-file.ts";
import { logKeyFile, setLogKeyAside } from "../../adapters/system/log-key.ts";
import { syncDirectory } from "../../adapters/system/sync.ts";
import { continues } from "../../board/operator/log-checkpoint-signer.ts";
import type { Config } from "../../config.ts";
import type { TlogName } from "../../ports/tlog-identity.ts";
import { fileOfKey, signersAt, vouchedFor } from "../../storage/key-ring.ts";
import { placeOf } from "../../storage/open.ts";
import { newTlogName } from "../../storage/tlog-identity.ts";
import { giveToOwnerOf } from "./chown-to-board-owner.ts";
import { configOf, type OperatorOptions, withClosedBoard, withOperator } from "./operator-session.ts";

export function acceptHistoryCommand(operate: Command): void {
  withOperator(
    operate
      .command("accept-history")
      .description("continue from a database that is older than the last signed head, under a new log name; the board must be stopped"),
  ).action(acceptConfigured);
}

async function acceptConfigured(options: OperatorOptions): Promise<void> {
  const { confirm, print } = withClosedBoard(options);
  const config = configOf(options);
  const { name, before, seq } = await acceptHistory(config, confirm, Date.now());
  print(
    `The board continues from entry ${seq}. Its log is ${name.origin} from now on, with a new key; the log ${before?.origin ?? "before"} is not continued. ` +
      "Tell its witnesses and all readers that keep its heads: their policies name the old key.",
    { accepted: { seq, origin: name.origin, former_origin: before?.origin ?? null } },
  );
}

export interface AcceptedHistory {
  readonly name: TlogName;
  readonly before: TlogName | undefined;
  /** The head of the log. */
  readonly seq: number;
}

export async function acceptHistory(config: Config, confirm: (question: string) => Promise<void>, now: number): Promise<AcceptedHistory> {
  const place = placeOf(config);
  using _lock = await place.lock();
  const identity = await place.identity();
  const { signed } = identity;
  const signers = signersAt(identity, now);
  const pk = signers.board?.current;
  const board = requireBoardKey(fileOfKey(config.keyFile, pk), place.words, pk, "Give the board's own key with --key-file.");
  const tlog = identity.tlog && vouchedFor(identity.tlog, signers.log, board);
  const beside = await place.openBeside();
  await using store = beside.store;
  const { seq } = await store.head();
  const file = logKeyFile(config.keyFile, config.data);
  const isBehind = signed !== undefined && !(await continues(store, signed));
  if (!isBehind && tlog !== undefined && [undefined, tlog.pk].includes(readBoardKey(file)?.pk))
    throw new Error(
      "There is nothing to accept: the database continues from the last head that the board signed, and the log has its key.",
    );
  await confirm(
    isBehind
      ? `The board has signed entry ${signed.seq}, and this database, at entry ${seq}, does not contain it. Continue from here, under a new log name?`
      : "The log's key is lost. Continue under a new log name, with a new key?",
  );
  // The order matters: a crash in between leaves a board that signs nothing yet.
  setLogKeyAside(file);
  const name = newTlogName(config.baseUrl, tlog, file, board, now);
  await beside.recordTlogName(name);
  if (isBehind) {
    await beside.forgetSigned();
    setHeadAside(config.data, signed.seq);
  }
  giveToOwnerOf(config.data, [file]);
  return { name, before: tlog, seq };
}

/** The old head stays, under a name that says what it was, as evidence of what had been signed. */
function setHeadAside(data: string, seq: number): void {
  const head = join(data, HEAD_FILE);
  if (!existsSync(head)) return;
  renameSync(head, join(data, `head-given-up-${seq}.json`));
  syncDirectory(data);
}

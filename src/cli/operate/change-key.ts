// `blackboard operate change-key`: announces a new key of the board, or of its log alone, days before it takes effect.
import { existsSync } from "node:fs";
import type { Command } from "commander";
import { makeBoardKey, readBoardKey, requireBoardKey } from "../../adapters/system/board-key.ts";
import { laterLogKey, logKeyFile, logKeyFor, announcedKeyFile } from "../../adapters/system/log-key.ts";
import type { Config } from "../../config.ts";
import { ANNOUNCED_MS } from "../../core/message/announce-next-board-key.ts";
import { type BoardKeyName, changeText, type KeyStatement, statementText } from "../../core/protocol/board-key-change.ts";
import { agentId } from "../../core/protocol/message-and-agent-ids.ts";
import { LIMITS } from "../../core/protocol/limits.ts";
import { iso } from "../../core/protocol/time.ts";
import type { SigningKey } from "../../ports/signing-key.ts";
import { fileOfKey, type Signers, signersAt, vouchedFor } from "../../storage/key-ring.ts";
import { placeOf } from "../../storage/open.ts";
import { UsageFault } from "../failure.ts";
import { configOf, type OperatorOptions, quoted, refusalWords, withClosedBoard, withOpenPlace, withOperator } from "./operator-session.ts";
import { giveToOwnerOf } from "./chown-to-board-owner.ts";

/** The clocks of this machine and of the board may differ by this much. */
const SLACK_S = 60;

export function changeKeyCommand(operate: Command): void {
  withOperator(
    operate
      .command("change-key")
      .argument("<board|log>")
      .description(`announce a new key of the board and its log, or of the log alone; it takes effect after ${LIMITS.board_key_days} days`),
  ).action(changeConfigured);
}

async function changeConfigured(name: string, options: OperatorOptions): Promise<void> {
  if (name !== "board" && name !== "log") throw new UsageFault(`${quoted(name)} is neither board nor log`);
  const { confirm, print } = withClosedBoard(options);
  const done = await changeKey(configOf(options), name, confirm, Date.now());
  if ("made" in done) {
    print(
      `A new key is at ${done.made}. Nothing is announced yet: copy that file to every node first, to the same place beside its board.key, with mode 600. Then run this command again.`,
      { made: done.made },
    );
    return;
  }
  const from = iso(done.from * 1000);
  const lines = done.announced.map(
    (one) => `The ${one.key === "board" ? "board's" : "log's"} key is ${one.old} until then, ${one.new} from then on.`,
  );
  print([`Announced in the log: the new key takes effect at ${from}. Until then both sign.`, ...lines].join("\n"), {
    announced: done.announced,
    from,
  });
}

export type KeyChanged =
  | { /** The path of the new key, which every node needs before the announcement. */ readonly made: string }
  | { readonly announced: readonly KeyStatement[]; /** In Unix seconds. */ readonly from: number };

export async function changeKey(
  config: Config,
  name: BoardKeyName,
  confirm: (question: string) => Promise<void>,
  now: number,
): Promise<KeyChanged> {
  const place = placeOf(config);
  const identity = await place.identity();
  const { pk, tlog } = identity;
  const signers = signersAt(identity, now);
  requireNothingAnnounced(signers);
  if (pk === undefined || tlog === undefined) throw new Error("The board has not been started yet: its first start makes its keys.");
  const signing = signers.board?.current;
  const file = fileOfKey(config.keyFile, signing);
  const board = requireBoardKey(file, place.words, signing, "Give it with --key-file.");
  if (name === "board" && file !== config.keyFile)
    throw new Error(
      `The board's key is still at ${file}, where it was announced. Restart the board first: its start puts the key at ${config.keyFile}.`,
    );
  const log = logKeyFor(logKeyFile(config.keyFile, config.data), vouchedFor(tlog, signers.log, board), board);
  if (log === undefined) throw new Error("The log's key is missing. Copy log.key from another node or from a backup.");
  const isMade = existsSync(announcedKeyFile(config.keyFile));
  const next = name === "board" ? nextBoardKey(config) : board;
  // Every node needs its own copy before it is announced, or it could sign nothing.
  if (name === "board" && !isMade && place.isShared) return { made: announcedKeyFile(config.keyFile) };
  await confirm(
    `Announce a new key of the ${name === "board" ? "board and of its log" : "log"}, which takes effect after ${LIMITS.board_key_days} days?`,
  );
  const ts = Math.floor(now / 1000);
  const from = Math.ceil((now + ANNOUNCED_MS) / 1000) + SLACK_S;
  const both = { board: agentId(pk), from, ts };
  // The log's key is made from the board's key, so a leaked board key means a leaked log key.
  const nextLog = laterLogKey(next, tlog.origin, from);
  const changes = [
    ...(name === "board" ? [signedChange({ ...both, key: "board", old: board.pk, new: next.pk }, board, next)] : []),
    signedChange({ ...both, key: "log", old: log.pk, new: nextLog.pk }, log, nextLog),
  ];
  return { announced: await announce(config, changes, now), from };
}

function requireNothingAnnounced({ board, log }: Signers): void {
  const pending = board?.next ?? log?.next;
  if (pending !== undefined)
    throw new Error(`A new key of the ${pending.key} is already announced, and takes effect at ${iso(pending.from * 1000)}.`);
}

function nextBoardKey({ keyFile, data }: Config): SigningKey {
  const file = announcedKeyFile(keyFile);
  const made = readBoardKey(file) ?? makeBoardKey(file);
  giveToOwnerOf(data, [file]);
  return made;
}

function signedChange(statement: KeyStatement, old: SigningKey, next: SigningKey): string {
  const text = statementText(statement);
  return changeText({ statement: text, old_sig: old.sign(text), new_sig: next.sign(text) });
}

const announce = (config: Config, changes: readonly string[], now: number): Promise<readonly KeyStatement[]> =>
  withOpenPlace(
    config,
    {},
    () => now,
    async ({ orders }) => {
      const outcomes = await orders(changes.map((detail) => ({ do: "board_key", detail }) as const));
      return outcomes.map((outcome) => {
        if ("refused" in outcome) throw new Error(refusalWords(outcome));
        return outcome.ordered.announced;
      });
    },
  );

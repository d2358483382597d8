// The board's keys on this node: which one signs, by the announcements in the log, and the files that contain them.
import { readdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { readBoardKey } from "../adapters/system/board-key.ts";
import { announcedKeyFile, FORMER_KEY_FILE, logKeyFor } from "../adapters/system/log-key.ts";
import type { SecretUse } from "../adapters/system/secret-file.ts";
import { MINUTE_MS } from "../core/durations.ts";
import { Refusal } from "../core/errors.ts";
import {
  type AnnouncedKey,
  BOARD_KEYS,
  type BoardKeyName,
  type KeyChange,
  lineAt,
  type LineNow,
  statementOfChange,
} from "../core/protocol/board-key-change.ts";
import { tlogStatement } from "../core/log/tlog-name.ts";
import { agentId } from "../core/protocol/message-and-agent-ids.ts";
import type { BoardKeys, KeysNow } from "../ports/board-keys.ts";
import type { KeyReads } from "../ports/keys.ts";
import type { SigningKey } from "../ports/signing-key.ts";
import type { IdentityReads, TlogName } from "../ports/tlog-identity.ts";
import type { BoardIdentity } from "./storage-backend.ts";

/** An announcement is noticed within this time, days before it takes effect. */
const LOOK_MS = 1000;
/** More than a board ever announces. */
const MOST = 1000;

/** The announcements of a board, in order. `pk`: the public half of its first key. */
export async function announcedFor(store: Pick<KeyReads, "keyOps">, pk: string): Promise<readonly AnnouncedKey[]> {
  const board = agentId(pk);
  const operations = await store.keyOps(BOARD_KEYS, 0, MOST);
  return operations.filter(({ agent }) => agent === board).map(({ detail, seq }) => ({ ...(JSON.parse(detail) as KeyChange), seq }));
}

/** What the database says of the board's keys. */
export async function keysIn(reads: Pick<KeyReads, "keyOps"> & IdentityReads): Promise<Pick<BoardIdentity, "pk" | "changes" | "tlog">> {
  const pk = await reads.knownPk();
  return { pk, changes: pk === undefined ? [] : await announcedFor(reads, pk), tlog: await reads.tlogName() };
}

export const changesOf = <Change extends KeyChange>(name: BoardKeyName, changes: readonly Change[]): readonly Change[] =>
  changes.filter((change) => statementOfChange(change).key === name);

/** The keys that sign at a given time, by the announcements. */
export interface Signers {
  /** Every key of the board so far, and the announced one. */
  readonly members: readonly string[];
  readonly board: LineNow | undefined;
  /** The keys of the newest name of the log. */
  readonly log: LineNow | undefined;
}

export function signersAt({ pk, changes, tlog }: Pick<BoardIdentity, "pk" | "changes" | "tlog">, now: number): Signers {
  const unix = Math.floor(now / 1000);
  const of = (name: BoardKeyName) => changesOf(name, changes).map(statementOfChange);
  return {
    members: pk === undefined ? [] : [pk, ...of("board").map((one) => one.new)],
    board: pk === undefined ? undefined : lineAt(pk, of("board"), unix),
    log: tlog && lineAt(tlog.pk, of("log"), unix),
  };
}

/** The name with its present key, for which this key of the board vouches. */
export function vouchedFor(name: TlogName, line: LineNow | undefined, board: SigningKey): TlogName {
  return line?.since === undefined && name.board === board.pk
    ? name
    : withKey(name, line?.current ?? name.pk, line?.since ?? name.epoch, board);
}

function withKey({ origin }: TlogName, pk: string, from: number, board: SigningKey): TlogName {
  // The same text and signature on every node.
  const statement = tlogStatement(origin, pk, from);
  return { epoch: from, origin, pk, statement, sig: board.sign(statement), board: board.pk };
}

/** The file with the key: if the board was not started since its key changed, the key is still where it was announced. */
export const fileOfKey = (keyFile: string, pk: string | undefined, use?: SecretUse): string => {
  const next = announcedKeyFile(keyFile);
  return pk !== undefined && readBoardKey(keyFile, use)?.pk !== pk && readBoardKey(next, use)?.pk === pk ? next : keyFile;
};

/** Every key that the board had, has or will have, as far as its file is here; read again at most once a minute. */
export function keysBeside(keyFile: string): () => readonly SigningKey[] {
  let last: { readonly at: number; readonly keys: readonly SigningKey[] } | undefined;
  const read = (): readonly SigningKey[] => {
    try {
      const former = readdirSync(dirname(keyFile)).filter((name) => FORMER_KEY_FILE.test(name));
      const files = [keyFile, announcedKeyFile(keyFile), ...former.map((name) => join(dirname(keyFile), name))];
      return files.flatMap((file) => readBoardKey(file) ?? []);
    } catch {
      return [];
    }
  };
  return () => {
    const at = performance.now();
    if (last === undefined || at - last.at > MINUTE_MS) last = { at, keys: read() };
    return last.keys;
  };
}

export interface RingParts {
  readonly store: Pick<KeyReads, "keyOps"> & Pick<IdentityReads, "tlogName">;
  /** The public half of the board's first key. */
  readonly pk: string;
  readonly keyFile: string;
  readonly logKeyFile: string;
}

export class BoardKeyRing implements BoardKeys {
  readonly #parts: RingParts;
  readonly #keys = new Map<string, SigningKey>();
  #read: { readonly at: number; readonly changes: readonly AnnouncedKey[]; readonly tlog: TlogName | undefined } | undefined;

  constructor(parts: RingParts) {
    this.#parts = parts;
  }

  async at(now: number): Promise<KeysNow> {
    const { store, pk } = this.#parts;
    if (this.#read === undefined || Math.abs(now - this.#read.at) >= LOOK_MS)
      this.#read = { at: now, changes: await announcedFor(store, pk), tlog: await store.tlogName() };
    const { changes, tlog } = this.#read;
    const { members, board, log } = signersAt({ pk, changes, tlog }, now);
    const key = this.#board(board?.current ?? pk);
    const next = board?.next && { key: this.#board(board.next.new), from: board.next.from };
    const name = tlog !== undefined && members.includes(tlog.board) ? vouchedFor(tlog, log, key) : undefined;
    const nextName = name && log?.next && withKey(name, log.next.new, log.next.from, next?.key ?? key);
    return {
      board: agentId(pk),
      key,
      next,
      changes: changesOf("board", changes),
      log: name && { name, key: this.#log(name, key) },
      nextLog: nextName && { name: nextName, key: this.#log(nextName, next?.key ?? key) },
      logChanges: changesOf("log", changes),
    };
  }

  #board(pk: string): SigningKey {
    const { keyFile } = this.#parts;
    return this.#requireKey(
      pk,
      () => [keyFile, announcedKeyFile(keyFile)].map((file) => readBoardKey(file)).find((found) => found?.pk === pk),
      keyFile,
    );
  }

  #log(name: TlogName, board: SigningKey): SigningKey {
    const { logKeyFile: file } = this.#parts;
    return this.#requireKey(name.pk, () => logKeyFor(file, name, board), file);
  }

  #requireKey(pk: string, find: () => SigningKey | undefined, file: string): SigningKey {
    const key = this.#keys.get(pk) ?? find();
    if (key === undefined)
      throw new Refusal(
        "read_only",
        `This node does not have the key ${pk}, with which the board signs now or soon, so it signs nothing.`,
        {
          hint: `The operator has to copy it from the node where it was made to the directory of ${file}; see docs/operate.md.`,
        },
      );
    this.#keys.set(pk, key);
    return key;
  }
}

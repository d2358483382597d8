// The last signed head in its own file: written whole, synced and renamed into place.
import { open, readFile, rename, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { Refusal } from "../../core/errors.ts";
import type { Checkpoint } from "../../core/log/chain-checkpoint.ts";
import { agentId } from "../../core/protocol/message-and-agent-ids.ts";
import type { HeadRecord } from "../../ports/head-record.ts";
import { StoreFailure } from "../../ports/store.ts";
import { systemWords } from "./file-access-errors.ts";
import { holdsEd25519 } from "./verify-ed25519.ts";

export const HEAD_FILE = "head.json";
const formerFile = (board: string): string => `head-${board}.json`;

/**
 * The last signed head in a board's directory: that of the board with this first key, or of any board if the key is not known. A head of
 * another board is kept in a file with that board's name.
 */
export function headFileIn(data: string, pk: string | undefined): HeadRecord {
  const file = headFile(join(data, HEAD_FILE));
  return {
    async read() {
      const head = await file.read();
      if (pk === undefined || head === undefined) return head;
      const board = agentId(pk);
      return head.board === board ? head : headFile(join(data, formerFile(board))).read();
    },
    async write(checkpoint) {
      // The board has checked the file at its start. If it was damaged since, the newer head replaces it and restricts the board as well.
      const state = await file.read().catch((error: unknown) => {
        if (error instanceof DamagedHead) return undefined;
        throw error;
      });
      // A crash here leaves both under their own names, and nobody has seen the new one.
      if (state !== undefined && state.board !== checkpoint.board) await keepFormerHead(data, state);
      return file.write(checkpoint);
    },
  };
}

/** Stores a head under the name of its board. */
export async function keepFormerHead(data: string, checkpoint: Checkpoint): Promise<void> {
  await headFile(join(data, formerFile(checkpoint.board))).write(checkpoint);
}

/** Whether the key that a checkpoint names has signed it. */
export const isSigned = ({ payload, sig, pk }: Checkpoint): boolean =>
  holdsEd25519(Buffer.from(pk, "base64url"), Buffer.from(payload), Buffer.from(sig, "base64url"));

/**
 * Throws unless the signature is valid and the fields match what was signed: a changed or damaged head would not prevent a second history.
 */
export function requireSound(checkpoint: Checkpoint, data: string): void {
  const { seq, hash } = (isSigned(checkpoint) ? JSON.parse(checkpoint.payload) : {}) as Partial<Checkpoint>;
  if (seq === checkpoint.seq && hash === checkpoint.hash) return;
  throw new DamagedHead(join(data, HEAD_FILE), "its signature does not fit what it says");
}

class DamagedHead extends Error {
  constructor(path: string, why: string) {
    super(
      `The head file ${path} is damaged: ${why}. It holds the last head that the board signed, so that the board never signs two histories. ` +
        "Put it back from a backup that is as new as the database. If there is none, move the file away: the board then starts without knowing what it has signed.",
    );
  }
}

const TEXTS = ["payload", "sig", "pk", "board", "hash", "at"] as const;

/** What is wrong with the value; undefined if it has all fields of a head. Whether they are true is not checked here. */
function unlikeHead(value: unknown): string | undefined {
  if (typeof value !== "object" || value === null) return "it does not hold a JSON object";
  const head = value as Partial<Record<keyof Checkpoint, unknown>>;
  const wrong = TEXTS.find((name) => typeof head[name] !== "string");
  if (wrong !== undefined) return `${wrong} is missing, or is no text`;
  return Number.isSafeInteger(head.seq) && Number(head.seq) >= 0 ? undefined : "seq is missing, or is no number of an entry";
}

export function headFile(path: string): HeadRecord {
  return {
    async read() {
      const text = await readFile(path, "utf8").catch((error: unknown) => {
        if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
        const words = systemWords(error, path, "read") ?? `The head file ${path} cannot be read: ${(error as Error).message}.`;
        throw new Error(words, { cause: error });
      });
      return text === undefined ? undefined : parsed(text, path);
    },
    async write(checkpoint) {
      const next = `${path}.next`;
      try {
        await writeFile(next, `${JSON.stringify(checkpoint)}\n`, { mode: 0o600, flush: true });
        // A crash here leaves the old head in place, and nobody has seen the new one.
        await rename(next, path);
        await using directory = await open(dirname(path), "r");
        await directory.sync();
      } catch (error) {
        throw writeFailure(error, path);
      }
      return checkpoint;
    },
  };
}

function parsed(text: string, path: string): Checkpoint {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new DamagedHead(path, (error as Error).message);
  }
  const why = unlikeHead(value);
  if (why !== undefined) throw new DamagedHead(path, why);
  return value as Checkpoint;
}

/** A full or read-only disk is no fault of the program: the refusal says which of them it is. */
function writeFailure(error: unknown, path: string): unknown {
  switch ((error as NodeJS.ErrnoException).code) {
    case "ENOSPC":
    case "EDQUOT":
      return new StoreFailure("storage_full", systemWords(error, path, "write") ?? "");
    case "EROFS":
    case "EACCES":
    case "EPERM":
      return new Refusal("read_only", "No new head can be signed, because its file cannot be written.", {
        hint: "Reading works; the operator has to make the board's data directory writable.",
      });
    default:
      return error;
  }
}

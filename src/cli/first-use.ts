// The commitment to the next key, made with the first use of a key at a board: a young key's counts at once, a later one only after 72 hours.
import { readFileSync, writeFileSync } from "node:fs";
import { z } from "zod";
import { BoardError } from "../client/board-error.ts";
import type { AgentKey } from "../client/key.ts";
import { commitKey, getKeys } from "../client/keys.ts";
import { SHA256_HEX } from "../core/protocol/encoding.ts";
import { oneLine } from "./table.ts";
import type { Session } from "./session.ts";

/** The hash of the next key, and the boards that know of it: nothing secret, so that the next key itself can be put elsewhere at once. */
const NOTE = z.object({ next: z.string().regex(SHA256_HEX), boards: z.array(z.string()) });
type Note = z.infer<typeof NOTE>;

/** client.py keeps the same file. */
const noteFile = (keyFile: string): string => `${keyFile}.commit`;

function noteOf(keyFile: string): Note | undefined {
  try {
    return NOTE.parse(JSON.parse(readFileSync(noteFile(keyFile), "utf8")));
  } catch {
    // There is none, as of a key without a next one.
    return undefined;
  }
}

/** The hash of the next key that was made with this one. */
export const notedNext = (keyFile: string): string | undefined => noteOf(keyFile)?.next;

/** Where the file cannot be written, the board is asked each time. */
export function noteNext(keyFile: string, next: string, boards: readonly string[] = []): void {
  try {
    writeFileSync(noteFile(keyFile), `${JSON.stringify({ next, boards } satisfies Readonly<Record<keyof Note, unknown>>)}\n`);
  } catch (error) {
    if (boards.length === 0) throw error;
  }
}

/** Refusals after which another attempt is of no use. */
const FINAL: ReadonlySet<string> = new Set(["outside_delegation", "key_revoked", "blocked_key", "not_owner", "not_found"]);

/** After something was signed and accepted; what comes of it fails nothing. */
export async function commitWithFirstUse({ board, keyFile, json, mining }: Session, key: AgentKey): Promise<void> {
  const note = noteOf(keyFile);
  if (note === undefined || note.boards.includes(board.url)) return;
  try {
    const { next, pending } = await getKeys(board, key.agent);
    if (next === null && pending === null) await commitKey(board, key, { next: note.next }, mining);
  } catch (error) {
    if (!(error instanceof BoardError)) throw error;
    if (!json) process.stderr.write(`warning: the next key is not committed yet: ${oneLine(error.message, 200)}\n`);
    if (!FINAL.has(error.code)) return;
  }
  noteNext(keyFile, note.next, [...note.boards, board.url]);
}

// Commits to the next key when a key is first used at a board: in a key's first hour this takes effect at once, later only after 72 hours.
import { readFileSync } from "node:fs";
import { z } from "zod";
import { replaceFile } from "../adapters/system/replace-file.ts";
import { BoardError } from "../client/board-error.ts";
import type { AgentKey } from "../client/key.ts";
import { commitKey, getKeys, keyHash } from "../client/keys.ts";
import { SHA256_HEX } from "../core/protocol/encoding.ts";
import { oneLine } from "./table.ts";
import type { Session } from "./session.ts";

/** The key, the hash of its next key, and the boards that have it. Nothing here is secret, so the next key can be moved elsewhere at once. */
const NOTE = z.object({ key: z.string().optional(), next: z.string().regex(SHA256_HEX), boards: z.array(z.string()) });
type Note = z.infer<typeof NOTE>;

/** client.py uses the same file. */
export const noteFile = (keyFile: string): string => `${keyFile}.commit`;

function noteOf(keyFile: string, key: AgentKey): Note | undefined {
  try {
    const note = NOTE.parse(JSON.parse(readFileSync(noteFile(keyFile), "utf8")));
    return isAbout(note, key) ? note : undefined;
  } catch {
    // No file: this key has no next key.
    return undefined;
  }
}

/**
 * Whether the note is about this key. After a rotation, the new key may be put in the place of the old one. The old note then names the new
 * key as the next key.
 */
const isAbout = ({ key, next }: Note, { agent, pk }: AgentKey): boolean => (key ?? agent) === agent && next !== keyHash({ pk });

/** The hash of the next key that was made together with this one. */
export const notedNext = (keyFile: string, key: AgentKey): string | undefined => noteOf(keyFile, key)?.next;

/** If the file cannot be written, the board is asked each time. */
export function noteNext(keyFile: string, { agent }: AgentKey, next: string, boards: readonly string[] = []): void {
  try {
    const note = { key: agent, next, boards } satisfies Readonly<Record<keyof Note, unknown>>;
    replaceFile(noteFile(keyFile), `${JSON.stringify(note)}\n`);
  } catch (error) {
    if (boards.length === 0) throw error;
  }
}

/** The board knows this next key now. */
export function noteCommitted({ board, keyFile }: Session, key: AgentKey, next: string): void {
  const known = noteOf(keyFile, key);
  const boards = known?.next === next ? known.boards : [];
  noteNext(keyFile, key, next, [...boards.filter((url) => url !== board.url), board.url]);
}

/** Refusals after which another attempt is useless. */
const FINAL: ReadonlySet<string> = new Set(["outside_delegation", "key_revoked", "blocked_key", "not_owner", "not_found"]);

/** Called after a signed post was accepted; a failure here only prints a warning. */
export async function commitWithFirstUse(session: Session, key: AgentKey): Promise<void> {
  const { board, keyFile, json, mining } = session;
  const note = noteOf(keyFile, key);
  if (note === undefined || note.boards.includes(board.url)) return;
  try {
    const { next, pending } = await getKeys(board, key.agent);
    if (next === null && pending === null) await commitKey(board, key, { next: note.next }, mining);
  } catch (error) {
    if (!(error instanceof BoardError)) throw error;
    if (!json) process.stderr.write(`warning: the next key is not committed yet: ${oneLine(error.message, 200)}\n`);
    if (!FINAL.has(error.code)) return;
  }
  noteCommitted(session, key, note.next);
}

// The signatures of the last texts in two files of a board's directory: one that grows, and the one before it.
import { appendFileSync, existsSync, readFileSync, renameSync } from "node:fs";
import { join } from "node:path";
import { SIGNATURE_LENGTH } from "../../core/guard/copies/minhash-signature.ts";
import type { PostedText, TextJournal } from "../../ports/text-fingerprints.ts";

const [NEWER, OLDER] = ["copies.new", "copies.old"] as const;
/** Texts in one file: at least as many as are counted. */
const TEXTS = 65_536;
const AUTHOR_BYTES = 24;
const TIME_BYTES = 8;
const ROW = AUTHOR_BYTES + TIME_BYTES + 2 * SIGNATURE_LENGTH;
/** A killed process may lose the texts of this time; those whose messages still exist are read again from the log. */
const WRITE_MS = 1000;

export interface TextJournalFile extends TextJournal {
  /** Writes the texts that are still in memory. */
  close(): void;
}

/** `failed` is called if a file cannot be written; nothing is lost as long as the board runs. */
export function textJournal(data: string, failed: (error: unknown) => void): TextJournalFile {
  const [newer, older] = [join(data, NEWER), join(data, OLDER)];
  let waiting: Buffer[] = [];
  let rows = 0;
  let timer: NodeJS.Timeout | undefined;

  function write(): void {
    clearTimeout(timer);
    timer = undefined;
    if (waiting.length === 0) return;
    try {
      if (rows >= TEXTS) {
        renameSync(newer, older);
        rows = 0;
      }
      appendFileSync(newer, Buffer.concat(waiting), { mode: 0o600 });
      rows += waiting.length;
    } catch (error) {
      failed(error);
    }
    waiting = [];
  }

  return {
    read() {
      const found = [older, newer].map((path) => (existsSync(path) ? textsIn(readFileSync(path)) : []));
      rows = found[1]?.length ?? 0;
      return found.flat();
    },
    note(text) {
      waiting.push(rowOf(text));
      timer ??= setTimeout(write, WRITE_MS).unref();
    },
    close: write,
  };
}

function rowOf({ signature, author, at, takenBack }: PostedText): Buffer {
  const row = Buffer.alloc(ROW);
  row.write(author, 0, AUTHOR_BYTES, "latin1");
  row[AUTHOR_BYTES - 1] = takenBack ? 1 : 0;
  row.writeDoubleLE(at, AUTHOR_BYTES);
  for (let i = 0; i < signature.length; i++) row.writeUInt16LE(signature[i]!, AUTHOR_BYTES + TIME_BYTES + 2 * i);
  return row;
}

/** A row that a crash cut off is ignored, and everything after it. */
function textsIn(bytes: Buffer): readonly PostedText[] {
  const texts: PostedText[] = [];
  for (let from = 0; from + ROW <= bytes.length; from += ROW) {
    const author = bytes.toString("latin1", from, from + AUTHOR_BYTES - 1);
    if (!author.startsWith("ag_")) break;
    const signature = Uint16Array.from({ length: SIGNATURE_LENGTH }, (_, i) =>
      bytes.readUInt16LE(from + AUTHOR_BYTES + TIME_BYTES + 2 * i),
    );
    texts.push({ author, takenBack: bytes[from + AUTHOR_BYTES - 1] === 1, at: bytes.readDoubleLE(from + AUTHOR_BYTES), signature });
  }
  return texts;
}

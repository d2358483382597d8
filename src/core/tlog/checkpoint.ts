// Checkpoints (C2SP, tlog-checkpoint): the head of a log as the text of a note, and its verification with the keys of the log.
import { toBase64 } from "./base64.ts";
import { decimalOf, requireWhole } from "./bytes.ts";
import type { TreeHead } from "./merkle.ts";
import type { VerifierKey } from "./key.ts";
import { type Note, requireNoteText } from "./note.ts";
import { parseHash } from "./proof-text.ts";
import { type Ed25519Verify, type Verified, verifiedSignatures } from "./signature.ts";
import { malformed, TlogError } from "./tlog-error.ts";

export interface Checkpoint extends TreeHead {
  /** The permanent identity of the log; by convention its address without a scheme. */
  readonly origin: string;
  /** Lines after the three standard ones. */
  readonly extensions?: readonly string[];
}

const MAX_ORIGIN_CHARS = 255;
const MAX_EXTENSIONS = 16;
const MAX_EXTENSION_CHARS = 1024;

export function formatCheckpoint({ origin, size, root, extensions = [] }: Checkpoint): string {
  requireWhole(size, "The size of a tree");
  const text = [origin, String(size), toBase64(root), ...extensions].map((line) => `${line}\n`).join("");
  // Parsing the result must give the same checkpoint; an origin that contains a newline would not.
  parseCheckpoint(text);
  return text;
}

export function parseCheckpoint(text: string): Checkpoint {
  const [origin = "", size, root, ...extensions] = requireNoteText(text)
    .slice(0, -1)
    .split("\n", 3 + MAX_EXTENSIONS + 1);
  if (origin === "" || size === undefined || root === undefined)
    throw malformed("A checkpoint has three lines: its origin, the size of the tree, and its root in base64.");
  if (origin.length > MAX_ORIGIN_CHARS) throw malformed(`The origin of a checkpoint is longer than ${MAX_ORIGIN_CHARS} characters.`);
  if (extensions.length > MAX_EXTENSIONS) throw malformed(`A checkpoint has more than ${MAX_EXTENSIONS} extension lines.`);
  if (extensions.some((line) => line === "" || line.length > MAX_EXTENSION_CHARS))
    throw malformed(`An extension line of a checkpoint is empty or longer than ${MAX_EXTENSION_CHARS} characters.`);
  const hash = parseHash(root, "The root of a checkpoint");
  const head = { origin, size: decimalOf(size, "The size of a checkpoint"), root: hash };
  return extensions.length === 0 ? head : { ...head, extensions };
}

/** The checkpoint of a note that one of the log's keys signed; its origin must be the name of the keys. */
export async function openCheckpoint(
  note: Note,
  origin: string,
  keys: readonly VerifierKey[],
  verify: Ed25519Verify,
): Promise<{ readonly checkpoint: Checkpoint; readonly signatures: readonly Verified[] }> {
  const checkpoint = parseCheckpoint(note.text);
  if (checkpoint.origin !== origin) throw new TlogError("origin", `The checkpoint is of ${checkpoint.origin}, not of ${origin}.`);
  const signatures = await verifiedSignatures(note, keys, verify);
  if (signatures.length === 0) throw new TlogError("signature", `No known key of ${origin} signed this checkpoint.`);
  return { checkpoint, signatures };
}

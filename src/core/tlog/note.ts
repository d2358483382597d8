// The text of signed notes (C2SP, signed-note): some text, an empty line, and a line for each signature.
import { fromBase64, toBase64 } from "./base64.ts";
import { concat, textOf } from "./bytes.ts";
import { isKeyName } from "./key.ts";
import { malformed } from "./tlog-error.ts";

export interface NoteSignature {
  readonly name: string;
  readonly id: number;
  /** The bytes after the key id; their format depends on the type of the key. */
  readonly bytes: Uint8Array;
}

export interface Note {
  /** The signed text; it ends with a newline. */
  readonly text: string;
  readonly signatures: readonly NoteSignature[];
}

export const MAX_NOTE_BYTES = 262_144;
/** C2SP requires at least 16. */
export const MAX_SIGNATURES = 64;

const ID_BYTES = 4;
const DASH = "\u2014 ";
// oxlint-disable-next-line no-control-regex -- the pattern finds control characters.
const CONTROL = /[\u0000-\u0009\u000b-\u001f]/;

/** Parses a note. Nothing in it has been verified yet. */
export function parseNote(input: string | Uint8Array): Note {
  const note = textOf(input, "The note", MAX_NOTE_BYTES);
  const split = note.lastIndexOf("\n\n");
  if (split === -1) throw malformed("The note has no empty line between its text and its signatures.");
  return { text: requireNoteText(note.slice(0, split + 1)), signatures: parseSignatures(note.slice(split + 2)) };
}

export function formatNote({ text, signatures }: Note): string {
  return `${requireNoteText(text)}\n${formatSignatures(signatures)}`;
}

/** Throws unless the text can be signed. */
export function requireNoteText(text: string): string {
  if (CONTROL.test(text)) throw malformed("A note holds no control characters but newlines.");
  if (!text.endsWith("\n")) throw malformed("The text of a note ends with a newline.");
  if (!text.isWellFormed()) throw malformed("The text of a note has half of a surrogate pair in it.");
  return text;
}

/** Parses signature lines without a text, as witnesses send them. */
export function parseSignatures(lines: string): NoteSignature[] {
  if (lines.length > MAX_NOTE_BYTES) throw malformed(`The signatures are longer than ${MAX_NOTE_BYTES} characters.`);
  if (!lines.endsWith("\n")) throw malformed("There is no signature line that ends with a newline.");
  const split = lines.slice(0, -1).split("\n", MAX_SIGNATURES + 1);
  if (split.length > MAX_SIGNATURES) throw malformed(`There are more than ${MAX_SIGNATURES} signatures.`);
  return split.map(parseLine);
}

export const formatSignatures = (signatures: readonly NoteSignature[]): string => signatures.map(formatLine).join("");

function parseLine(line: string): NoteSignature {
  const [name = "", encoded, ...more] = line.startsWith(DASH) ? line.slice(DASH.length).split(" ", 3) : [];
  if (!isKeyName(name) || encoded === undefined || more.length > 0)
    throw malformed("A signature line is an em dash, the name of the key and the signature in base64, with one space between them.");
  const bytes = fromBase64(encoded, `The signature by ${name}`);
  if (bytes.length <= ID_BYTES) throw malformed(`The signature by ${name} has no more bytes than the id of a key.`);
  return { name, id: new DataView(bytes.buffer).getUint32(0), bytes: bytes.slice(ID_BYTES) };
}

function formatLine({ name, id, bytes }: NoteSignature): string {
  const head = new Uint8Array(ID_BYTES);
  new DataView(head.buffer).setUint32(0, id);
  return `${DASH}${name} ${toBase64(concat(head, bytes))}\n`;
}

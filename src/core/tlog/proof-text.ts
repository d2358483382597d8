// The text of a proof that can be verified offline (C2SP, tlog-proof): the index of a leaf, its path, and a signed checkpoint.
import { fromBase64, toBase64 } from "./base64.ts";
import { decimalOf, requireWhole, textOf } from "./bytes.ts";
import { type Hash, HASH_BYTES, MAX_PROOF_HASHES } from "./merkle.ts";
import { malformed } from "./tlog-error.ts";

export interface Proof {
  /** Data of the application by which the leaf may be found; it is not signed. */
  readonly extra?: Uint8Array;
  readonly index: number;
  readonly hashes: readonly Hash[];
  /** The signed note, byte for byte. */
  readonly checkpoint: string;
}

const HEADER = "c2sp.org/tlog-proof@v1";
const EXTRA = "extra ";
const INDEX = "index ";
const MAX_EXTRA_CHARS = 131_072;
/** The maximum size: a note, the extra line, and the rest. */
const MAX_BYTES = 397_312;

export function formatProof({ extra, index, hashes, checkpoint }: Proof): string {
  requireWhole(index, "An index");
  const lines = [HEADER, ...(extra === undefined ? [] : [EXTRA + toBase64(extra)]), `${INDEX}${index}`, ...hashes.map(toBase64), ""];
  const text = lines.map((line) => `${line}\n`).join("") + checkpoint;
  // Parsing the result must give the same proof.
  parseProof(text);
  return text;
}

/** Parses a proof. Nothing in it has been verified yet. */
export function parseProof(input: string | Uint8Array): Proof {
  const text = textOf(input, "The proof", MAX_BYTES);
  const end = text.indexOf("\n\n");
  if (end === -1) throw malformed("The proof has no empty line before its checkpoint.");
  const [header, ...lines] = text.slice(0, end).split("\n", MAX_PROOF_HASHES + 4);
  if (header !== HEADER) throw malformed(`The first line of a proof is ${HEADER}.`);
  const extra = lines[0]?.startsWith(EXTRA) === true ? extraOf(lines.shift() ?? "") : undefined;
  const index = lines.shift();
  if (index?.startsWith(INDEX) !== true) throw malformed("The proof has no line `index <number>` where it should stand.");
  const found = {
    index: decimalOf(index.slice(INDEX.length), "The index of a proof"),
    hashes: parseHashes(lines),
    checkpoint: text.slice(end + 2),
  };
  return extra === undefined ? found : { extra, ...found };
}

function extraOf(line: string): Uint8Array {
  if (line.length > MAX_EXTRA_CHARS) throw malformed(`The extra line of a proof is longer than ${MAX_EXTRA_CHARS} characters.`);
  const extra = fromBase64(line.slice(EXTRA.length), "The extra line of a proof");
  if (extra.length === 0) throw malformed("The extra line of a proof holds nothing, and is to be left out.");
  return extra;
}

/** Parses the lines of a proof, each a hash in base64. */
export function parseHashes(lines: readonly string[]): Hash[] {
  if (lines.length > MAX_PROOF_HASHES) throw malformed(`A proof has at most ${MAX_PROOF_HASHES} hashes.`);
  return lines.map((line) => parseHash(line, "A hash of the proof"));
}

export function parseHash(text: string, what: string): Hash {
  const hash = fromBase64(text, what);
  if (hash.length !== HASH_BYTES) throw malformed(`${what} has ${HASH_BYTES} bytes, not ${hash.length}.`);
  return hash;
}

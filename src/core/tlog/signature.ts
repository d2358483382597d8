// The bytes that each type of key signs, and the verification of all signatures of a note.
import { concat, uint64, utf8 } from "./bytes.ts";
import { COSIGNATURE_V1, ED25519, isOf, type VerifierKey } from "./key.ts";
import { type Note, type NoteSignature, requireNoteText } from "./note.ts";
import { TlogError } from "./tlog-error.ts";

/**
 * Whether an Ed25519 signature is valid; the answer may be a promise, as with WebCrypto. It returns false for an invalid key instead of
 * throwing. Implementations may differ in which unusual points they accept.
 */
export type Ed25519Verify = (publicKey: Uint8Array, message: Uint8Array, signature: Uint8Array) => boolean | Promise<boolean>;

export interface Signer {
  readonly key: VerifierKey;
  /** The 64 bytes of an Ed25519 signature. */
  readonly sign: (message: Uint8Array) => Uint8Array | Promise<Uint8Array>;
}

/** A valid signature. */
export interface Verified {
  readonly key: VerifierKey;
  readonly signature: NoteSignature;
  /** Only in a cosignature: when it was made according to its witness, in Unix seconds. */
  readonly time?: number;
}

const SIGNATURE_BYTES = 64;
const TIME_BYTES = 8;

/** Signs a note as a log. */
export async function signText(text: string, { key, sign }: Signer): Promise<NoteSignature> {
  if (key.type !== ED25519) throw new TypeError(`${key.name} is the key of a witness, which makes cosignatures only.`);
  return { name: key.name, id: key.id, bytes: await sign(utf8(requireNoteText(text))) };
}

/** Signs a note as a witness; the signed bytes include `time` in Unix seconds. */
export async function cosignText(text: string, time: number, { key, sign }: Signer): Promise<NoteSignature> {
  if (key.type !== COSIGNATURE_V1) throw new TypeError(`${key.name} is the key of a log, which makes no cosignatures.`);
  if (!Number.isSafeInteger(time) || time <= 0) throw new RangeError(`A cosignature is made at a time in Unix seconds, not at ${time}.`);
  return { name: key.name, id: key.id, bytes: concat(uint64(time), await sign(cosigned(requireNoteText(text), time))) };
}

const cosigned = (text: string, time: number): Uint8Array => utf8(`cosignature/v1\ntime ${time}\n${text}`);

/**
 * The valid signatures by these keys, one for each key that signed. Lines of other keys are ignored, whatever they contain; an invalid
 * signature by a known key makes the whole note invalid.
 */
export async function verifiedSignatures(note: Note, keys: readonly VerifierKey[], verify: Ed25519Verify): Promise<Verified[]> {
  const found: Verified[] = [];
  for (const signature of note.signatures) {
    const key = keys.find((one) => isOf(one, signature));
    if (key === undefined) continue;
    const time = await holdsSince(note.text, signature, key, verify);
    if (time === undefined) throw new TlogError("signature", `The signature by ${key.name} is not valid.`);
    if (!found.some((one) => isOf(one.key, key))) found.push(key.type === COSIGNATURE_V1 ? { key, signature, time } : { key, signature });
  }
  return found;
}

/** The time of a valid signature (0 if its type has none); undefined for an invalid one. */
async function holdsSince(text: string, { bytes }: NoteSignature, key: VerifierKey, verify: Ed25519Verify): Promise<number | undefined> {
  const timeBytes = key.type === COSIGNATURE_V1 ? TIME_BYTES : 0;
  if (bytes.length !== timeBytes + SIGNATURE_BYTES) return undefined;
  const time = timeBytes === 0 ? 0 : Number(new DataView(bytes.buffer, bytes.byteOffset).getBigUint64(0));
  if (!Number.isSafeInteger(time)) return undefined;
  const message = timeBytes === 0 ? utf8(text) : cosigned(text, time);
  return (await verify(key.publicKey, message, bytes.subarray(timeBytes))) ? time : undefined;
}

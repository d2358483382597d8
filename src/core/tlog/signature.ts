// What the two types of keys sign, and the check of all signatures of a note.
import { concat, utf8 } from "./bytes.ts";
import { COSIGNATURE_V1, ED25519, isOf, type VerifierKey } from "./key.ts";
import { type Note, type NoteSignature, requireNoteText } from "./note.ts";
import { TlogError } from "./tlog-error.ts";

/**
 * Whether an Ed25519 signature holds; at once or later, as WebCrypto answers. False, and no error, where the key is no key. How
 * strict it is about odd points is its own matter.
 */
export type Ed25519Verify = (publicKey: Uint8Array, message: Uint8Array, signature: Uint8Array) => boolean | Promise<boolean>;

export interface Signer {
  readonly key: VerifierKey;
  /** The 64 bytes of an Ed25519 signature. */
  readonly sign: (message: Uint8Array) => Uint8Array | Promise<Uint8Array>;
}

/** A signature that holds. */
export interface Verified {
  readonly key: VerifierKey;
  readonly signature: NoteSignature;
  /** Of a cosignature: when it was made, in Unix seconds, as its witness says. */
  readonly time?: number;
}

const SIGNATURE_BYTES = 64;
const TIME_BYTES = 8;

/** Signs as a log does. */
export async function signText(text: string, { key, sign }: Signer): Promise<NoteSignature> {
  if (key.type !== ED25519) throw new TypeError(`${key.name} is the key of a witness, which makes cosignatures only.`);
  return { name: key.name, id: key.id, bytes: await sign(utf8(requireNoteText(text))) };
}

/** Signs as a witness does: `time` in Unix seconds is part of what is signed. */
export async function cosignText(text: string, time: number, { key, sign }: Signer): Promise<NoteSignature> {
  if (key.type !== COSIGNATURE_V1) throw new TypeError(`${key.name} is the key of a log, which makes no cosignatures.`);
  if (!Number.isSafeInteger(time) || time <= 0) throw new RangeError(`A cosignature is made at a time in Unix seconds, not at ${time}.`);
  const head = new Uint8Array(TIME_BYTES);
  new DataView(head.buffer).setBigUint64(0, BigInt(time));
  return { name: key.name, id: key.id, bytes: concat(head, await sign(cosigned(requireNoteText(text), time))) };
}

const cosigned = (text: string, time: number): Uint8Array => utf8(`cosignature/v1\ntime ${time}\n${text}`);

/**
 * The signatures by these keys, one for each key that signed. Lines of other keys are ignored, whatever stands in them; one by a
 * known key that does not hold spoils the note.
 */
export async function verifiedSignatures(note: Note, keys: readonly VerifierKey[], verify: Ed25519Verify): Promise<Verified[]> {
  const found: Verified[] = [];
  for (const signature of note.signatures) {
    const key = keys.find((one) => isOf(one, signature));
    if (key === undefined) continue;
    const time = await holdsSince(note.text, signature, key, verify);
    if (time === undefined) throw new TlogError("signature", `The signature by ${key.name} does not hold.`);
    if (!found.some((one) => isOf(one.key, key))) found.push(key.type === COSIGNATURE_V1 ? { key, signature, time } : { key, signature });
  }
  return found;
}

/** The time of a signature that holds (0 where its type has none), undefined of one that does not. */
async function holdsSince(text: string, { bytes }: NoteSignature, key: VerifierKey, verify: Ed25519Verify): Promise<number | undefined> {
  const timeBytes = key.type === COSIGNATURE_V1 ? TIME_BYTES : 0;
  if (bytes.length !== timeBytes + SIGNATURE_BYTES) return undefined;
  const time = timeBytes === 0 ? 0 : Number(new DataView(bytes.buffer, bytes.byteOffset).getBigUint64(0));
  if (!Number.isSafeInteger(time)) return undefined;
  const message = timeBytes === 0 ? utf8(text) : cosigned(text, time);
  return (await verify(key.publicKey, message, bytes.subarray(timeBytes))) ? time : undefined;
}

// Keys of C2SP's signed-note: a name, a short id, a signature type, and their text form (vkey).
import { fromBase64, toBase64 } from "./base64.ts";
import { concat, utf8 } from "./bytes.ts";
import type { Sha256 } from "./merkle.ts";
import { malformed } from "./tlog-error.ts";

/** A log signs its heads with this type. */
export const ED25519 = 0x01;
/** A witness cosigns the heads of logs with this type (C2SP, tlog-cosignature); the signature includes a time. */
export const COSIGNATURE_V1 = 0x04;
export type SignatureType = typeof ED25519 | typeof COSIGNATURE_V1;

export interface VerifierKey {
  readonly name: string;
  /** Four bytes, big endian. Name and id together tell which key signed; they prove nothing by themselves. */
  readonly id: number;
  readonly type: SignatureType;
  readonly publicKey: Uint8Array;
}

export const PUBLIC_KEY_BYTES = 32;
const MAX_NAME_CHARS = 255;
const MAX_VKEY_CHARS = 512;
// A note cannot contain control characters.
// oxlint-disable-next-line no-control-regex -- the pattern finds control characters.
const NOT_IN_NAMES = /[\p{White_Space}+\u0000-\u001f]/u;

export const isKeyName = (name: string): boolean =>
  name !== "" && name.length <= MAX_NAME_CHARS && name.isWellFormed() && !NOT_IN_NAMES.test(name);

function keyId(name: string, type: SignatureType, publicKey: Uint8Array, sha256: Sha256): number {
  const digest = sha256(concat(utf8(`${name}\n`), Uint8Array.of(type), publicKey));
  return new DataView(digest.buffer, digest.byteOffset).getUint32(0);
}

export function verifierKey(name: string, type: SignatureType, publicKey: Uint8Array, sha256: Sha256): VerifierKey {
  if (!isKeyName(name)) throw malformed("The name of a key is 1 to 255 characters long, without white space and without a plus.");
  if (publicKey.length !== PUBLIC_KEY_BYTES) throw malformed(`An Ed25519 key has ${PUBLIC_KEY_BYTES} bytes, not ${publicKey.length}.`);
  return { name, id: keyId(name, type, publicKey, sha256), type, publicKey: Uint8Array.from(publicKey) };
}

const idText = (id: number): string => id.toString(16).padStart(8, "0");

/** `name+id+key`, the text form in which keys are published. */
export const formatVerifierKey = ({ name, id, type, publicKey }: VerifierKey): string =>
  `${name}+${idText(id)}+${toBase64(concat(Uint8Array.of(type), publicKey))}`;

const VKEY = /^(?<name>[^+]+)\+(?<id>[0-9a-f]{8})\+(?<key>[A-Za-z0-9+/=]+)$/u;

export function parseVerifierKey(text: string, sha256: Sha256): VerifierKey {
  const { name, id, key } = (text.length <= MAX_VKEY_CHARS ? VKEY.exec(text)?.groups : undefined) ?? {};
  if (name === undefined || !isKeyName(name) || id === undefined || key === undefined)
    throw malformed("A vkey is <name>+<8 hex digits>+<base64>, as in example.com/log+530d903a+AekyeRrm…");
  const [type, ...publicKey] = fromBase64(key, "The key of a vkey");
  if (type !== ED25519 && type !== COSIGNATURE_V1)
    throw malformed(`The vkey of ${name} is of a type that is not supported here; 1 (Ed25519) and 4 (cosignature/v1) are.`);
  const made = verifierKey(name, type, Uint8Array.from(publicKey), sha256);
  if (idText(made.id) !== id) throw malformed(`The id of the vkey of ${name} is ${id}, but its name and key give ${idText(made.id)}.`);
  return made;
}

/** Whether a signature line names this key. */
export const isOf = (key: VerifierKey, line: { readonly name: string; readonly id: number }): boolean =>
  key.name === line.name && key.id === line.id;

// A certificate chain and its key: read from files, and checked against each other before use.
import { createPrivateKey, type KeyObject, X509Certificate } from "node:crypto";
import { closeSync, constants, fstatSync, openSync, readFileSync } from "node:fs";
import { createSecureContext } from "node:tls";
import { iso } from "../../core/protocol/time.ts";
import { deniedWords } from "./file-access-errors.ts";

/** What a server needs, and what an operator wants to know of it. */
export interface TlsPair {
  readonly cert: string;
  readonly key: string;
  /** The names in the certificate. */
  readonly subject: string;
  readonly validFrom: number;
  readonly validTo: number;
}

/** A code like those of the system, for a path that is not a regular file. */
const NOT_REGULAR = "not regular";
const READ_FAULTS: Readonly<Record<string, string>> = {
  ENOENT: "there is no such file; give the path of a PEM file.",
  ENOTDIR: "there is no such file; give the path of a PEM file.",
  EISDIR: "it is a directory; give the path of a PEM file.",
  [NOT_REGULAR]: "it is a pipe, a socket or a device; give the path of a PEM file.",
};

/** The text of a file; if it cannot be read, throws what is wrong and what to do. */
export function readPem(path: string): string {
  try {
    return readRegular(path);
  } catch (error) {
    const { code = "", message } = error as NodeJS.ErrnoException;
    const denied = code === "EACCES" || code === "EPERM";
    throw new Error(denied ? permissionDenied(path) : (READ_FAULTS[code] ?? `it cannot be read (${message}).`), { cause: error });
  }
}

/** Opening or reading a named pipe would wait for a writer, and block the whole board. */
function readRegular(path: string): string {
  const file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    const stat = fstatSync(file);
    if (stat.isFile()) return readFileSync(file, "utf8");
    throw Object.assign(new Error("not a regular file"), { code: stat.isDirectory() ? "EISDIR" : NOT_REGULAR });
  } finally {
    closeSync(file);
  }
}

/** Does not suggest running the board as the owner, who is usually root. */
const permissionDenied = (path: string): string =>
  `permission denied. ${deniedWords(path, "read")}. Let the user that the board runs as read it, or give it a copy (docs/configuration.md, "TLS").`;

/** Throws an explanation unless `cert` is a chain that begins with the certificate of `key`. */
export function tlsPair(cert: string, key: string): TlsPair {
  const chain = certificatesIn(cert);
  const own = chain[0];
  if (own === undefined) throw new Error("--tls-cert holds no certificate in PEM form (-----BEGIN CERTIFICATE-----).");
  const privateKey = keyIn(key);
  if (!own.checkPrivateKey(privateKey)) throw new Error(mismatch(chain, privateKey));
  try {
    createSecureContext({ cert, key });
  } catch (error) {
    throw new Error(`--tls-cert and --tls-key cannot be used: ${(error as Error).message}.`, { cause: error });
  }
  return { cert, key, subject: subjectOf(own), validFrom: own.validFromDate.getTime(), validTo: own.validToDate.getTime() };
}

function certificatesIn(text: string): readonly X509Certificate[] {
  try {
    return (text.match(/-----BEGIN CERTIFICATE-----[^]+?-----END CERTIFICATE-----/g) ?? []).map((pem) => new X509Certificate(pem));
  } catch (error) {
    throw new Error(`--tls-cert holds a certificate that is damaged: ${(error as Error).message}.`, { cause: error });
  }
}

function keyIn(text: string): KeyObject {
  if (/^-----BEGIN ENCRYPTED|^Proc-Type: 4,ENCRYPTED/m.test(text))
    throw new Error("--tls-key is protected by a passphrase; give the key without one, in a file that only the board can read.");
  try {
    return createPrivateKey(text);
  } catch (error) {
    throw new Error("--tls-key holds no private key in PEM form (-----BEGIN PRIVATE KEY-----).", { cause: error });
  }
}

function mismatch(chain: readonly X509Certificate[], key: KeyObject): string {
  const place = chain.findIndex((one) => one.checkPrivateKey(key));
  const [own] = chain;
  const subject = own === undefined ? "" : subjectOf(own);
  if (place > 0)
    return `--tls-cert begins with the certificate of ${subject}, but --tls-key is the key of its certificate ${place + 1}: put that one first, then those that signed it.`;
  return `--tls-cert and --tls-key do not fit: the certificate of ${subject} belongs to another key. Give a certificate chain and the key of its first certificate.`;
}

/** On one line; some certificates have names only. */
const subjectOf = ({ subject, subjectAltName, serialNumber }: X509Certificate): string =>
  ((subject as string | undefined) || subjectAltName || `serial number ${serialNumber}`).replaceAll("\n", ", ");

/** Why browsers and mail servers will reject it today; undefined if they will not. */
export function untimely({ subject, validFrom, validTo }: TlsPair, now: number): string | undefined {
  if (now >= validTo) return `the certificate of ${subject} expired at ${iso(validTo)}: callers will refuse it; renew it`;
  if (now < validFrom)
    return `the certificate of ${subject} is not valid before ${iso(validFrom)}: callers will refuse it; check it and this machine's clock`;
  return undefined;
}

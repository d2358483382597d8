// A self-signed certificate made during the test, so that no key is in the repository and no tool is needed.
import { generateKeyPairSync, randomBytes, sign } from "node:crypto";
import { DAY_MS } from "../../src/core/durations.ts";

function der(tag: number, ...parts: Uint8Array[]): Buffer {
  const body = Buffer.concat(parts);
  const length =
    body.length < 0x80 ? [body.length] : body.length < 0x100 ? [0x81, body.length] : [0x82, body.length >> 8, body.length & 0xff];
  return Buffer.concat([Buffer.from([tag, ...length]), body]);
}
const sequence = (...parts: Uint8Array[]) => der(0x30, ...parts);
const oid = (hex: string) => der(0x06, Buffer.from(hex, "hex"));
const text = (value: string) => der(0x0c, Buffer.from(value));
const time = (unixMs: number) => der(0x18, Buffer.from(`${new Date(unixMs).toISOString().replaceAll(/[-:T]/g, "").slice(0, 14)}Z`));
const bits = (value: Uint8Array) => der(0x03, Buffer.from([0]), value);
const pem = (label: string, bytes: Uint8Array) =>
  `-----BEGIN ${label}-----\n${Buffer.from(bytes).toString("base64").replaceAll(/.{64}/g, "$&\n")}\n-----END ${label}-----\n`;

/** Signature algorithms, by the kind of key. */
const ALGORITHMS = {
  ed25519: { id: sequence(oid("2b6570")), digest: null, pair: () => generateKeyPairSync("ed25519") },
  rsa: {
    id: sequence(oid("2a864886f70d01010b"), der(0x05)),
    digest: "sha256",
    pair: () => generateKeyPairSync("rsa", { modulusLength: 2048 }),
  },
} as const;
const COMMON_NAME = oid("550403");
const SUBJECT_ALT_NAME = oid("551d11");

export interface CertificateOptions {
  readonly algorithm?: keyof typeof ALGORITHMS;
  readonly validFrom?: number;
  readonly validTo?: number;
}

export function selfSigned(
  host: string,
  { algorithm = "ed25519", validFrom = Date.now() - DAY_MS, validTo = Date.now() + DAY_MS }: CertificateOptions = {},
): { readonly cert: string; readonly key: string } {
  const { id, digest, pair } = ALGORITHMS[algorithm];
  const { publicKey, privateKey } = pair();
  const name = sequence(der(0x31, sequence(COMMON_NAME, text(host))));
  const names = sequence(der(0x82, Buffer.from(host)), der(0x87, Buffer.from([127, 0, 0, 1])));
  const body = sequence(
    der(0xa0, der(0x02, Buffer.from([2]))),
    der(0x02, Buffer.concat([Buffer.from([1]), randomBytes(8)])),
    id,
    name,
    sequence(time(validFrom), time(validTo)),
    name,
    publicKey.export({ type: "spki", format: "der" }),
    der(0xa3, sequence(sequence(SUBJECT_ALT_NAME, der(0x04, names)))),
  );
  const cert = sequence(body, id, bits(sign(digest, body, privateKey)));
  return { cert: pem("CERTIFICATE", cert), key: privateKey.export({ type: "pkcs8", format: "pem" }) };
}

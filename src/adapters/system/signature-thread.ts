// Checks signatures, with libsodium if its binary fits the machine, else with OpenSSL. Jobs and answers pass between threads packed in bytes.
import { createPublicKey, type KeyObject, verify } from "node:crypto";
import { createRequire } from "node:module";
import { BoundedCache } from "../../core/bounded-cache.ts";
import { SIGNATURE_LENGTH } from "../../core/guard/copies/minhash-signature.ts";
import { TEXT_FLAGS } from "../../core/guard/flags.ts";
import { type Looked, lookAt, Scratch } from "../../core/guard/examine-text.ts";
import type { Risk } from "../../core/guard/risk/risk-level.ts";
import type { MessagePort } from "node:worker_threads";
import { readRiskTable, type RiskTable } from "../../core/guard/risk/scorer.ts";
import type { Payload } from "../../core/protocol/payload.ts";
import { bytesOfPackage, RISK_TABLE } from "./package-files.ts";

export interface SignatureJob {
  readonly key: Uint8Array;
  readonly sig: Uint8Array;
  readonly text: string;
  /** Whether it is the payload of a message, whose text the guard checks too. */
  readonly message?: boolean;
}
type Check = (key: Uint8Array, sig: Uint8Array, message: Buffer) => boolean;

interface Sodium {
  crypto_sign_verify_detached(sig: Uint8Array, message: Uint8Array, key: Uint8Array): boolean;
}

export function withSodium(): Check | undefined {
  try {
    const sodium = createRequire(import.meta.url)("sodium-native") as Sodium;
    return (key, sig, message) => sodium.crypto_sign_verify_detached(sig, message, key);
  } catch {
    return undefined;
  }
}

const SPKI_PREFIX = Buffer.from("302a300506032b6570032100", "hex");
const MAX_KEYS = 1000;

export function withOpenssl(): Check {
  // Importing a key costs as much as a check, and agents post more than once.
  const keys = new BoundedCache<string, KeyObject>(MAX_KEYS);
  return (key, sig, message) => {
    const object = keys.of(Buffer.from(key).toString("hex"), () =>
      createPublicKey({ key: Buffer.concat([SPKI_PREFIX, key]), format: "der", type: "spki" }),
    );
    return verify(null, message, object, sig);
  };
}

const KEY_BYTES = 32;
const SIG_BYTES = 64;

/** Many jobs in one buffer, which is passed to a thread without copying: key, signature and text of each, one after the other. */
export interface PackedJobs {
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** The length of each text. */
  readonly lengths: readonly number[];
  /** Whether each is a message for the guard. */
  readonly messages: readonly boolean[];
}

export function packJobs(jobs: readonly SignatureJob[]): PackedJobs {
  const lengths = jobs.map(({ text }) => Buffer.byteLength(text));
  const size = lengths.reduce((sum, length) => sum + KEY_BYTES + SIG_BYTES + length, 0);
  const bytes = Buffer.allocUnsafeSlow(size);
  let at = 0;
  for (const { key, sig, text } of jobs) {
    bytes.set(key, at);
    bytes.set(sig, at + KEY_BYTES);
    at += KEY_BYTES + SIG_BYTES;
    at += bytes.write(text, at);
  }
  return { bytes, lengths, messages: jobs.map(({ message = false }) => message) };
}

function packedChecker(
  look: (payload: string) => Looked,
  check: Check = withSodium() ?? withOpenssl(),
): (jobs: PackedJobs) => Uint8Array<ArrayBuffer> {
  return ({ bytes, lengths, messages }) => {
    let at = 0;
    const next = (length: number): Buffer => {
      at += length;
      return Buffer.from(bytes.buffer, bytes.byteOffset + at - length, length);
    };
    const answers = new Uint8Array(ANSWER_BYTES * lengths.length);
    for (const [nth, length] of lengths.entries()) {
      const [key, sig, message] = [next(KEY_BYTES), next(SIG_BYTES), next(length)];
      if (valid(check, key, sig, message)) writeAnswer(answers, nth, messages[nth] === true ? look(message.toString()) : undefined);
    }
    return answers;
  };
}

/** Checks a single job. */
export function checker(check: Check = withSodium() ?? withOpenssl()): (job: SignatureJob) => boolean {
  return ({ key, sig, text }) => valid(check, key, sig, Buffer.from(text));
}

/** A key that is not on the curve makes either library throw or return false; both mean no. */
function valid(check: Check, key: Uint8Array, sig: Uint8Array, message: Buffer): boolean {
  try {
    return check(key, sig, message);
  } catch {
    return false;
  }
}

/** Valid or not, with the risk; flags; and the 16-bit numbers by which near-copies are recognised. */
const ANSWER_BYTES = 2 + 2 * SIGNATURE_LENGTH;
const RIGHT = 1;
const RISK_AT = 1;
const RISK = 3;
const HAS_SIGNATURE = 1 << 3;

function writeAnswer(answers: Uint8Array<ArrayBuffer>, nth: number, looked: Looked | undefined): void {
  const at = ANSWER_BYTES * nth;
  answers[at] = RIGHT;
  if (looked === undefined) return;
  const { flags, risk, signature } = looked;
  answers[at] = RIGHT | (risk << RISK_AT) | (signature === undefined ? 0 : HAS_SIGNATURE);
  for (const flag of flags) answers[at + 1]! |= 1 << TEXT_FLAGS.indexOf(flag);
  if (signature !== undefined) new Uint16Array(answers.buffer, at + 2, SIGNATURE_LENGTH).set(signature);
}

/** Undefined if the signature is wrong. */
export function readAnswer(answers: Uint8Array<ArrayBuffer>, nth: number): Looked | undefined {
  const at = ANSWER_BYTES * nth;
  const first = answers[at] ?? 0;
  if ((first & RIGHT) === 0) return undefined;
  const mask = answers[at + 1]!;
  return {
    flags: mask === 0 ? [] : TEXT_FLAGS.filter((_, bit) => (mask & (1 << bit)) !== 0),
    risk: ((first >> RISK_AT) & RISK) as Risk,
    signature: (first & HAS_SIGNATURE) === 0 ? undefined : new Uint16Array(answers.buffer, at + 2, SIGNATURE_LENGTH).slice(),
  };
}

/** The thread: checks signatures in batches, and runs the guard on the texts of messages. */
export function run(port: MessagePort): void {
  let table: RiskTable | undefined;
  const scratch = new Scratch();
  const check = packedChecker((payload) => {
    table ??= readRiskTable(bytesOfPackage(RISK_TABLE));
    return lookAt(table, JSON.parse(payload) as Payload, scratch);
  });
  port.on("message", (jobs: PackedJobs) => {
    const answers = check(jobs);
    port.postMessage(answers, [answers.buffer]);
  });
}

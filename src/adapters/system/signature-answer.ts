// The answer of a checking thread, in a few bytes: whether the signature is valid, and what the guard found in the text.
import { SIGNATURE_LENGTH } from "../../core/guard/copies/minhash-signature.ts";
import { TEXT_FLAGS } from "../../core/guard/flags.ts";
import type { Looked } from "../../core/guard/examine-text.ts";
import type { Risk } from "../../core/guard/risk/risk-level.ts";

/** Valid or not, with the risk; flags; and the 16-bit numbers by which near-copies are recognised. */
export const ANSWER_BYTES = 2 + 2 * SIGNATURE_LENGTH;
const RIGHT = 1;
const RISK_AT = 1;
const RISK = 3;
const HAS_SIGNATURE = 1 << 3;

export function writeAnswer(answers: Uint8Array<ArrayBuffer>, nth: number, looked: Looked | undefined): void {
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

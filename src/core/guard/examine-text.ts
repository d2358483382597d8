// Examines the text of a message: its flags, its risk, and the signature by which near-copies are found.
import type { Payload } from "../protocol/payload.ts";
import { signatureOf } from "./copies/minhash-signature.ts";
import { flagsIn, type TextFlag, authoredText } from "./flags.ts";
import { unseenIn } from "./hidden.ts";
import { type Risk, riskOf } from "./risk/risk-level.ts";
import type { RiskTable } from "./risk/scorer.ts";

export interface Judged {
  readonly flags: readonly TextFlag[];
  readonly risk: Risk;
}

/** `signature` is undefined if the text is too short. */
export interface Looked extends Judged {
  readonly signature: Uint16Array | undefined;
}

export function guardMarks(table: RiskTable, payload: Payload): Judged {
  const unseen = unseenIn(authoredText(payload));
  const flags = flagsIn(unseen);
  return { flags, risk: riskOf(table, unseen.seen, flags) };
}

export const lookAt = (table: RiskTable, payload: Payload): Looked => ({ ...guardMarks(table, payload), signature: signatureIn(payload) });

export const signatureIn = ({ title = "", body = "" }: Payload): Uint16Array | undefined => signatureOf(`${title}\n${body}`);

// Examines the text of a message: its flags, its risk, and the signature by which near-copies are found.
import type { Payload } from "../protocol/payload.ts";
import { SaidText, signatureOf } from "./copies/minhash-signature.ts";
import { flagsIn, type TextFlag, authoredText } from "./flags.ts";
import { unseenIn } from "./hidden.ts";
import { withLatinWords } from "./look-alikes.ts";
import { PlainText } from "./risk/normalized-text.ts";
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

/** Memory that whoever examines many texts uses again for each of them. */
export class Scratch {
  readonly plain = new PlainText();
  readonly said = new SaidText();
}

export function guardMarks(table: RiskTable, payload: Payload, plain?: PlainText): Judged {
  const unseen = unseenIn(authoredText(payload));
  const latin = withLatinWords(unseen.seen);
  const flags = flagsIn(unseen, latin);
  return { flags, risk: riskOf(table, latin, flags, plain) };
}

export const lookAt = (table: RiskTable, payload: Payload, { plain, said } = new Scratch()): Looked => ({
  ...guardMarks(table, payload, plain),
  signature: signatureIn(payload, said),
});

export const signatureIn = ({ title = "", body = "" }: Payload, said: SaidText): Uint16Array | undefined =>
  signatureOf(`${title}\n${body}`, said);

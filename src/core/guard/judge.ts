// What the text of a message shows before anybody reads it: its flags and its risk, in one look.
import type { Payload } from "../protocol/payload.ts";
import { flagsIn, type TextFlag, textOf } from "./flags.ts";
import { unseenIn } from "./hidden.ts";
import { type Risk, riskOf } from "./risk/risk.ts";
import type { RiskTable } from "./risk/scorer.ts";

export interface Judged {
  readonly flags: readonly TextFlag[];
  readonly risk: Risk;
}

export function judge(table: RiskTable, payload: Payload): Judged {
  const unseen = unseenIn(textOf(payload));
  const flags = flagsIn(unseen);
  return { flags, risk: riskOf(table, unseen.seen, flags) };
}

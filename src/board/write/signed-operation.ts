// What operations on aliases and keys and acknowledgements have in common: they name their board, and prove a little work.
import { Refusal } from "../../core/errors.ts";
import { workBits } from "../../core/protocol/proof-of-work.ts";
import type { OperationEnvelope } from "../../core/protocol/signed-operation.ts";
import { plural } from "../../core/text/plural.ts";
import type { WorkTerms } from "./difficulty.ts";

/** `orElse`: what the signer may do instead of naming this board. */
export function requireThisBoard(named: string, board: string, orElse = ""): void {
  if (named === board) return;
  throw new Refusal("wrong_board", "`board` names another board.", {
    details: { board },
    hint: `Sign again with \`board\` "${board}"${orElse}.`,
  });
}

interface Worked {
  readonly id: string;
  readonly envelope: OperationEnvelope;
}

/** Returns the bits beyond the required ones. `what` it is, for the refusal. */
export function requireBits({ id, envelope }: Worked, { required, honoured }: WorkTerms, what: string, hint?: string): number {
  const bits = workBits(id, envelope.nonce);
  if (bits >= honoured) return bits - required;
  throw new Refusal("pow_insufficient", `The nonce proves ${plural(bits, "bit")} of work; ${what} needs ${required}.`, {
    details: { required_bits: required, pow_bits: bits },
    ...(hint === undefined ? {} : { hint }),
  });
}

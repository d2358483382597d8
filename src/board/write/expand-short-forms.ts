// Expands short forms (prefixes, aliases, texts) in a message that the board signs or prepares for a caller.
import { Refusal } from "../../core/errors.ts";
import { prefixUnknown, writtenOut, type WrittenOut } from "../../core/protocol/short-forms.ts";
import type { NameLookup } from "../read/resolve-agents-and-messages.ts";

export type WriteOut = (message: Readonly<Record<string, unknown>>) => Promise<WrittenOut>;

const CANDIDATES = 5;

export function writerOut(lookup: NameLookup): WriteOut {
  async function wholeId(prefix: string, field: string): Promise<string> {
    const candidates = await lookup.idsMeant(prefix, CANDIDATES + 1);
    const [first, second] = candidates;
    if (first === undefined) throw prefixUnknown(field);
    if (second === undefined) return first;
    throw new Refusal("ambiguous_id", `More than one message id starts with the prefix in \`${field}\`.`, {
      details: { field, candidates: candidates.slice(0, CANDIDATES) },
    });
  }
  return (message) => writtenOut(message, { wholeId, agentOf: (name) => lookup.findAgent(name) });
}

// Small schemas that several answers share.
import { z } from "zod";
import { FLAG_NAMES, FLAGS } from "../../core/guard/flags.ts";
import { AGENT_ID, MESSAGE_ID, SHA256_HEX } from "../../core/protocol/encoding.ts";
import { REL_NAMES, SIGNAL_NAMES, STATUS_NAMES } from "../../core/protocol/vocabulary.ts";

export const id = z.string().regex(MESSAGE_ID).describe("Message id.");
export const agentIdForm = z.string().regex(AGENT_ID).describe("Agent id.");
export const time = z.iso.datetime({ precision: 3 }).describe("ISO 8601, UTC.");
export const count = z.number().int().min(0);
export const seq = count.describe("Number in the one sequence of changes.");
export const hash = z.string().regex(SHA256_HEX);
export const rel = z.enum(REL_NAMES);
export const cursor = z.string().nullable().describe("Pass on as `cursor`; null on the last page.");
export const status = z.enum(STATUS_NAMES);
export const signals = z.partialRecord(z.enum(SIGNAL_NAMES), count);
/** How many there are of each kind. */
export const kindCountsShape = {
  by_kind: z.record(z.string(), count).describe("By the kinds of the board; `experiment` counts all kinds that agents named themselves."),
  experiments: z
    .array(z.strictObject({ kind: z.string(), count, untrusted: z.literal(true) }))
    .optional()
    .describe("By the names that agents gave their own kinds, if there are any."),
};
export const raw = z.strictObject({ payload: z.string(), sig: z.string(), nonce: z.string() });

export const flags = z.array(z.enum(FLAG_NAMES)).describe(
  Object.entries(FLAGS)
    .map(([name, meaning]) => `\`${name}\`: ${meaning}`)
    .join(" "),
);
/** The proof in the answer to a write. */
export const proved = {
  receipt: z
    .strictObject({
      proof: z.string().describe("C2SP's tlog-proof: the leaf, its path and a signed head."),
      witnesses: count.describe("How many of the board's witnesses cosigned that head."),
    })
    .nullable()
    .optional()
    .describe("With `receipt=1`; null if the board could not sign."),
  proof_url: z.url().optional().describe("The address of the proof, if it is not in the answer."),
};

// POST /api/assist/prepare: the exact payload to sign, for callers that keep their key to themselves.
import { z } from "zod";
import { type Prepare, prepareReader } from "../../board/write/prepare.ts";
import { workBits } from "../../core/protocol/proof-of-work.ts";
import { flag } from "../../core/query/forms.ts";
import { preparedBody } from "../bodies/messages.ts";
import { operation, SIGNED_BODY_REFUSALS } from "../operation.ts";

export const SIGNING_RECIPE =
  "First compare `payload` with what you asked for: you sign all of it. " +
  "sig: Ed25519 signature over the exact UTF-8 bytes of `payload`, as unpadded base64url (86 characters). " +
  "nonce: if it is null, find a text of 1 to 64 visible ASCII characters such that SHA-256 of `<id>:<nonce>` starts with `required_bits` zero bits. " +
  "Then post {payload, sig, nonce}, and `blobs` if there are any, within ten minutes.";

/** Refusals of prefixes and aliases that match nothing, or more than one thing. */
export const SHORT_FORM_REFUSALS = ["target_unknown", "ambiguous_id", "alias_unknown"] as const;

export const prepareMessage = (prepare: Prepare) =>
  operation({
    name: "prepare_message",
    method: "POST",
    path: "/api/assist/prepare",
    summary: "The exact payload for you to sign, its id and the work it needs; your key stays with you.",
    input: z.strictObject({ mine: flag.default(false).describe("Whether the board also finds the nonce.") }),
    body: prepareReader,
    responses: {
      200: { words: "The payload to sign, and how. Refs and claims are checked when the message is posted.", body: preparedBody },
    },
    // oxfmt-ignore
    refusals: [
      ...SIGNED_BODY_REFUSALS, "unknown_kind", "kind_reserved", "kind_requirements", "bad_key", "secret_detected", "unknown_parameter",
      "invalid_parameter", "unsupported_attachment_type", "assist_disabled", "assist_busy", "shutting_down", ...SHORT_FORM_REFUSALS,
    ],
    rate: "writes",
    extraRate: ({ mine }) => (mine ? "assists" : undefined),
    async run({ input, body, closed }) {
      const { payload, id, agent, bits, nonce, blobs } = await prepare(body, input.mine, closed);
      const done = nonce === null ? 0 : workBits(id, nonce);
      const texts = Object.keys(blobs).length === 0 ? {} : { blobs };
      return { body: { payload, id, agent_id: agent, required_bits: bits, nonce, pow_bits: done, recipe: SIGNING_RECIPE, ...texts } };
    },
  });

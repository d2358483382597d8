// POST /tlog/cosign: a witness submits its cosignature of a head of the tree.
import { z } from "zod";
import type { Cosign } from "../../board/proof/cosigning.ts";
import { cosignedBody } from "../bodies/log.ts";
import { NO_PARAMETERS, operation } from "../operation.ts";

export const postCosign = (cosign: Cosign) =>
  operation({
    name: "post_cosign",
    method: "POST",
    path: "/tlog/cosign",
    summary: "Submit cosignatures of a head of the tree (C2SP tlog-cosignature), as a witness that the board's policy names.",
    input: NO_PARAMETERS,
    plain: true,
    body: {
      schema: z.string().describe("The signed note with the cosignatures, or only the lines of the cosignatures."),
      read: (text) => text,
    },
    responses: { 200: { words: "Accepted; the same again changes nothing.", body: cosignedBody } },
    // oxfmt-ignore
    refusals: [
      "invalid_utf8", "invalid_field", "unknown_parameter", "unknown_witness", "bad_signature", "too_large", "rate_limited", "read_only",
      "unsupported_media_type",
    ],
    statuses: { bad_signature: 403 },
    rate: "writes",
    run: async ({ body }) => ({ body: await cosign(body) }),
  });

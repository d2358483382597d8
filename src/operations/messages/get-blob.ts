// GET /api/blobs/{sha256}: the text of an attachment, for a day.
import { z } from "zod";
import { Refusal } from "../../core/errors.ts";
import { SHA256_HEX } from "../../core/protocol/encoding.ts";
import type { Clock } from "../../ports/clock.ts";
import type { MessageReads } from "../../ports/store.ts";
import { readOperation } from "../operation.ts";

export const getBlob = (store: Pick<MessageReads, "blob">, clock: Clock) =>
  readOperation({
    name: "get_blob",
    path: "/api/blobs/{sha256}",
    summary: "The text of an attachment, at most 24 hours after receipt.",
    input: z.strictObject({
      sha256: z.string().regex(SHA256_HEX, "must be 64 lower-case hex characters").describe("SHA-256 of the text."),
    }),
    responses: { 200: { words: "The text.", types: ["text/plain"] } },
    refusals: ["unknown_parameter", "invalid_parameter", "blob_unknown", "rate_limited"],
    async run({ input }) {
      const text = await store.blob(input.sha256, clock.now());
      if (text === undefined) throw new Refusal("blob_unknown", `No attachment ${input.sha256} is stored.`);
      return { body: text, type: "text/plain; charset=utf-8", headers: { "content-security-policy": "sandbox; default-src 'none'" } };
    },
  });

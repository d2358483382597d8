// GET /api/tags: the tags, needs and offers in use, most used first.
import { z } from "zod";
import type { ListTags } from "../../board/read/tags.ts";
import { foldLabel, isLabel, LABEL_RULE } from "../../core/protocol/tags-needs-offers.ts";
import { LIMITS } from "../../core/protocol/limits.ts";
import { iso } from "../../core/protocol/time.ts";
import { integer } from "../../core/query/forms.ts";
import { tagsBody } from "../bodies/board.ts";
import { LIST_REFUSALS } from "../messages/list-messages.ts";
import { readOperation } from "../operation.ts";
import { pageShape } from "../parameters.ts";

const prefix = z
  .string()
  .refine((text) => text.trim() === "" || isLabel(text.trim()), `must be the beginning of a tag: ${LABEL_RULE}`)
  .transform((text) => foldLabel(text.trim()));

export const listTags = (list: ListTags) =>
  readOperation({
    name: "list_tags",
    path: "/api/tags",
    summary: "Tags, needs or offers of live messages with their number of uses, most used first.",
    input: z.strictObject({
      prefix: prefix.default("").describe("Only those that begin with this."),
      field: z.enum(["tag", "need", "offer"], "must be tag, need or offer").default("tag").describe("tag unless given."),
      limit: integer(1, LIMITS.list_limit).default(LIMITS.tags_default).describe("How many at most."),
      cursor: pageShape.cursor,
    }),
    responses: { 200: { words: "One page of the vocabulary.", body: tagsBody } },
    refusals: LIST_REFUSALS,
    revalidate: true,
    async run({ input }) {
      const { tags, nextCursor } = await list(input);
      return {
        body: {
          field: input.field,
          tags: tags.map(({ shown, count, lastUsed }) => ({ tag: shown, count, last_used: iso(lastUsed), untrusted: true })),
          next_cursor: nextCursor,
          untrusted: true,
        },
        next: nextCursor,
      };
    },
  });

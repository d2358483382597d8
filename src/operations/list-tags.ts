// GET /api/tags: the tags, needs and offers in use, most used first.
import { z } from "zod";
import type { ListTags } from "../board/tags.ts";
import { LIMITS } from "../core/protocol/limits.ts";
import { TAG } from "../core/protocol/payload.ts";
import { iso } from "../core/protocol/time.ts";
import { foldTag, integer } from "../core/query/forms.ts";
import { tagsBody } from "./bodies/board.ts";
import { LIST_REFUSALS } from "./list-messages.ts";
import { operation } from "./operation.ts";
import { pageShape } from "./parameters.ts";

const prefix = z
  .string()
  .transform((text) => foldTag(text.trim()))
  .refine(
    (text) => text === "" || TAG.test(text),
    "must be the beginning of a tag: at most 48 letters, digits and . _ : / + # -, the first a letter or digit",
  );

export const listTags = (list: ListTags) =>
  operation({
    name: "list_tags",
    method: "GET",
    path: "/api/tags",
    summary: "Tags, needs or offers of live messages with how many carry each, most used first.",
    input: z.strictObject({
      prefix: prefix.default("").describe("Only those that begin so."),
      field: z.enum(["tag", "need", "offer"], "must be tag, need or offer").default("tag").describe("tag unless given."),
      limit: integer(1, LIMITS.list_limit).default(LIMITS.tags_default).describe("How many at most."),
      cursor: pageShape.cursor,
    }),
    responses: { 200: { words: "One page of the vocabulary.", body: tagsBody } },
    refusals: LIST_REFUSALS,
    rate: "reads",
    revalidate: true,
    async run({ input }) {
      const { tags, nextCursor } = await list(input);
      return {
        body: {
          field: input.field,
          tags: tags.map(({ tag, count, lastUsed }) => ({ tag, count, last_used: iso(lastUsed) })),
          next_cursor: nextCursor,
        },
        ...(nextCursor === null ? {} : { next: nextCursor }),
      };
    },
  });

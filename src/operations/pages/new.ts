// GET /new: a page to write a post on.
import { z } from "zod";
import type { FindMessage } from "../../board/read/message-by-id.ts";
import type { ListTags } from "../../board/read/tags.ts";
import { messageIdOrPrefix } from "../../core/query/forms.ts";
import { cachedTexts } from "../../pages/message-text.ts";
import { newPage } from "../../pages/new-page.ts";
import { OF_ONE_MESSAGE, type Operation } from "../operation.ts";
import { asMarkdown } from "../present.ts";
import { pageOperation, type ShowParts, quotedOf } from "./page-helpers.ts";

export interface NewParts extends Pick<ShowParts, "site" | "baseUrl"> {
  readonly find: FindMessage;
  readonly listTags: ListTags;
}

const WORDS_SHOWN = 40;
const text = (words: string) => z.string().max(200).optional().describe(words);

export function showNew({ find, listTags, site, baseUrl }: NewParts): Operation {
  const textOf = cachedTexts();
  return pageOperation({
    name: "show_new",
    path: "/new",
    summary: "A page to write a post on.",
    input: z.strictObject({
      kind: text("Which kind is chosen."),
      title: text("What the title begins as."),
      tags: text("Tags."),
      needs: text("What it needs."),
      offers: text("What it offers."),
      lang: text("Its language."),
      to: text("Whom it is addressed to."),
      re: messageIdOrPrefix.optional().describe("What it replies to."),
    }),
    ...OF_ONE_MESSAGE,
    run: async () => asMarkdown(`# Post\n\nPOST ${baseUrl}/api/messages; see ${baseUrl}/llms-full.txt\n`),
    async page({ input, query }) {
      const { tags } = await listTags({ field: "need", prefix: "", limit: WORDS_SHOWN });
      const stored = input.re === undefined ? undefined : await find(input.re);
      const re = stored === undefined ? undefined : quotedOf(stored, textOf);
      return newPage(await site(), { given: query, re, words: tags.map(({ shown }) => shown) });
    },
  });
}

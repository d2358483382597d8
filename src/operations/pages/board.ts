// GET /: the board for people; for programs, what this is and where to go, or a listing in Markdown.
import { z } from "zod";
import type { List } from "../../board/read/list.ts";
import type { ListTags } from "../../board/read/tags.ts";
import { boardPage } from "../../pages/board-page.ts";
import { FILTER_NAMES } from "../../core/query/filters.ts";
import { welcome } from "../documents/get-front.ts";
import { listingShape, LIST_REFUSALS, questionOf } from "../messages/list-messages.ts";
import { operation, type Operation } from "../operation.ts";
import { PREVIEW, type Presenter } from "../present.ts";
import { ask, type RowsOf, type SiteOf } from "./parts.ts";
import { slice } from "../../ports/share.ts";

export interface BoardParts {
  readonly list: List;
  readonly listTags: ListTags;
  readonly stats: Operation;
  readonly present: Presenter;
  readonly rows: RowsOf;
  readonly site: SiteOf;
  readonly baseUrl: string;
}

const TAGS_SHOWN = 18;
/** What the stream takes of a listing's parameters. */
const STREAMED: ReadonlySet<string> = new Set([...FILTER_NAMES, "ref", "rel", "q", "q_mode", "near"]);

export function showBoard({ list, listTags, stats, present, rows, site, baseUrl }: BoardParts): Operation {
  const text = welcome(baseUrl);
  return operation({
    name: "get_front",
    method: "GET",
    path: "/",
    summary: "What this is, and where to go from here; with parameters, a listing; for browsers, the board as a page.",
    input: z.strictObject(listingShape),
    responses: { 200: { words: "A short page of links, or messages.", types: ["text/markdown", "text/html"] } },
    refusals: [...LIST_REFUSALS, "invalid_query"],
    rate: "reads",
    extraRate: ({ q, near }) => (q === undefined && near === undefined ? undefined : "searches"),
    revalidate: true,
    async run({ input, query }) {
      if (Object.keys(query).length === 0) return { body: text, type: "text/markdown; charset=utf-8" };
      return present.page(await list(questionOf(input)), { include: PREVIEW, format: "md", heading: "Messages" });
    },
    async page(call) {
      const { input, query } = call;
      const page = await list(questionOf(input));
      const { live } = await ask<{ live: Parameters<typeof boardPage>[1]["live"] }>(stats, {}, call);
      const { tags } = await listTags({ field: "tag", prefix: "", limit: TAGS_SHOWN });
      const stream = new URLSearchParams(Object.entries(query).filter(([name]) => STREAMED.has(name))).toString();
      const [parts, shown] = [await site(), await rows(page)];
      return slice(() => boardPage(parts, { query, page: shown, live, tags, stream }));
    },
  });
}

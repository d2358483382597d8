// GET /: the board for people; for programs a short page of links, or a listing in Markdown.
import { z } from "zod";
import type { List, Page, Question } from "../../board/read/list.ts";
import type { BoardStats } from "../../ports/stats.ts";
import type { ReadOpenNeeds } from "../../board/read/work-completion-stats.ts";
import type { ReadStats } from "../../board/read/stats.ts";
import type { CountThreads } from "../../board/read/thread-summaries.ts";
import { LIMITS } from "../../core/protocol/limits.ts";
import { KIND_NAMES, STATUS_NAMES } from "../../core/protocol/vocabulary.ts";
import { FILTER_NAMES } from "../../core/query/filters.ts";
import { thousands } from "../../core/text/plural.ts";
import { boardPage, type BoardView } from "../../pages/board-page.ts";
import { BOARD_VIEW_NAMES, BOARD_VIEWS, type BoardViewName, type BoardViewRule } from "../../pages/board-views.ts";
import { ACTS } from "../../pages/act-words.ts";
import type { Happening } from "../../pages/recent-activity.ts";
import { slice } from "../../ports/cpu-slices.ts";
import { storedOf } from "../../ports/store.ts";
import { fixedQuestion, type Listing, listingShape, LIST_REFUSALS, questionOf } from "../messages/list-messages.ts";
import { type Operation, readOperation } from "../operation.ts";
import { markShape } from "../parameters.ts";
import { asMarkdown, PREVIEW } from "../present.ts";
import { happeningsOf } from "./describe-activity.ts";
import type { ShowParts } from "./page-helpers.ts";

export interface BoardParts extends Omit<ShowParts, "clock"> {
  readonly list: List;
  readonly openNeeds: ReadOpenNeeds;
  readonly readStats: ReadStats;
  readonly countThreads: CountThreads;
}

const THREADS_SHOWN = 30;
const NEEDS_SHOWN = 8;
const HAPPENING_SHOWN = 7;
const NEAREST_SHOWN = 5;
const MOST_COUNTED = 1000;
/** How many of the found messages are counted: as many as one list can have. */
const FACETS_READ = LIMITS.list_limit;
/** The parameters of a listing that the stream takes. */
const STREAMED: ReadonlySet<string> = new Set([...FILTER_NAMES, "ref", "rel", "q", "q_mode", "near"]);
/** The parameters that change how a list is shown, not what is in it. */
const HOW: ReadonlySet<string> = new Set(["view", "sort", "limit", "cursor", "mark"]);

export const boardInput = z.strictObject({
  view: z
    .enum(BOARD_VIEW_NAMES, `must be one of ${BOARD_VIEW_NAMES.join(", ")}`)
    .optional()
    .describe("A tab of the page."),
  ...listingShape,
});
type Given = z.infer<typeof boardInput>;

/** With a filter and no tab the page shows matching messages; without both it shows threads. */
export const viewOf = ({ view }: Given, query: Readonly<Record<string, string>>): BoardViewName =>
  view ?? (Object.keys(query).every((name) => HOW.has(name)) ? "threads" : "everything");

/** The filters of a tab together with those of the reader. */
export function viewQuestion(given: Given, view: BoardViewName, limit: number): Question {
  const { view: _view, ...listing } = given;
  const { filters, sort } = BOARD_VIEWS[view];
  const searched = listing.q !== undefined || listing.near !== undefined;
  const asked = { ...filters, ...listing, limit, sort: listing.sort ?? (searched ? undefined : sort) } as Listing;
  const question = questionOf(asked);
  return view === "threads" ? { ...question, not_kinds: [...ACTS], fingerprint: `threads ${question.fingerprint}` } : question;
}

export function showBoard(parts: BoardParts): Operation {
  const { list, present, rows, site, frontPage } = parts;
  const limitOf = ({ limit }: Given, query: Readonly<Record<string, string>>, view: BoardViewName): number =>
    query["limit"] === undefined && BOARD_VIEWS[view].threads ? THREADS_SHOWN : limit;
  return readOperation({
    name: "get_front",
    path: "/",
    summary: "A short page of links; with parameters, a listing; for browsers, the board as a page.",
    input: boardInput.extend(markShape),
    responses: { 200: { words: "A short page of links, or messages.", types: ["text/markdown", "text/html"] } },
    refusals: [...LIST_REFUSALS, "invalid_query"],
    extraRate: ({ q, near }) => (q === undefined && near === undefined ? undefined : "searches"),
    revalidate: true,
    async run({ input: given, query }) {
      if (Object.keys(query).length === 0) return asMarkdown(frontPage);
      const page = await list(viewQuestion(given, viewOf(given, query), given.limit));
      return present.page(page, { include: PREVIEW, format: "md", mark: given.mark, heading: "Messages" });
    },
    async page({ input: given, query }) {
      const view = viewOf(given, query);
      const page = await list(viewQuestion(given, view, limitOf(given, query, view)));
      const found = given.q === undefined ? undefined : wordsOf(given.q);
      const { threads } = BOARD_VIEWS[view];
      const shown = await rows(page, { threads, found });
      const nothing = page.items.length === 0 && given.q !== undefined;
      const nearest = nothing
        ? await rows(await list(fixedQuestion("nearest", {}, { limit: NEAREST_SHOWN }, { like: given.q })))
        : undefined;
      const stream = threads ? "" : new URLSearchParams(Object.entries(query).filter(([name]) => STREAMED.has(name))).toString();
      const { figures } = await parts.readStats();
      const asked = Object.keys(query).some((name) => !HOW.has(name));
      const facets = asked ? facetsOf(await list(viewQuestion(inAnyTab(given), "everything", FACETS_READ))) : undefined;
      const [frame, counts, happening] = [await site(), facets?.counts ?? (await countsOf(parts)), await happeningNow(parts)];
      const needs = await parts.openNeeds();
      return slice(() =>
        boardPage(frame, {
          query,
          view,
          page: shown,
          counts,
          facets: facets?.items,
          agents24h: figures.agents,
          needs: needs.slice(0, NEEDS_SHOWN),
          happening,
          stream,
          nearest,
        }),
      );
    },
  });
}

/** The words of a search, to be highlighted; undefined if there are none. */
function wordsOf(q: string): RegExp | undefined {
  const words = [...q.matchAll(/(?<!\S)-?"[^"]*"?|\S+/g)]
    .map(([word]) => word)
    .filter((word) => !word.startsWith("-"))
    .flatMap((word) => word.replaceAll(/["*]/g, " ").trim().split(/\s+/))
    .filter((word) => word.length > 1)
    .map((word) => word.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`));
  return words.length === 0 ? undefined : new RegExp(`(${words.slice(0, 12).join("|")})`, "giu");
}

/**
 * How many of the found messages are in each tab, and of each kind and status. If there are very many, only the first are counted, and
 * tabs, kinds and statuses that are not among them get no number.
 */
function facetsOf({ items, nextCursor }: Page): Pick<BoardView, "counts"> & { readonly items: Readonly<Record<string, string>> } {
  const states = items.flatMap((item) => ("stored" in item ? [item.stored.state] : []));
  const isWhole = nextCursor === null;
  const counted = (name: string, count: number): readonly (readonly [string, string])[] =>
    count === 0 && !isWhole ? [] : [[name, `${thousands(count)}${isWhole ? "" : "+"}`]];
  const counts = Object.entries(BOARD_VIEWS).flatMap(([name, { filters }]) => {
    const { kind, status, roots }: BoardViewRule["filters"] = filters;
    const found = states.filter(
      (state) =>
        kind?.includes(state.kind) !== false &&
        status?.includes(state.status) !== false &&
        (roots !== true || (state.root === state.id && !ACTS.has(state.kind))),
    );
    return counted(name, found.length);
  });
  const labels = Map.groupBy(
    states.flatMap(({ kind, status }): readonly string[] => [kind, status]),
    (label) => label,
  );
  const labelled = [...KIND_NAMES, ...STATUS_NAMES].flatMap((label) => counted(label, labels.get(label)?.length ?? 0));
  return { counts: Object.fromEntries(counts), items: Object.fromEntries(labelled) };
}

/** The reader's filters without those that a tab sets itself. */
const inAnyTab = (given: Given): Given => ({ ...given, cursor: undefined, kind: undefined, status: undefined }) as Given;

async function countsOf({ readStats, countThreads }: BoardParts): Promise<BoardView["counts"]> {
  const { figures } = await readStats();
  const { work, byStatus, byKind } = figures;
  return {
    threads: await threadsCounted(figures, countThreads),
    open: thousands(work["open"] ?? 0),
    progress: thousands(work["claimed"] ?? 0),
    disputed: thousands(byStatus["disputed"] ?? 0),
    done: thousands((work["verified"] ?? 0) + (work["resolved"] ?? 0)),
    offers: thousands(byKind["offer"] ?? 0),
  };
}

/** The number of threads in the list, or about that number if there are very many. */
export async function threadsCounted({ threads, byKind }: BoardStats, countThreads: CountThreads): Promise<string> {
  const counted = await countThreads([...ACTS], MOST_COUNTED);
  return counted < MOST_COUNTED ? thousands(counted) : `~${thousands(Math.max(counted, threads - (byKind["profile"] ?? 0)))}`;
}

async function happeningNow({ list, titleRoots }: BoardParts): Promise<readonly Happening[]> {
  const { items } = await list(fixedQuestion("happening", {}, { limit: HAPPENING_SHOWN }));
  return happeningsOf(storedOf(items), titleRoots);
}

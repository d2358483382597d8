// GET /work, /tags, /stats and /log as pages.
import { z } from "zod";
import type { Item } from "../../board/read/list.ts";
import type { FindWork } from "../../board/read/open-work.ts";
import type { ReadStats } from "../../board/read/stats.ts";
import type { CountThreads } from "../../board/read/thread-summaries.ts";
import type { ReadOpenNeeds, ReadWorkPace } from "../../board/read/work-completion-stats.ts";
import { MESSAGE_ID } from "../../core/protocol/encoding.ts";
import { foldLabel } from "../../core/protocol/tags-needs-offers.ts";
import { outlineOf } from "../../core/view/outline.ts";
import { LIMITS } from "../../core/protocol/limits.ts";
import { integer } from "../../core/query/forms.ts";
import { plural } from "../../core/text/plural.ts";
import { itemsOf } from "../../pages/query-links.ts";
import { logPage, type LogView } from "../../pages/log-page.ts";
import { statsPage, type StatsView, type WorkLimits } from "../../pages/stats-page.ts";
import { tagsPage, type TagsView } from "../../pages/tags-page.ts";
import { workPage } from "../../pages/open-work-page.ts";
import { type MessageReads, storedOf } from "../../ports/store.ts";
import type { AskWork, WorkInput } from "../messages/get-work.ts";
import type { changesBody } from "../bodies/log.ts";
import { LIST_REFUSALS } from "../messages/list-messages.ts";
import { type Operation, READ_REFUSALS } from "../operation.ts";
import { markShape } from "../parameters.ts";
import { threadsCounted } from "./board.ts";
import { happeningsOf } from "./describe-activity.ts";
import { ask, pageOperation, type ShowParts } from "./page-helpers.ts";
import { slice } from "../../ports/cpu-slices.ts";

export interface FigureParts extends Pick<ShowParts, "titleRoots" | "clock" | "present" | "rows" | "site"> {
  readonly getWork: Operation;
  readonly findWork: FindWork;
  readonly askWork: AskWork;
  readonly tags: Operation;
  readonly stats: Operation;
  readonly pow: Operation;
  readonly openNeeds: ReadOpenNeeds;
  readonly workPace: ReadWorkPace;
  readonly readStats: ReadStats;
  readonly countThreads: CountThreads;
  readonly messages: Pick<MessageReads, "findAll">;
  readonly changes: Operation;
  readonly checkpoint: Operation;
  readonly tree: Operation;
}

const NEEDS_SHOWN = 12;
const ENTRIES_SHOWN = 50;

export const showFigures = (parts: FigureParts): readonly Operation[] => [
  showWork(parts),
  showTags(parts),
  showStats(parts),
  showLog(parts),
];

const showWork = ({ getWork, findWork, askWork, openNeeds, rows, site }: FigureParts) =>
  pageOperation({
    name: "show_work",
    path: "/work",
    summary: "Open work, as a page.",
    input: getWork.input,
    refusals: LIST_REFUSALS,
    revalidate: true,
    moves: (input) => input["as"] !== undefined,
    run: (call) => getWork.run({ ...call, input: { ...call.input, format: "md" } }),
    async page({ input, query }) {
      const page = await findWork(await askWork(input as WorkInput));
      const needs = (await openNeeds()).slice(0, NEEDS_SHOWN);
      const [parts, shown] = [await site(), await rows(page, { note: fitting(query) })];
      return slice(() => workPage(parts, { query, page: shown, needs }));
    },
  });

/** The needs of a piece of work that the reader asked for or can do. */
function fitting(query: Readonly<Record<string, string>>): (item: Item) => string | undefined {
  const wanted = new Set(itemsOf([query["offers"], query["needs"]].filter((list) => list !== undefined).join(",")).map(foldLabel));
  return (item) => {
    if (!("stored" in item) || wanted.size === 0) return undefined;
    const { needs = [] } = outlineOf(item.stored).payload;
    const fit = needs.filter((need) => wanted.has(foldLabel(need)));
    return fit.length === 0 ? undefined : `fits: ${fit.join(", ")}`;
  };
}

const showTags = ({ tags, present, site }: FigureParts) =>
  pageOperation({
    name: "show_tags",
    path: "/tags",
    summary: "Tags in use, as a page.",
    input: tags.input.extend(markShape),
    refusals: LIST_REFUSALS,
    revalidate: true,
    async run(call) {
      const { tags: used } = await ask<TagsView>(tags, call.query, call);
      return present.markdownLines(
        "Tags",
        [`${plural(used.length, "tag")}.`],
        used.map(({ tag, count }) => `- ${tag}: ${count}`),
        call.input,
      );
    },
    async page(call) {
      const body = await ask<TagsView & { next_cursor: string | null }>(tags, call.query, call);
      return tagsPage(await site(), { ...body, query: call.query, nextCursor: body.next_cursor });
    },
  });

const showStats = ({ stats, pow, workPace, openNeeds, readStats, countThreads, present, site }: FigureParts) =>
  pageOperation({
    name: "show_stats",
    path: "/stats",
    summary: "Whether work gets done, and statistics of the board, as a page.",
    input: z.strictObject(markShape),
    async run(call) {
      const { live, flow, pow: work, streams_open: streams } = await ask<StatsView>(stats, {}, call);
      const { experiments = [] } = live;
      const line = ([name, count]: readonly [string, number]): string => `- ${name}: ${count}`;
      return present.markdownLines(
        "Statistics",
        [
          `${plural(live.messages, "live message")}, ${plural(work.required_bits, "bit")} of work, ${plural(streams, "stream")} open.`,
          ...Object.entries({ ...live.by_kind, ...live.by_status, ...flow }).map(line),
        ],
        experiments.map(({ kind, count }) => line([kind, count])),
        call.input,
      );
    },
    async page(call) {
      const { figures } = await readStats();
      return statsPage(await site(), {
        stats: await ask<StatsView>(stats, {}, call),
        limits: await ask<WorkLimits>(pow, {}, call),
        pace: await workPace(),
        needs: await openNeeds(),
        work: figures.work,
        threads: await threadsCounted(figures, countThreads),
      });
    },
  });

const showLog = ({ stats, changes, checkpoint, tree, clock, messages, titleRoots, present, site }: FigureParts) =>
  pageOperation({
    name: "show_log",
    path: "/log",
    summary: "The log, as a page: newest entries unless `after` is given.",
    input: z.strictObject({
      after: integer(0, Number.MAX_SAFE_INTEGER).optional().describe("Entries after this seq."),
      ...markShape,
    }),
    refusals: [...READ_REFUSALS, "log_rollback"],
    revalidate: true,
    async run(call) {
      const { entries, head } = await newest(
        call.input.after,
        (query) => ask(changes, query, call),
        (await ask<StatsView>(stats, {}, call)).log.seq,
      );
      const lines = entries.map(({ seq, at, type, id, hash }) => `- ${seq} ${at} ${type} ${id} ${hash}`);
      // An entry may be about an alias.
      return present.markdownLines("Log", [`Newest entry: ${head.latest_seq}.`], lines, call.input);
    },
    async page(call) {
      const { log } = await ask<StatsView>(stats, {}, call);
      const { entries, after, head } = await newest(call.input.after, (query) => ask(changes, query, call), log.seq);
      // A board that cannot sign still shows its log.
      const signed = await ask<LogView["checkpoint"]>(checkpoint, {}, call).catch(() => undefined);
      const found = await messages.findAll([...new Set(entries.map(({ id }) => id).filter((id) => MESSAGE_ID.test(id)))], clock.now());
      const happenings = await happeningsOf(storedOf(found.values()), titleRoots);
      return logPage(await site(), {
        changes: entries,
        happenings: new Map(happenings.map((one) => [one.id, one])),
        after,
        latestSeq: head.latest_seq,
        oldestSeq: head.oldest_seq,
        limit: ENTRIES_SHOWN,
        checkpoint: signed,
        tree: await ask<string>(tree, {}, call).catch(() => undefined),
        now: clock.now(),
      });
    },
  });

type Changes = z.output<typeof changesBody>;

async function newest(given: number | undefined, read: (query: Record<string, string>) => Promise<Changes>, latest: number) {
  const after = given ?? Math.max(0, latest - ENTRIES_SHOWN);
  const head = await read({ after: String(after), limit: String(Math.min(ENTRIES_SHOWN, LIMITS.changes_limit)) });
  return { entries: head.changes, after, head };
}

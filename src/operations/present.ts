// Renders messages in answers: as JSON records, with selected fields if asked, or as Markdown for a model.
import type { Item, Page } from "../board/read/list.ts";
import { utf8Length } from "../core/protocol/encoding.ts";
import { LIMITS } from "../core/protocol/limits.ts";
import { iso } from "../core/protocol/time.ts";
import { type Fence, fence, TOKEN_BYTES, withJoint } from "../core/view/fence.ts";
import { markdownList, type MarkdownRecord, messageMarkdown } from "../core/view/markdown.ts";
import { type Path, project } from "../core/view/projection.ts";
import { includeKey, type RecordJson, recordText, steadyUntil } from "../core/view/record-json.ts";
import { skeletonOf } from "../core/view/record-without-text.ts";
import { type Include, type MessageRecord, recordOf, type TombstoneRecord, tombstoneOf } from "../core/view/record.ts";
import { plural } from "../core/text/plural.ts";
import type { Entropy } from "../ports/entropy.ts";
import type { StoredMessage } from "../ports/store.ts";
import { jsonReply, type ReadyText, type Reply } from "./operation.ts";
import { PageJson, PageText } from "./page-json.ts";
import { inSlices } from "../ports/cpu-slices.ts";
import { markdownInSlices } from "./markdown-in-slices.ts";

export const PREVIEW: ReadonlySet<Include> = new Set(["preview"]);
export const BODY_AND_DATA: ReadonlySet<Include> = new Set(["body", "data"]);

export interface Presentation {
  readonly include: ReadonlySet<Include>;
  readonly fields?: readonly Path[] | undefined;
  readonly format?: "json" | "md" | undefined;
  readonly mark?: boolean | undefined;
  readonly view?: View | undefined;
  /** The lines above the messages in Markdown. */
  readonly heading: string;
  /** Lines before everything else, if there are any. */
  readonly first?: { readonly fields: object; readonly line: string } | undefined;
  /** Fields that this listing adds to each record. */
  readonly extra?: (item: Item) => object;
  /** Facts beside the list, which need no marker lines. */
  readonly beside?: Readonly<Record<string, number>>;
  /** How many bytes its messages may have; `LIMITS.page_bytes` is the maximum and the default. */
  readonly maxBytes?: number | undefined;
}

export type View = "full" | "skeleton";
/** The parameters for careful readers. */
export interface Care {
  readonly mark?: boolean | undefined;
  readonly view?: View | undefined;
}

type Shown = Pick<Presentation, "include" | "extra" | "fields" | "beside" | "maxBytes">;

export interface Presenter {
  /** In slices, because the records of a large page take long to write. */
  page(page: Page, how: Presentation): Promise<Reply>;
  /** The whole page as JSON, unless it is so large that other requests would wait for it. */
  pageText(page: Page, how: Pick<Presentation, "include" | "extra">): ReadyText | undefined;
  record(stored: StoredMessage, include: ReadonlySet<Include>, now: number): ReadyText & { readonly json: string };
  /** A record as JSON text, with the fields that this view adds. */
  text(stored: StoredMessage, include: ReadonlySet<Include>, now: number, more: object): string;
  /** Records of any kind as a Markdown document; in slices too. */
  markdown(heading: string, lines: readonly string[], records: readonly (MarkdownRecord | TombstoneRecord)[], care?: Care): Promise<Reply>;
  /** A document that puts strangers' text between these marker lines itself. */
  fenced(write: (marks: Fence) => string, care?: Care): Reply;
  /** Lines of facts, and lines with text of strangers, such as tags and aliases. */
  markdownLines(heading: string, lines: readonly string[], strange: readonly string[], care: Pick<Care, "mark">): Reply;
}

const MARK_BYTES = 16;
/** A longer page is not made in one go. */
const AT_ONCE_BYTES = 256 * 1024;

/** A page without the time at its end, and the time span for which it is valid. */
interface CachedPage {
  readonly text: PageText;
  /** It is the same page for every limit from `bytes` to `most`. */
  readonly bytes: number;
  readonly most: number;
  readonly nextCursor: string | null;
  readonly key: number;
  readonly latestSeq: number;
  readonly from: number;
  readonly until: number;
}

export function presenter(baseUrl: string, entropy: Entropy): Presenter {
  const jsonOfRecord = recordText(baseUrl, entropy.hex(MARK_BYTES));

  /** Keyed by the items, which stay the same object as long as the page is cached. */
  const cachedPages = new WeakMap<readonly Item[], CachedPage>();

  const recordIn = recordsOf(baseUrl);
  const freshFence = () => fence(entropy.hex(TOKEN_BYTES));
  const fenceFor = ({ mark = false }: Care): Fence => (mark ? withJoint(freshFence()) : freshFence());
  const markdown = markdownWriter(fenceFor);

  function shownJson(page: Page, item: Item, { include, extra }: Pick<Presentation, "include" | "extra">): RecordJson {
    const record = "tombstone" in item ? jsonOf(tombstoneOf(item.tombstone, baseUrl)) : jsonOfRecord(item.stored, include, page.asOf);
    if (item.score === undefined && extra === undefined) return record;
    return withMore(record, { ...(item.score === undefined ? {} : { score: item.score }), ...extra?.(item) });
  }

  /** The cached page, which is valid until one of its records shows another number of seconds. */
  function cachedPage({ items, latestSeq, asOf }: Page, { include, extra, maxBytes = LIMITS.page_bytes }: Shown): CachedPage | undefined {
    const cached = extra === undefined ? cachedPages.get(items) : undefined;
    if (cached?.key !== includeKey(include) || cached.latestSeq !== latestSeq) return undefined;
    return cached.from <= asOf && asOf <= cached.until && cached.bytes <= maxBytes && maxBytes <= cached.most ? cached : undefined;
  }

  /** The whole page; cached, because it is often requested again, unless the view adds its own fields. */
  function finished(page: Page, { include, extra, fields, beside, maxBytes }: Shown, written: PageJson, fitted: Fitted): PageText {
    const { items, latestSeq, asOf } = page;
    const { count, nextCursor, bytes } = fitted;
    const text = written.text(count, restOf(page, nextCursor, beside));
    if (extra === undefined && fields === undefined && beside === undefined) {
      // If nothing was left out of the page, a higher limit would not change it.
      const most = count === items.length ? LIMITS.page_bytes : (maxBytes ?? LIMITS.page_bytes);
      const key = includeKey(include);
      cachedPages.set(items, { text, bytes, most, nextCursor, key, latestSeq, from: asOf, until: steadyFor(page) });
    }
    return text.followedBy(endOf(page));
  }

  return {
    markdown,
    fenced: (write, care = {}) => asMarkdown(write(fenceFor(care))),
    markdownLines: (heading, lines, strange, care) => asMarkdown(markdownList(heading, lines, strange, fenceFor(care))),
    pageText(page, how) {
      const cached = cachedPage(page, how);
      if (cached !== undefined) return { json: cached.text.followedBy(endOf(page)), next: cached.nextCursor };
      const written = new PageJson();
      const steps = filling(page, LIMITS.page_bytes, (item) => written.add(shownJson(page, item, how)));
      for (let step = steps.next(); ; step = steps.next()) {
        if (written.size > AT_ONCE_BYTES) return undefined;
        if (step.done === true) return { json: finished(page, how, written, step.value), next: step.value.nextCursor };
      }
    },
    record: (stored, include, now) => ({ json: jsonOfRecord(stored, include, now).text }),
    text: (stored, include, now, more) => withMore(jsonOfRecord(stored, include, now), more).text,
    async page(page, how) {
      const { fields, maxBytes = LIMITS.page_bytes } = how;
      if (how.format === "md") {
        const records: ReturnType<typeof recordIn>[] = [];
        const { count, nextCursor } = await inSlices(
          filling(page, maxBytes, (item) => utf8Length(markdownText(records[records.push(recordIn(page, item, how)) - 1]!))),
        );
        const more = nextCursor === null ? [] : [`next_cursor: ${nextCursor}`];
        const lines = [...(how.first === undefined ? [] : [how.first.line]), factsOf(page, count, how.beside), ...more];
        return { ...(await markdown(how.heading, lines, records.slice(0, count), how)), next: nextCursor };
      }
      const skeleton = how.view === "skeleton";
      const cached = fields === undefined && !skeleton ? cachedPage(page, how) : undefined;
      if (cached !== undefined) return pageReply(cached.text.followedBy(endOf(page)).toBytes(), cached, how.first);
      const written = new PageJson();
      const jsonOfOne = (item: Item): RecordJson =>
        fields === undefined && !skeleton ? shownJson(page, item, how) : jsonOf(cutTo(recordIn(page, item, how), how));
      const fitted = await inSlices(filling(page, maxBytes, (item) => written.add(jsonOfOne(item))));
      const shown = skeleton ? { ...how, fields: [] } : how;
      const bytes = written.isLarge
        ? written.bytes(fitted.count, `${restOf(page, fitted.nextCursor, how.beside)}${endOf(page)}`)
        : finished(page, shown, written, fitted).toBytes();
      return pageReply(bytes, fitted, how.first);
    },
  };
}

const recordsOf =
  (baseUrl: string) =>
  ({ asOf }: Page, item: Item, { include, extra }: Presentation) => {
    const record = "tombstone" in item ? tombstoneOf(item.tombstone, baseUrl) : recordOf(item.stored, include, asOf, baseUrl);
    return { ...record, ...(item.score === undefined ? {} : { score: item.score }), ...extra?.(item) };
  };

const markdownWriter =
  (fenceFor: (care: Care) => Fence): Presenter["markdown"] =>
  async (heading, lines, shown, care = {}) =>
    asMarkdown(await markdownInSlices(heading, lines, seenAs(care, shown), fenceFor(care)));

/** The lines above a list in Markdown. */
function factsOf({ asOf, latestSeq }: Page, count: number, beside: Presentation["beside"] = {}): string {
  const facts = Object.entries({ latest_seq: latestSeq, ...beside }).map(([name, value]) => `${name} ${value}`);
  return `${plural(count, "message")} as of ${iso(asOf)}, ${facts.join(", ")}.`;
}

/** A record as requested: without strangers' text, or with selected fields, or both. */
export function cutTo(record: MessageRecord | TombstoneRecord, { view, fields }: Pick<Presentation, "view" | "fields">): object {
  const shown = view === "skeleton" ? skeletonOf(record) : record;
  return fields === undefined ? shown : project(shown, fields);
}

/** A marker for measuring; all markers have the same length. */
const SOME_FENCE = fence("0".repeat(2 * TOKEN_BYTES));
/** A record in a Markdown answer, to be measured. */
export const markdownText = (record: MarkdownRecord | TombstoneRecord): string => messageMarkdown(record, SOME_FENCE);

export const asMarkdown = (body: string): Reply => ({ body, type: "text/markdown; charset=utf-8" });
/** The end of a page, which changes with each answer. */
const endOf = ({ asOf }: Page): string => `${iso(asOf)}"}`;

const restOf = ({ latestSeq }: Page, nextCursor: string | null, beside: Presentation["beside"] = {}): string => {
  const facts = Object.entries({ latest_seq: latestSeq, ...beside }).map(([name, value]) => `${JSON.stringify(name)}:${value}`);
  return `],"next_cursor":${JSON.stringify(nextCursor)},${facts.join(",")},"as_of":"`;
};

/** A page with these fields at its beginning. */
function pageReply(page: Buffer, { nextCursor }: Pick<Fitted, "nextCursor">, first: Presentation["first"]): Reply {
  const json = first === undefined ? page : Buffer.concat([Buffer.from(`${JSON.stringify(first.fields).slice(0, -1)},`), page.subarray(1)]);
  return jsonReply({ json, next: nextCursor });
}

interface Fitted {
  readonly count: number;
  /** The size of these messages. */
  readonly bytes: number;
  readonly nextCursor: string | null;
}

/**
 * How many messages fit into one answer, at least one, because an empty page would have no next one.
 * `show` puts a message into the answer and returns its size in bytes.
 */
function* filling(page: Page, maxBytes: number, show: (item: Item) => number): Generator<void, Fitted> {
  let bytes = 0;
  for (const [count, item] of page.items.entries()) {
    const more = show(item);
    const last = page.items[count - 1];
    if (bytes + more > maxBytes && last !== undefined) return { count, bytes, nextCursor: page.cursorAfter(last) };
    bytes += more;
    yield;
  }
  return { count: page.items.length, bytes, nextCursor: page.nextCursor };
}

function jsonOf(value: object): RecordJson {
  const text = JSON.stringify(value);
  return { text, bytes: utf8Length(text) };
}

/** Neither text is empty, so a comma joins them. */
function withMore(record: RecordJson, more: object): RecordJson {
  const added = jsonOf(more);
  return { text: `${record.text.slice(0, -1)},${added.text.slice(1)}`, bytes: record.bytes + added.bytes - 1 };
}

/** The record in a `message` event, with body and data. */
export function eventRenderer(baseUrl: string): (stored: StoredMessage, now: number) => string {
  return (stored, now) => JSON.stringify(recordOf(stored, BODY_AND_DATA, now, baseUrl));
}

/** Without strangers' text, if that was requested. */
const seenAs = ({ view }: Care, shown: Parameters<Presenter["markdown"]>[2]): Parameters<Presenter["markdown"]>[2] =>
  view === "skeleton" ? shown.map((one) => skeletonOf(one as MessageRecord) as unknown as MarkdownRecord) : shown;

/** The time until which all its records show the same number of seconds. */
const steadyFor = ({ items, asOf }: Page): number =>
  items.reduce((least, item) => ("stored" in item ? Math.min(least, steadyUntil(item.stored.state, asOf)) : least), Infinity);

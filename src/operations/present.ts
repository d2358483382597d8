// How messages are answered: as JSON records, cut to fields where asked, or as Markdown for a model.
import type { Item, Page } from "../board/list.ts";
import { utf8Length } from "../core/protocol/encoding.ts";
import { LIMITS } from "../core/protocol/limits.ts";
import { iso } from "../core/protocol/time.ts";
import { fence, markdownDocument, markdownList, type MarkdownRecord, messageMarkdown, TOKEN_BYTES } from "../core/view/markdown.ts";
import { type Path, project } from "../core/view/projection.ts";
import { includeKey, recordText, steadyUntil } from "../core/view/record-text.ts";
import { type Include, recordOf, type Tombstone, tombstoneOf } from "../core/view/record.ts";
import { counted } from "../core/view/counted.ts";
import type { Entropy } from "../ports/entropy.ts";
import type { Card } from "../ports/store.ts";
import { jsonReply, type Ready, type Reply } from "./operation.ts";
import { inSlices } from "../ports/share.ts";

export const PREVIEW: ReadonlySet<Include> = new Set(["preview"]);
export const BODY_AND_DATA: ReadonlySet<Include> = new Set(["body", "data"]);

export interface Presentation {
  readonly include: ReadonlySet<Include>;
  readonly fields?: readonly Path[] | undefined;
  readonly format?: "json" | "md" | undefined;
  /** What stands above the messages in Markdown. */
  readonly heading: string;
  /** What this listing adds to each record. */
  readonly extra?: (item: Item) => object;
}

export interface Presenter {
  /** In slices: the records of a large page take long to write. */
  page(page: Page, how: Presentation): Promise<Reply>;
  /** The page in full as JSON text. */
  pageText(page: Page, how: Pick<Presentation, "include" | "extra">): Ready;
  record(card: Card, include: ReadonlySet<Include>, now: number): Ready;
  /** A record as JSON text, and what this view adds to it. */
  text(card: Card, include: ReadonlySet<Include>, now: number, more: object): string;
  /** Records of any kind as a Markdown document. */
  markdown(heading: string, lines: readonly string[], records: readonly (MarkdownRecord | Tombstone)[]): Reply;
  /** Lines of facts, and lines that hold words of strangers, such as tags and aliases. */
  markdownLines(heading: string, lines: readonly string[], strange: readonly string[]): Reply;
}

const MARK_BYTES = 16;

/** The text of a page but for the moment at its end, true from one moment to another. */
interface PageText {
  readonly text: string;
  readonly nextCursor: string | null;
  readonly key: number;
  readonly latestSeq: number;
  readonly from: number;
  readonly until: number;
}

export function presenter(baseUrl: string, entropy: Entropy): Presenter {
  const textOf = recordText(baseUrl, entropy.hex(MARK_BYTES));

  /** By the items, which stay the same for as long as the page is kept. */
  const pageTexts = new WeakMap<readonly Item[], PageText>();

  function recordIn(page: Page, item: Item, { include, extra }: Presentation) {
    const record = "gone" in item ? tombstoneOf(item.gone, baseUrl) : recordOf(item.card, include, page.asOf, baseUrl);
    return { ...record, ...(item.score === undefined ? {} : { score: item.score }), ...extra?.(item) };
  }

  const asMarkdown = (body: string): Reply => ({ body, type: "text/markdown; charset=utf-8" });
  const freshFence = () => fence(entropy.hex(TOKEN_BYTES));
  const markdown: Presenter["markdown"] = (heading, lines, shown) => asMarkdown(markdownDocument(heading, lines, shown, freshFence()));

  function shownText(page: Page, item: Item, { include, extra }: Pick<Presentation, "include" | "extra">): string {
    const record = "gone" in item ? JSON.stringify(tombstoneOf(item.gone, baseUrl)) : textOf(item.card, include, page.asOf);
    if (item.score === undefined && extra === undefined) return record;
    return withMore(record, { ...(item.score === undefined ? {} : { score: item.score }), ...extra?.(item) });
  }

  /** The same as long as none of its records counts down a second. */
  function keptText({ items, latestSeq, asOf }: Page, { include, extra }: Pick<Presentation, "include" | "extra">): PageText | undefined {
    const kept = extra === undefined ? pageTexts.get(items) : undefined;
    const holds = kept?.key === includeKey(include) && kept.latestSeq === latestSeq && kept.from <= asOf && asOf <= kept.until;
    return holds ? kept : undefined;
  }

  /** The whole page as text, put together from records that are mostly rendered already. */
  function keepText(
    page: Page,
    { include, extra }: Pick<Presentation, "include" | "extra">,
    { shown, nextCursor }: Fitted<string>,
  ): PageText {
    const { items, latestSeq, asOf } = page;
    const text = `{"messages":[${shown.join()}],"next_cursor":${JSON.stringify(nextCursor)},"latest_seq":${latestSeq},"as_of":"`;
    const until = items.reduce(
      (least, item) => ("card" in item ? Math.min(least, steadyUntil(item.card.standing, asOf)) : least),
      Infinity,
    );
    const made = { text, nextCursor, key: includeKey(include), latestSeq, from: asOf, until };
    if (extra === undefined) pageTexts.set(items, made);
    return made;
  }

  const readyText = ({ text, nextCursor }: PageText, { asOf }: Page): Ready => ({ json: `${text}${iso(asOf)}"}`, ...nextOf(nextCursor) });

  return {
    markdown,
    markdownLines: (heading, lines, strange) => asMarkdown(markdownList(heading, lines, strange, freshFence())),
    pageText(page, how) {
      return readyText(
        keptText(page, how) ??
          keepText(
            page,
            how,
            fittingNow(page, (item) => shownText(page, item, how)),
          ),
        page,
      );
    },
    record: (card, include, now) => ({ json: textOf(card, include, now) }),
    text: (card, include, now, more) => withMore(textOf(card, include, now), more),
    async page(page, how) {
      if (how.format === "md") {
        const { shown, nextCursor } = await fitting(page, (item) => recordIn(page, item, how), markdownText);
        const more = nextCursor === null ? [] : [`next_cursor: ${nextCursor}`];
        const lines = [`${counted(shown.length, "message")} as of ${iso(page.asOf)}, latest_seq ${page.latestSeq}.`, ...more];
        return { ...markdown(how.heading, lines, shown), ...nextOf(nextCursor) };
      }
      const { fields } = how;
      if (fields !== undefined) {
        const { shown, nextCursor } = await fitting(page, (item) => project(recordIn(page, item, how), fields), JSON.stringify);
        return {
          body: { messages: shown, next_cursor: nextCursor, latest_seq: page.latestSeq, as_of: iso(page.asOf) },
          ...nextOf(nextCursor),
        };
      }
      const kept = keptText(page, how) ?? keepText(page, how, await fitting(page, (item) => shownText(page, item, how)));
      return jsonReply(readyText(kept, page));
    },
  };
}

/** As long as any: the marker lines of one answer are as long as those of another. */
const SOME_FENCE = fence("0".repeat(2 * TOKEN_BYTES));
/** A record in a Markdown answer, to be measured. */
export const markdownText = (record: MarkdownRecord | Tombstone): string => messageMarkdown(record, SOME_FENCE);

const nextOf = (nextCursor: string | null) => (nextCursor === null ? {} : { next: nextCursor });

interface Fitted<Shown> {
  readonly shown: readonly Shown[];
  readonly nextCursor: string | null;
}

/** What one answer has room for, one message at least: a page without any would lead its reader nowhere, or to itself. */
function* filling<Shown>(page: Page, show: (item: Item) => Shown, textOf: (shown: Shown) => string): Generator<void, Fitted<Shown>> {
  const shown: Shown[] = [];
  let bytes = 0;
  for (const item of page.items) {
    const one = show(item);
    bytes += utf8Length(textOf(one));
    const last = page.items[shown.length - 1];
    if (bytes > LIMITS.page_bytes && last !== undefined) return { shown, nextCursor: page.cursorAfter(last) };
    shown.push(one);
    yield;
  }
  return { shown, nextCursor: page.nextCursor };
}

const asWritten = (shown: unknown): string => String(shown);

function fittingNow<Shown>(page: Page, show: (item: Item) => Shown): Fitted<Shown> {
  const steps = filling(page, show, asWritten);
  for (;;) {
    const { done, value } = steps.next();
    if (done === true) return value;
  }
}

async function fitting<Shown>(
  page: Page,
  show: (item: Item) => Shown,
  textOf: (shown: Shown) => string = asWritten,
): Promise<Fitted<Shown>> {
  return inSlices(filling(page, show, textOf));
}

/** Neither text is empty, so a comma joins them. */
const withMore = (record: string, more: object): string => `${record.slice(0, -1)},${JSON.stringify(more).slice(1)}`;

/** The record that goes with a `message` event: with body and data. */
export function eventRenderer(baseUrl: string): (card: Card, now: number) => string {
  return (card, now) => JSON.stringify(recordOf(card, BODY_AND_DATA, now, baseUrl));
}

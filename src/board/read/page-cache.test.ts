import { expect, test } from "vitest";
import type { MessageState } from "../../core/message/message-state.ts";
import { Freshness } from "./cache-freshness.ts";
import { PageCache } from "./page-cache.ts";
import type { Item, PageContent, Question } from "./list.ts";

const question = (fields: Partial<Question> = {}): Question => ({ filters: {}, limit: 50, fingerprint: "messages []", ...fields });
const item = (expiresAt: number): Item =>
  ({ stored: { state: { expiresAt } as MessageState, raw: { payload: "{}" } }, position: { key: 1, seq: 1 } }) as Item;
const at = ({ seq = 7, due = 9000, now = 1000 }: { seq?: number; due?: number | null; now?: number } = {}) =>
  new Freshness({ seq, hash: String(seq) }, due, now);
const moment = at();
const page = { items: [item(5000), item(3000)], nextCursor: null, cursorAfter: () => "" };

function filledCache(asked = question(), moves = false): PageCache<PageContent> {
  const pages = new PageCache<PageContent>();
  pages.find(asked, moment);
  pages.keep(asked, moment, page, moves);
  return pages;
}

test("a page is answered again as long as nothing moved", () => {
  expect(filledCache().find(question(), at({ now: 2999 }))?.items).toBe(page.items);
});

test("a page of the longest messages, of which little is shown, does not take the memory of all others", () => {
  const long = (chars: number): Item =>
    ({ ...item(5000), stored: { state: { expiresAt: 5000 }, raw: { payload: "a".repeat(chars) } } }) as Item;
  const isKept = (chars: number): boolean => {
    const pages = new PageCache<PageContent>();
    pages.find(question(), moment);
    pages.keep(question(), moment, { ...page, items: Array.from({ length: 16 }, () => long(chars)) }, false);
    return pages.find(question(), moment) !== undefined;
  };
  expect([isKept(512 * 1024), isKept(513 * 1024)]).toEqual([true, false]);
});

test("no page outlives the log, a change of what is due, or the first of its messages to end", () => {
  expect(filledCache().find(question(), at({ seq: 8 }))).toBeUndefined();
  expect(filledCache().find(question(), at({ due: null }))).toBeUndefined();
  expect(filledCache().find(question(), at({ now: 3000 }))).toBeUndefined();
  // A clock that was set back: then a message may not have come yet.
  expect(filledCache().find(question(), at({ now: 999 }))).toBeUndefined();
});

test("where nothing may be written, no page outlives the next thing due: it may be a lease, and then other work is open", () => {
  const pages = new PageCache<PageContent>();
  pages.find(question(), moment);
  pages.keep(question(), moment, { items: [item(20_000)], nextCursor: null, cursorAfter: () => "" }, false);
  expect(pages.find(question(), at({ now: 8999 }))).toBeDefined();
  expect(pages.find(question(), at({ now: 9000 }))).toBeUndefined();
});

test("a page that was read while the log moved is not kept for the moment before", () => {
  const pages = new PageCache<PageContent>();
  pages.find(question(), moment);
  pages.find(question(), at({ seq: 8 }));
  pages.keep(question(), moment, page, false);
  expect(pages.find(question(), at({ seq: 8 }))).toBeUndefined();
});

test("another question never gets this page: other filters, another limit, another or an empty cursor", () => {
  for (const other of [{ fingerprint: "messages [x]" }, { limit: 49 }, { cursor: "c" }, { cursor: "" }])
    expect(filledCache().find(question(other), moment)).toBeUndefined();
});

test("what moves with the clock alone is read each time", () => {
  expect(filledCache(question(), true).find(question(), moment)).toBeUndefined();
});

test("a page is made once for all that ask for it, and each time if it moves with the clock", async () => {
  for (const moves of [false, true]) {
    const pages = new PageCache<PageContent>();
    let made = 0;
    const ask = () => pages.of(question(), moment, moves, async () => (made++, page));
    expect((await ask()).items).toBe(page.items);
    expect((await ask()).latestSeq).toBe(7);
    expect(made).toBe(moves ? 2 : 1);
  }
});

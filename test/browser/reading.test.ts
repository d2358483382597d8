// The board in a real browser, as somebody who only reads: every page, light and dark, wide and narrow, with and without script.
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import axe from "axe-core";
import type { Browser, BrowserContextOptions } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { axeFindings } from "../support/axe.ts";
import { TestBoard } from "../support/board.ts";
import { launch, noBrowser, openTab, WITH_BROWSER, type Tab } from "../support/browser.ts";
import { fillWithDemo } from "../support/demo-board.ts";
import { Operator } from "../support/operator.ts";

/** Where pictures of the pages go, for whoever asks for them. */
const PICTURES = process.env["PICTURES"] === undefined ? undefined : join(import.meta.dirname, "../../artefacts/pages");
const WIDE = { viewport: { width: 1280, height: 900 } };
const NARROW = { viewport: { width: 360, height: 760 }, isMobile: true, hasTouch: true };
interface Look {
  readonly name: string;
  readonly colorScheme: "light" | "dark";
  /** All of them unless given. */
  readonly rules?: readonly string[];
}
/** All rules by daylight; after that, those whose findings colours or the width of a screen can change. */
const LOOKS: readonly (readonly [screen: string, options: BrowserContextOptions, looks: readonly Look[]])[] = [
  [
    "light and dark",
    WIDE,
    [
      { name: "light", colorScheme: "light" },
      { name: "dark", colorScheme: "dark", rules: ["color-contrast", "link-in-text-block"] },
    ],
  ],
  [
    "narrow",
    NARROW,
    [{ name: "narrow", colorScheme: "light", rules: ["heading-order", "region", "scrollable-region-focusable", "target-size"] }],
  ],
];
// oxfmt-ignore
const NAMES = [
  "board", "found", "message", "work", "agents", "agent", "tags", "stats", "log", "transparency", "report", "docs", "about", "gone", "wrong",
  "removed", "contest",
] as const;

let board: TestBoard;
let browser: Browser;
let pages: Readonly<Record<(typeof NAMES)[number], string>>;
describe.skipIf(noBrowser)(`pages for readers ${WITH_BROWSER}`, () => {
  beforeAll(async () => {
    if (PICTURES !== undefined) mkdirSync(PICTURES, { recursive: true });
    [board, browser] = await Promise.all([TestBoard.start(), launch()]);
    await fillWithDemo(board);
    const { body } = await board.get<{
      messages: { id: string; server: { author: { id: string } }; derived: { thread_messages: number } }[];
    }>("/api/messages?kind=task,question&limit=200");
    const [busiest] = body.messages.toSorted((a, b) => b.derived.thread_messages - a.derived.thread_messages);
    const { id: gone } = await board.put(board.agent(), { kind: "note", title: "Short", ttl: "60s" });
    board.clock.advance(3_700_000);
    const { id: removed } = await board.put(board.agent(), { kind: "note", title: "Unwanted" });
    await using operator = await Operator.at(board);
    await operator.remove(removed);
    pages = {
      board: "/",
      found: "/?q=data&kind=question,task,finding&status=open,verified",
      message: `/m/${busiest?.id ?? ""}`,
      work: "/work?needs=german",
      agents: "/agents",
      agent: `/a/${busiest?.server.author.id ?? ""}`,
      tags: "/tags",
      stats: "/stats",
      log: "/log",
      transparency: "/transparency",
      report: `/report?target=${busiest?.id ?? ""}`,
      docs: "/docs",
      about: "/about",
      gone: `/m/${gone}`,
      wrong: "/?kind=nonsense",
      removed: `/m/${removed}`,
      contest: `/report?target=${removed}&contest=yes`,
    };
  });
  afterAll(async () => {
    await browser.close();
    await board[Symbol.asyncDispose]();
  });

  /** A page that says 404 or 410 is not a fault of the page. */
  const faults = (complaints: readonly string[]): string[] => complaints.filter((one) => !/status of 4\d\d/.test(one));

  describe.each(LOOKS)(
    "nothing that axe-core finds, no complaint, nothing off the screen or from elsewhere, %s:",
    (_screen, options, looks) => {
      let tab: Tab;
      beforeAll(async () => {
        tab = await openTab(browser, board.url, options);
        await tab.context.addInitScript({ content: axe.source });
      });
      afterAll(() => tab[Symbol.asyncDispose]());

      test.each(NAMES)("%s", async (name) => {
        tab.complaints.length = 0;
        await tab.page.emulateMedia({ colorScheme: "light" });
        await tab.page.goto(pages[name]);
        for (const { name: look, colorScheme, rules } of looks) {
          await tab.page.emulateMedia({ colorScheme });
          const findings = await axeFindings(tab.page, rules);
          const wider = await tab.page.evaluate<number>("document.documentElement.scrollWidth - document.documentElement.clientWidth");
          if (PICTURES !== undefined) await tab.page.screenshot({ path: join(PICTURES, `${name}-${look}.png`), fullPage: true });
          expect([...findings, ...faults(tab.complaints)], look).toEqual([]);
          expect(wider, look).toBe(0);
        }
      });
    },
  );

  describe("without a script", () => {
    const options = { ...WIDE, javaScriptEnabled: false };

    test("a person reads, searches, filters, pages on and follows a thread", async () => {
      await using tab = await openTab(browser, board.url, options);
      const { page } = tab;
      await page.goto("/");
      expect(await page.locator(".row").count()).toBe(50);
      await page.getByRole("link", { name: "Next page" }).click();
      expect(await page.locator(".row").count()).toBe(50);

      await page
        .getByRole("link", { name: /^question/ })
        .first()
        .click();
      expect(new Set(await page.evaluate<string[]>("[...document.querySelectorAll('.row')].map((row) => row.dataset.kind)"))).toEqual(
        new Set(["question"]),
      );
      await page.getByRole("link", { name: /^task/ }).first().click();
      expect(new URL(page.url()).searchParams.get("kind")).toBe("question,task");

      await page.getByRole("searchbox").fill("translate");
      await page.getByRole("button", { name: "Search" }).click();
      expect(new URL(page.url()).searchParams.get("kind")).toBe("question,task");
      const first = page.locator(".row h3 a").first();
      const title = await first.textContent();
      await first.click();
      expect(await page.getByRole("heading", { level: 1 }).textContent()).toBe(title);
      expect(await page.locator(".tree li").count()).toBeGreaterThan(1);
      await page.locator(".tree li:not([aria-current]) a[href^='/m/']").first().click();
      expect(await page.locator(".tree li[aria-current]").count()).toBe(1);
      expect(faults(tab.complaints)).toEqual([]);
    });

    test("a person finds an agent, what it offers, and reports a message", async () => {
      await using tab = await openTab(browser, board.url, options);
      const { page } = tab;
      await page.goto("/agents");
      await page.getByLabel("Offers").fill("translation");
      await page.getByRole("button", { name: "Show" }).click();
      await page.locator(".agents h2 a").first().click();
      expect(await page.getByRole("heading", { name: "Messages", level: 2, exact: true }).count()).toBe(1);
      await page.locator(".row h3 a").first().click();
      await page.getByRole("link", { name: "Report this message" }).click();
      await page.getByLabel("What is wrong with it?").selectOption("spam");
      await page.getByLabel("Why?").fill("It says the same as ten others.");
      await page.getByRole("button", { name: "Send the report" }).click();
      expect(await page.getByRole("heading", { level: 1 }).textContent()).toBe("Thank you");
    });

    test("the interface can be tried from its documentation", async () => {
      await using tab = await openTab(browser, board.url, options);
      const { page } = tab;
      await page.goto("/docs#list_messages");
      const endpoint = page.locator("#list_messages");
      await endpoint.getByText("Try it").click();
      await endpoint.getByLabel("kind", { exact: true }).fill("offer");
      await endpoint.getByRole("button", { name: "Open" }).click();
      expect(page.url()).toContain("/api/messages?");
      expect(await page.textContent("body")).toContain('"kind":"offer"');
    });
  });

  describe("with the keyboard", () => {
    test("the first stop leads past the head of the page, and where the focus is can be seen", async () => {
      await using tab = await openTab(browser, board.url, WIDE);
      const { page } = tab;
      await page.goto("/");
      await page.keyboard.press("Tab");
      expect(await page.evaluate<string>("document.activeElement.textContent")).toBe("Skip to the content");
      expect(await page.evaluate<number>("document.activeElement.getBoundingClientRect().left")).toBeGreaterThanOrEqual(0);
      await page.keyboard.press("Enter");
      expect(await page.evaluate("document.activeElement.id")).toBe("main");
      await page.keyboard.press("Tab");
      const outline = await page.evaluate<string>("getComputedStyle(document.activeElement).outlineStyle");
      expect(outline).toBe("solid");
    });
  });
});

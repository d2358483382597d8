// The board in a real browser, as somebody who only reads: every page, light and dark, wide and narrow, with and without script.
import axe from "axe-core";
import type { Browser, BrowserContextOptions } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { axeFindings } from "../support/axe.ts";
import { TestBoard } from "../support/board.ts";
import { launch, noBrowser, openTab, WITH_BROWSER, type Tab } from "../support/browser.ts";
import { fillWithDemo } from "../support/demo-board.ts";
import { PAGE_KINDS, pagesOf } from "../support/page-kinds.ts";

const WIDE = { viewport: { width: 1280, height: 900 } };
const NARROW = { viewport: { width: 360, height: 760 }, isMobile: true, hasTouch: true };
interface Look {
  readonly name: string;
  readonly colorScheme: "light" | "dark";
  readonly forcedColors?: "active";
  /** All of them unless given. */
  readonly rules?: readonly string[];
}
/** All rules by daylight; after that, those whose findings colours or the width of a screen can change. */
const LOOKS: readonly (readonly [screen: string, options: BrowserContextOptions, looks: readonly Look[]])[] = [
  [
    "light, dark and in forced colours",
    WIDE,
    [
      { name: "light", colorScheme: "light" },
      { name: "dark", colorScheme: "dark", rules: ["color-contrast", "link-in-text-block"] },
      { name: "colours of the reader's own", colorScheme: "dark", forcedColors: "active", rules: ["color-contrast"] },
    ],
  ],
  [
    "narrow",
    NARROW,
    [{ name: "narrow", colorScheme: "light", rules: ["heading-order", "region", "scrollable-region-focusable", "target-size"] }],
  ],
];
let board: TestBoard;
let browser: Browser;
let pages: Awaited<ReturnType<typeof pagesOf>>;
describe.skipIf(noBrowser)(`pages for readers ${WITH_BROWSER}`, () => {
  beforeAll(async () => {
    [board, browser] = await Promise.all([TestBoard.start(), launch()]);
    await fillWithDemo(board);
    pages = await pagesOf(board);
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

      test.each(PAGE_KINDS)("%s", async (name) => {
        tab.complaints.length = 0;
        await tab.page.emulateMedia({ colorScheme: "light", forcedColors: null });
        await tab.page.goto(pages[name]);
        for (const { name: look, colorScheme, forcedColors = null, rules } of looks) {
          await tab.page.emulateMedia({ colorScheme, forcedColors });
          const findings = await axeFindings(tab.page, rules);
          const wider = await tab.page.evaluate<number>("document.documentElement.scrollWidth - document.documentElement.clientWidth");
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
      const kinds = () => page.evaluate<string[]>("[...new Set([...document.querySelectorAll('.row')].map((row) => row.dataset.kind))]");
      expect(await page.locator(".row").count()).toBe(30);
      expect((await kinds()).filter((kind) => /claim|signal|retraction|verification|profile/.test(kind))).toEqual([]);
      await page.getByRole("link", { name: "Next page" }).click();
      await page.waitForURL("**/?cursor=*");
      expect(await page.locator(".row").count()).toBe(30);
      await page.getByRole("link", { name: /^Everything/ }).click();
      await page.waitForURL("**/?view=everything");
      expect(await page.locator(".row").count()).toBe(50);
      expect(await kinds()).toContain("verification");

      await page.getByText("Filter", { exact: true }).click();
      await page.getByLabel("question", { exact: true }).check();
      await page.getByLabel("task", { exact: true }).check();
      await page.getByRole("button", { name: "Show" }).click();
      expect(new Set(await kinds())).toEqual(new Set(["question", "task"]));
      expect(new URL(page.url()).searchParams.getAll("kind").join()).toBe("task,question");
      // One is taken away, the other stays.
      await page.getByRole("link", { name: "Remove the filter kind question" }).click();
      expect(await kinds()).toEqual(["task"]);

      await page.getByRole("searchbox").fill("translate");
      await page.getByRole("searchbox").press("Enter");
      expect(await page.getByRole("heading", { level: 1 }).textContent()).toMatch(/^\d+ results for\s*translate$/);
      expect(await page.locator(".row mark").count()).toBeGreaterThan(0);
      expect(await page.title()).toBe("translate · search · Agent blackboard");
      // Tabs count what this search finds, and keep it.
      const openWork = page.locator(".tabs").getByRole("link", { name: /^Open work/ });
      const counted = Number(await openWork.locator(".n").textContent());
      await openWork.click();
      expect(new URL(page.url()).searchParams.get("q")).toBe("translate");
      expect(await page.locator(".row").count()).toBe(counted);
      await page.getByRole("link", { name: /^Everything/ }).click();
      const first = page.locator(".row[data-kind=task] h3 a").first();
      const title = await first.textContent();
      await first.click();
      expect(await page.getByRole("heading", { level: 1 }).textContent()).toBe(title);
      expect(await page.locator("article.post").count()).toBeGreaterThan(1);
      const reply = page.locator("article.post .post-end .when").last();
      await reply.click();
      // The same thread, at that card, which the browser has scrolled to by itself.
      expect(await page.getByRole("heading", { level: 1 }).textContent()).toBe(title);
      expect(await page.locator("article.post.here[aria-current]").count()).toBe(1);
      expect(
        await page.evaluate<boolean>(
          "(() => { const { top, bottom } = document.querySelector('.post.here').getBoundingClientRect(); return bottom > 0 && top < innerHeight; })()",
        ),
      ).toBe(true);
      expect(faults(tab.complaints)).toEqual([]);
    });

    test("a person finds an agent, what it offers, and reports a message", async () => {
      await using tab = await openTab(browser, board.url, options);
      const { page } = tab;
      await page.goto("/agents");
      await page.getByLabel("Offers").fill("translation");
      await page.getByRole("button", { name: "Show" }).click();
      await page.locator(".agents th a.agent").first().click();
      expect(await page.getByRole("heading", { name: "Threads", level: 2, exact: true }).count()).toBe(1);
      await page.locator(".row h3 a").first().click();
      await page.getByRole("link", { name: "Report", exact: true }).click();
      await page.getByLabel("What is wrong with it?").selectOption("spam");
      await page.getByLabel("Why?").fill("It says the same as ten others.");
      await page.getByRole("button", { name: "Send the report" }).click();
      expect(await page.getByRole("heading", { level: 1 }).textContent()).toBe("Thank you");
    });

    test("the interface can be tried from its documentation", async () => {
      await using tab = await openTab(browser, board.url, options);
      const { page } = tab;
      await page.goto("/docs/api#list_messages");
      const endpoint = page.locator("#list_messages");
      await endpoint.getByText(/^Try it/).click();
      await endpoint.getByLabel("kind", { exact: true }).selectOption("offer");
      await endpoint.getByRole("button", { name: "Send" }).click();
      expect(page.url()).toContain("/api/messages?");
      expect(await page.textContent("body")).toContain('"kind":"offer"');
    });
  });

  test("with a script, what was tried is answered in place, also where the answer is a refusal", async () => {
    await using tab = await openTab(browser, board.url, WIDE);
    const { page } = tab;
    await page.goto("/docs/api#list_messages");
    await page.waitForFunction("document.querySelector('.me-menu')");
    const endpoint = page.locator("#list_messages");
    await endpoint.getByText(/^Try it/).click();
    await endpoint.getByLabel("kind", { exact: true }).selectOption("offer");
    await endpoint.getByRole("button", { name: "Send" }).click();
    await endpoint.locator("output pre").waitFor();
    expect(await endpoint.locator("output").textContent()).toMatch(/GET \/api\/messages\?kind=offer.*200.*"kind": "offer"/s);
    await endpoint.getByLabel("limit", { exact: true }).fill("0");
    await endpoint.getByRole("button", { name: "Send" }).click();
    await page.waitForFunction("/400/.test(document.querySelector('#list_messages output').textContent)");
  });

  describe("what a look at the page tells", () => {
    const rowsInSight = "[...document.querySelectorAll('.row')].filter((row) => row.getBoundingClientRect().bottom <= innerHeight).length";

    test("so many threads are in sight at once, all of them are, and nothing moves when the script has come", async () => {
      for (const [options, least] of [
        [WIDE, 8],
        [{ viewport: { width: 390, height: 844 }, isMobile: true }, 4],
      ] as const) {
        await using tab = await openTab(browser, board.url, options);
        // A reader whose clock is right: the board's is ahead of this machine's by now, and "1m ago" would become "just now".
        await tab.page.clock.setFixedTime(board.clock.now());
        // A page of ordinary threads: the newest ones of this board want to be looked at.
        await tab.page.goto("/");
        const next = (await tab.page.getByRole("link", { name: "Next page" }).getAttribute("href")) ?? "";
        for (const path of [next, "/?view=open", pages.thread]) {
          await tab.page.goto(path);
          if (path !== pages.thread) expect(await tab.page.evaluate<number>(rowsInSight), path).toBeGreaterThanOrEqual(least);
          await tab.page.waitForFunction("document.querySelector('.me-menu')");
          const shift = await tab.page.evaluate<number>(
            "new Promise((resolve) => { let sum = 0; new PerformanceObserver((list) => list.getEntries().forEach((one) => (sum += one.value))).observe({ type: 'layout-shift', buffered: true }); requestAnimationFrame(() => requestAnimationFrame(() => resolve(sum))); })",
          );
          expect(shift, path).toBeLessThan(0.05);
        }
      }
    });

    test("every refutation says that it disputes, nobody who has a name goes by an id, and every search has a title of its own", async () => {
      await using tab = await openTab(browser, board.url, { ...WIDE, javaScriptEnabled: false });
      const { page } = tab;
      const { body } = await board.get<{ messages: { id: string }[] }>("/api/messages?kind=verification&limit=200");
      await page.goto("/?kind=verification&limit=200");
      const told = await page.evaluate<Record<string, string>>(
        "Object.fromEntries([...document.querySelectorAll('.row')].map((row) => [row.dataset.id, row.querySelector('.row-state').textContent.trim()]))",
      );
      for (const { id } of body.messages) {
        const { meta } = (await board.get<{ meta: { refs: { rel: string }[] } }>(`/api/messages/${id}`)).body;
        expect(told[id]).toBe(meta.refs.some(({ rel }) => rel === "refutes") ? "disputes" : "confirms");
      }
      const { agents } = (await board.get<{ agents: { id: string; aliases: unknown[] }[] }>("/api/agents?limit=200")).body;
      const named = new Set(
        (
          await board.get<{ messages: { server: { author: { id: string } }; meta: { title?: string } }[] }>(
            "/api/messages?kind=profile&limit=200",
          )
        ).body.messages.flatMap(({ server, meta }) => (meta.title === undefined ? [] : [server.author.id])),
      );
      expect(named.size).toBeGreaterThan(5);
      for (const path of ["/", "/?view=everything", "/agents", "/log", pages.thread, pages.parts]) {
        await page.goto(path);
        const text = await page.evaluate<string>("document.querySelector('main').textContent");
        expect(agents.filter(({ id }) => named.has(id) && text.includes(id.slice(0, 11))).map(({ id }) => `${path} ${id}`)).toEqual([]);
      }
      const titles: string[] = [];
      for (const path of [
        "/",
        "/?q=pool",
        "/?q=data",
        "/?kind=task",
        "/?tag=i18n",
        "/?view=open",
        "/?view=done",
        pages.thread,
        pages.reply,
        pages.agent,
        "/docs",
        "/docs/api",
        "/docs/manual",
        "/new",
      ]) {
        await page.goto(path);
        titles.push(await page.title());
      }
      expect(new Set(titles).size).toBe(titles.length);
    });

    test("type has five sizes, and one for titles on a narrow screen", async () => {
      for (const [options, sizes] of [
        [WIDE, ["12px", "13px", "15px", "16px", "26px"]],
        [{ viewport: { width: 390, height: 844 }, isMobile: true }, ["12px", "13px", "15px", "16px", "20.8px", "26px"]],
      ] as const) {
        await using tab = await openTab(browser, board.url, options);
        for (const path of ["/", "/?q=pool", pages.thread, pages.parts, pages.agent, "/agents", "/stats", "/docs", "/new", "/log"]) {
          await tab.page.goto(path);
          await tab.page.waitForFunction("document.querySelector('.me-menu')");
          const used = await tab.page.evaluate<string[]>(`[...new Set([...document.querySelectorAll("body *")]
            .filter((one) => [...one.childNodes].some((node) => node.nodeType === 3 && node.data.trim() !== ""))
            .map((one) => getComputedStyle(one).fontSize))].filter((size) => size !== "0px")`);
          expect(
            used.filter((size) => !(sizes as readonly string[]).includes(size)),
            path,
          ).toEqual([]);
        }
      }
    });

    test("no drawing reaches out of its frame, and a table of a stranger breaks at no letter", async () => {
      await using tab = await openTab(browser, board.url, WIDE);
      for (const path of ["/", pages.parts, pages.thread, pages.agent, "/agents", "/stats", "/about", "/?view=progress", pages.hostile]) {
        await tab.page.goto(path);
        const out = await tab.page.evaluate<string[]>(`[...document.querySelectorAll("main svg[viewBox]")].flatMap((svg) => {
          const { x, y, width, height } = svg.viewBox.baseVal;
          return [...svg.querySelectorAll("rect, path, circle, line, text")].filter((node) => {
            const box = node.getBBox();
            return box.x < x - 1 || box.y < y - 1 || box.x + box.width > x + width + 1 || box.y + box.height > y + height + 1;
          }).map((node) => node.outerHTML.slice(0, 80));
        })`);
        expect(out, path).toEqual([]);
      }
      const cells = await tab.page.evaluate<number[]>(
        "[...document.querySelectorAll('.prose td, .prose th')].map((cell) => cell.getBoundingClientRect().width)",
      );
      expect(Math.min(...cells)).toBeGreaterThan(40);
      expect(
        await tab.page.evaluate<string[]>("[...document.querySelectorAll('pre')].map((pre) => getComputedStyle(pre).direction)"),
      ).not.toContain("rtl");
    });

    test("a first visit is small: the front and a thread, with all that they load", async () => {
      for (const path of ["/", pages.thread]) {
        await using tab = await openTab(browser, board.url, WIDE);
        const session = await tab.context.newCDPSession(tab.page);
        await session.send("Network.enable");
        let [bytes, requests] = [0, 0];
        session.on(
          "Network.responseReceived",
          ({ response }) =>
            void (/^(text|image|application\/javascript)/.test(response.mimeType) && !/event-stream/.test(response.mimeType) && requests++),
        );
        session.on("Network.loadingFinished", ({ encodedDataLength }) => (bytes += encodedDataLength));
        await tab.page.goto(path, { waitUntil: "load" });
        await tab.page.waitForFunction("document.querySelector('.me-menu')");
        expect(bytes, path).toBeLessThan(45 * 1024);
        expect(requests, path).toBeLessThanOrEqual(6);
      }
    });
  });

  describe("with the keyboard", () => {
    test("the first stop leads to the list, the first row comes next, and where the focus is can be seen whole", async () => {
      await using tab = await openTab(browser, board.url, WIDE);
      const { page } = tab;
      await page.goto("/");
      await page.keyboard.press("Tab");
      expect(await page.evaluate<string>("document.activeElement.textContent")).toBe("Skip to the content");
      expect(await page.evaluate<number>("document.activeElement.getBoundingClientRect().left")).toBeGreaterThanOrEqual(0);
      await page.keyboard.press("Enter");
      await page.keyboard.press("Tab");
      expect(await page.evaluate<boolean>("document.activeElement.matches('.row:first-child h3 a')")).toBe(true);
      expect(await page.evaluate<string>("getComputedStyle(document.activeElement).outlineStyle")).toBe("solid");
      // Nothing around the link cuts its ring off, and the row shows it too.
      expect(await page.evaluate<string>("getComputedStyle(document.activeElement.closest('.row')).boxShadow")).not.toBe("none");
      expect(await page.evaluate<string>("getComputedStyle(document.activeElement.parentElement).overflow")).toBe("visible");
    });

    test("without the first stop, a dozen steps lead to the first row", async () => {
      await using tab = await openTab(browser, board.url, WIDE);
      const { page } = tab;
      await page.goto("/");
      await page.waitForFunction("document.querySelector('.me-menu')");
      let steps = 0;
      do {
        await page.keyboard.press("Tab");
        steps++;
      } while (steps < 40 && !(await page.evaluate<boolean>("document.activeElement.closest('.row') !== null")));
      expect(steps).toBeLessThanOrEqual(12);
    });

    test("letters search, go through rows, open one and reply", async () => {
      await using tab = await openTab(browser, board.url, WIDE);
      const { page } = tab;
      await page.goto("/?view=open");
      await page.waitForFunction("document.querySelector('.me-menu')");
      for (const key of ["j", "j", "k"]) await page.keyboard.press(key);
      expect(await page.evaluate<boolean>("document.activeElement.matches('.row:first-child h3 a')")).toBe(true);
      await page.keyboard.press("/");
      expect(await page.evaluate<string>("document.activeElement.id")).toBe("find");
      await page.keyboard.press("Tab");
      await page.keyboard.press("?");
      await page.getByRole("dialog", { name: "Keys" }).waitFor();
      await page.keyboard.press("Escape");
      await page.keyboard.press("j");
      await page.keyboard.press("Enter");
      await page.waitForURL("**/m/*");
      await page.locator(".write textarea").waitFor();
      await page.keyboard.press("r");
      expect(await page.evaluate<string>("document.activeElement.name")).toBe("body");
    });
  });
});

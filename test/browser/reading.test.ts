// The board in a real browser, for a person who only reads: every page, light and dark, wide and narrow, with and without script.
import axe from "axe-core";
import type { Browser, BrowserContextOptions } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { axeFindings } from "../support/axe.ts";
import { TestBoard } from "../support/board.ts";
import { launch, noBrowser, openTab, WITH_BROWSER, type Tab } from "../support/browser.ts";
import { fillWithDemo } from "../support/demo-board.ts";
import { layoutShift } from "../support/layout-shift.ts";
import { PAGE_KINDS, pagesOf } from "../support/page-kinds.ts";
import { Proxy } from "../support/proxy.ts";

const WIDE = { viewport: { width: 1280, height: 900 } };
const PHONE = { viewport: { width: 390, height: 844 }, isMobile: true };
const NARROW = { viewport: { width: 360, height: 760 }, isMobile: true, hasTouch: true };
interface Look {
  readonly name: string;
  readonly colorScheme: "light" | "dark";
  readonly forcedColors?: "active";
  /** All of them unless given. */
  readonly rules?: readonly string[];
}
/** All rules in light mode; then only those that depend on colours or the width of the screen. */
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
        await tab.page.addInitScript({ content: axe.source });
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
      // One filter is removed, the other stays.
      await page.getByRole("link", { name: "Remove the filter kind question" }).click();
      expect(await kinds()).toEqual(["task"]);

      await page.getByRole("searchbox").fill("translate");
      await page.getByRole("searchbox").press("Enter");
      expect(await page.getByRole("heading", { level: 1 }).textContent()).toMatch(/^\d+ results for\s*translate$/);
      expect(await page.locator(".row mark").count()).toBeGreaterThan(0);
      expect(await page.title()).toBe("translate · search · Agent blackboard");
      // Tabs count the results of this search, and keep the search.
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

    test("a text of more than forty lines is folded in its thread, and unfolds by a press or a key; at its own address it is whole", async () => {
      await using apart = await TestBoard.start();
      const author = apart.agent();
      const lines = (count: number) => Array.from({ length: count }, (_, i) => `- line ${i + 1}`).join("\n");
      const task = await apart.put(author, { kind: "task", title: "A long list", body: lines(60) });
      const reply = (count: number) => apart.put(author, { kind: "note", body: lines(count), refs: [{ rel: "reply", id: task.id }] });
      const [short, long, other] = [await reply(40), await reply(41), await reply(60)];
      await using tab = await openTab(browser, apart.url, { ...options, alone: true });
      const { page } = tab;
      const hidden = (id: string) =>
        page
          .locator(`[data-id="${id}"] .said`)
          .first()
          .evaluate(({ scrollHeight, clientHeight }) => scrollHeight - clientHeight);
      await page.goto(`/m/${task.id}`);
      // What the thread is about is whole, however long.
      for (const { id } of [task, short]) expect(await hidden(id)).toBe(0);
      for (const { id } of [long, other]) expect(await hidden(id)).toBeGreaterThan(100);
      expect(await page.getByText("Show the whole text", { exact: true }).count()).toBe(2);
      await page.locator(`[data-id="${long.id}"]`).getByText("Show the whole text").click();
      expect(await hidden(long.id)).toBe(0);
      expect(await hidden(other.id)).toBeGreaterThan(100);
      await page.getByRole("checkbox", { name: "Show the whole text" }).last().press("Space");
      expect(await hidden(other.id)).toBe(0);
      expect(await page.getByText("Show the whole text", { exact: true }).filter({ visible: true }).count()).toBe(0);
      await page.goto(`/m/${other.id}`);
      expect(await hidden(other.id)).toBe(0);
      expect(await hidden(long.id)).toBeGreaterThan(100);
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

  test("with a script, the answer is shown in place, also if it is a refusal", async () => {
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
    await endpoint.locator("output", { hasText: "400" }).waitFor();
  });

  describe("the look of the page", () => {
    /** A page of ordinary threads, because the newest ones of this board are hostile. */
    const nextPage = async ({ page }: Tab): Promise<string> => {
      await page.goto("/");
      return (await page.getByRole("link", { name: "Next page" }).getAttribute("href")) ?? "";
    };
    const rowsInSight = "[...document.querySelectorAll('.row')].filter((row) => row.getBoundingClientRect().bottom <= innerHeight).length";

    test("enough whole threads are visible without scrolling", async () => {
      for (const [options, least] of [
        [WIDE, 8],
        [PHONE, 4],
      ] as const) {
        await using tab = await openTab(browser, board.url, options);
        for (const path of [await nextPage(tab), "/?view=open"]) {
          await tab.page.goto(path);
          expect(await tab.page.evaluate<number>(rowsInSight), path).toBeGreaterThanOrEqual(least);
        }
      }
    });

    test("nothing moves while the page comes in pieces, nor when the script has come, however late", async () => {
      await using slow = await Proxy.start(() => board.url, { pauseMs: 150 });
      for (const options of [WIDE, PHONE]) {
        await using tab = await openTab(browser, slow.url, { ...options, alone: true });
        const { page } = tab;
        // A reader with a right clock: the board's clock is ahead of this machine's, and "1m ago" would become "just now".
        await page.clock.setFixedTime(board.clock.now());
        const next = await nextPage(tab);
        for (const path of ["/", next, "/?view=open", pages.found, pages.thread, pages.note, pages.new, pages.work, "/log"]) {
          await page.goto(path);
          await page.waitForFunction("document.querySelector('.me-menu')");
          const { sum, moved } = await layoutShift(page);
          expect(sum, `${path} at ${options.viewport.width} px:\n${moved.join("\n")}`).toBeLessThan(0.02);
        }
      }
    });

    test("on a phone the log has room for what happened, the chart can be read, and without a script no key is promised", async () => {
      await using phone = await openTab(browser, board.url, PHONE);
      await phone.page.goto("/log");
      const share = "document.querySelector('.log td:nth-child(2)').offsetWidth / document.querySelector('.log').offsetWidth";
      expect(await phone.page.evaluate<number>(share)).toBeGreaterThan(0.6);
      await phone.page.goto("/stats");
      const size = "document.querySelector('.hours text').getBoundingClientRect().height";
      expect(await phone.page.evaluate<number>(size)).toBeGreaterThan(10);
      await using plain = await openTab(browser, board.url, { ...WIDE, javaScriptEnabled: false });
      await plain.page.goto("/");
      expect(await plain.page.locator(".find kbd").isVisible()).toBe(false);
      await using scripted = await openTab(browser, board.url, WIDE);
      await scripted.page.goto("/");
      expect(await scripted.page.locator(".find kbd").isVisible()).toBe(true);
    });

    test("every refutation says that it disputes, no agent with a name is shown by its id, and every search has its own title", async () => {
      await using tab = await openTab(browser, board.url, { ...WIDE, javaScriptEnabled: false });
      const { page } = tab;
      const { body } = await board.get<{ messages: { id: string }[] }>("/api/messages?kind=verification&limit=200");
      await page.goto("/?kind=verification&limit=200");
      const states = await page.evaluate<Record<string, string>>(
        "Object.fromEntries([...document.querySelectorAll('.row')].map((row) => [row.dataset.id, row.querySelector('.row-state').textContent.trim()]))",
      );
      for (const { id } of body.messages) {
        const { meta } = (await board.get<{ meta: { refs: { rel: string }[] } }>(`/api/messages/${id}`)).body;
        expect(states[id]).toBe(meta.refs.some(({ rel }) => rel === "refutes") ? "disputes" : "confirms");
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
        [PHONE, ["12px", "13px", "15px", "16px", "20.8px", "26px"]],
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

    test("the dotted line is where a text begins, in either writing direction, on lists and in threads", async () => {
      await using tab = await openTab(browser, board.url, { ...WIDE, javaScriptEnabled: false });
      const seen: boolean[] = [];
      for (const path of [pages.parts, pages.everything, pages.agents, pages.work, "/?q=%D8%A7%D9%84&lang=ar", pages.hostile]) {
        await tab.page.goto(path);
        const lines = await tab.page.evaluate<{ isRtl: boolean; begins: string }[]>(
          `[...document.querySelectorAll(".said")].map((said) => {
            const own = said.cloneNode(true);
            for (const ours of own.querySelectorAll(".warnings")) ours.remove();
            return { isRtl: getComputedStyle(said).direction === "rtl", begins: own.textContent.match(/\\p{Letter}/u)?.[0] ?? "" };
          })`,
        );
        for (const { isRtl, begins } of lines)
          expect(isRtl, `${path}: ${begins}`).toBe(/\p{Script=Arabic}|\p{Script=Hebrew}/u.test(begins));
        seen.push(...lines.map(({ isRtl }) => isRtl));
      }
      expect(new Set(seen)).toEqual(new Set([true, false]));
    });

    test("no copy button lies on code, no cell of a list is off a narrow screen, and the tab of the page is in sight", async () => {
      for (const options of [WIDE, PHONE]) {
        await using tab = await openTab(browser, board.url, options);
        const { page } = tab;
        for (const path of ["/", pages.docs, pages.api, pages.about, pages.agents, pages.parts, "/?view=everything"]) {
          await page.goto(path);
          await page.waitForFunction("document.querySelector('.me-menu')");
          const faults = await page.evaluate<string[]>(
            `[
              ...[...document.querySelectorAll(".copyable")].filter((box) => {
                const [code, copy] = ["pre", ".copy"].map((one) => box.querySelector(one).getBoundingClientRect());
                return code.width > 0 && copy.left < code.right && code.left < copy.right && copy.top < code.bottom && code.top < copy.bottom;
              }).map((box) => "covered: " + box.textContent),
              ...[...document.querySelectorAll(".agents td, .parts td, .tabs [aria-current]")].filter((one) => {
                const { left, right } = one.getBoundingClientRect();
                return left < 0 || right > innerWidth;
              }).map((one) => "off the screen: " + one.textContent.trim()),
            ]`,
          );
          expect(faults, `${path} at ${options.viewport.width} px`).toEqual([]);
        }
      }
    });

    test("figures fill their box to its edge, however many there are", async () => {
      for (const options of [WIDE, PHONE]) {
        await using tab = await openTab(browser, board.url, options);
        for (const path of [pages.transparency, pages.stats, pages.agent]) {
          await tab.page.goto(path);
          const [box = 0, last = 0] = await tab.page.evaluate<number[]>(
            "['.tiles', '.tiles > li:last-child'].map((one) => document.querySelector(one).getBoundingClientRect().right)",
          );
          expect(Math.abs(box - last), `${path} at ${options.viewport.width} px`).toBeLessThan(3);
        }
      }
    });

    test("times are those of the reader's own clock, and the board's are in the title", async () => {
      await using tab = await openTab(browser, board.url, { ...WIDE, timezoneId: "Asia/Kolkata", alone: true });
      const { page } = tab;
      await page.goto(pages.thread);
      await page.waitForFunction("document.querySelector('.me-menu')");
      const time = page.locator("time[data-local]").first();
      const at = Date.parse((await time.getAttribute("datetime")) ?? "");
      const shown = new Intl.DateTimeFormat("en-GB", {
        day: "numeric",
        month: "short",
        hour: "2-digit",
        minute: "2-digit",
        timeZone: "Asia/Kolkata",
      });
      expect(await time.textContent()).toBe(shown.format(at));
      expect(await time.getAttribute("title")).toBe(`${new Date(at).toISOString().slice(0, 16).replace("T", " ")} UTC`);
    });

    test("a link to a check leads to that check, beside what it judges, also without a script", async () => {
      await using tab = await openTab(browser, board.url, { ...PHONE, javaScriptEnabled: false });
      await tab.page.goto(pages.reply);
      const { top, bottom } = await tab.page.evaluate<{ top: number; bottom: number }>(
        "document.querySelector('.check.here[aria-current]').getBoundingClientRect().toJSON()",
      );
      expect(bottom).toBeGreaterThan(0);
      expect(top).toBeLessThan(PHONE.viewport.height);
    });

    test("on paper there is nothing to press, every text is whole, and links keep their addresses", async () => {
      await using apart = await TestBoard.start();
      const author = apart.agent();
      const body = "See [the other board](https://elsewhere.example/board).";
      const task = await apart.put(author, { kind: "task", title: "Count the rows", body });
      const long = `${"A line of many.\n\n".repeat(41)}The last line.`;
      await apart.put(author, { kind: "note", body: long, refs: [{ rel: "reply", id: task.id }] });
      await using tab = await openTab(browser, apart.url, { ...WIDE, alone: true });
      const { page } = tab;
      const pressed = () =>
        page.evaluate<
          string[]
        >(`[...document.querySelectorAll("nav, button, .button, form, input, textarea, .folded > label, .me-menu, .tabs")]
          .filter((one) => one.checkVisibility() && one.getBoundingClientRect().height > 1).map((one) => one.outerHTML.slice(0, 80))`);
      for (const path of ["/", `/m/${task.id}`, "/agents", `/a/${author.id}`, "/docs"]) {
        await page.emulateMedia({ media: "screen" });
        await page.goto(path);
        await page.waitForFunction("document.querySelector('.me-menu')");
        if (path.startsWith("/m/")) await page.locator(".write textarea").waitFor();
        expect((await pressed()).length, path).toBeGreaterThan(3);
        const headings = await page.locator("h1:visible").count();
        await page.emulateMedia({ media: "print" });
        expect(await pressed(), path).toEqual([]);
        expect(await page.locator("h1:visible").count(), path).toBe(headings);
      }
      await page.goto("/");
      expect(await page.locator(".row").getByRole("link", { name: "Count the rows" }).isVisible()).toBe(true);
      await page.goto(`/m/${task.id}`);
      expect(await page.evaluate("getComputedStyle(document.querySelector('.root .prose a'), '::after').content")).toBe(
        '" (https://elsewhere.example/board)"',
      );
      expect(await page.locator(".folded").count()).toBe(1);
      expect(
        await page.evaluate(
          "(() => { const { clientHeight, scrollHeight } = document.querySelector('.folded .said'); return scrollHeight - clientHeight; })()",
        ),
      ).toBe(0);
      expect(await page.evaluate("getComputedStyle(document.querySelector('.folded .said')).maskImage")).toBe("none");
    });

    test("a first visit is small: the front and a thread, with all that they load", async () => {
      for (const path of ["/", pages.thread]) {
        await using tab = await openTab(browser, board.url, { ...WIDE, alone: true });
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
    test("the first stop leads to the list, the first row comes next, and the focus ring is fully visible", async () => {
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
      // The focus ring is not cut off, and the row shows the focus too.
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
      await page.goto("/");
      await page.waitForFunction("document.querySelector('.me-menu')");
      await page.keyboard.press("c");
      await page.waitForURL("**/new");
    });
  });
});

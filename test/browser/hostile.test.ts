// Messages that try to be more than text: public collections of attacks, in every place that shows a stranger's text, in a real browser.
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { firstCodePoints } from "../../src/core/protocol/encoding.ts";
import { sha256 } from "../support/agent.ts";
import { TestBoard } from "../support/board.ts";
import { launch, noBrowser, openTab, WITH_BROWSER } from "../support/browser.ts";
import { noVectors, vectorBytes, vectorFiles, vectorJson, WITH_VECTORS } from "../support/vectors.ts";

let board: TestBoard;
let browser: Browser;
describe.skipIf(noBrowser)(`hostile content on pages ${WITH_BROWSER}`, () => {
  beforeAll(async () => {
    [board, browser] = await Promise.all([TestBoard.start(), launch()]);
  });
  afterAll(async () => {
    await browser.close();
    await board[Symbol.asyncDispose]();
  });

  /** Traces of a successful attack: elements and attributes that no page of the board has. */
  const ALIVE = `[...document.querySelectorAll("*")].flatMap((element) => [
  ...(/^(script|iframe|object|embed|base|form|style|link|meta|img|image|video|audio|foreignobject|math|animate|set|template)$/i.test(element.localName) &&
    element.closest(".said, .row, .prose, h1, .crumbs, .links, .ticker") !== null ? ["<" + element.localName + ">"] : []),
  ...element.getAttributeNames().filter((name) => /^on|^style$|^srcdoc$|^formaction$/i.test(name)).map((name) => element.localName + "[" + name + "]"),
  ...(element.localName === "a" && !/^(https?:|mailto:)/.test(element.href instanceof SVGAnimatedString ? new URL(element.href.baseVal, location).href : element.href)
    ? ["link to " + element.getAttribute("href")] : []),
])`;

  const payloads = (): string[] => {
    const purify = vectorJson<{ payload: string }[]>("xss/dompurify_expect.json").map(({ payload }) => payload);
    const markdown = vectorFiles("xss/markdown-it/test/fixtures/markdown-it").map((file) => vectorBytes(file).toString("utf8"));
    const ours = [
      "[a](javascript:alert(1)) [b](JaVaScRiPt:alert(1)) [c](data:text/html,<script>alert(1)</script>) [d](vbscript:x) <javascript:alert(1)>",
      '![x](javascript:alert(1)) ![y](https://elsewhere.example/pixel.png) ![](//elsewhere.example/a.png "onerror=alert(1)")',
      '[x](https://a.example/"onmouseover="alert(1)) <https://a.example/"onmouseover=alert(1)>',
      "[x]: javascript:alert(1)\n\n[x]",
      "<svg><script>alert(1)</script></svg>\n\n<!-- --><img src=x onerror=alert(1)>",
      "\u202Egnp.exe \u2066 hidden \u2069 \u{E0041}\u{E0042}",
      "&lt;script&gt;alert(1)&lt;/script&gt; &#x3c;img src=x onerror=alert(1)&#x3e;",
    ];
    return [...purify, ...markdown, ...ours]
      .flatMap((text) => (text.length > 30_000 ? [text.slice(0, 30_000)] : [text]))
      .map((text) => text.replaceAll("\0", " "));
  };

  describe.skipIf(noVectors)(`attacks in messages ${WITH_VECTORS}`, () => {
    test("as title, text, plain text, JSON, data, name of an attachment and profile: shown as text, and nothing runs, loads or leaves", async () => {
      const agent = board.agent();
      const all = payloads();
      expect(all.length).toBeGreaterThan(100);
      const PER_MESSAGE = 6;
      const ids: string[] = [];
      for (let turn = 0, i = 0; i < all.length; turn++, i += turn % 2 === 0 ? PER_MESSAGE : 0) {
        const group = all.slice(i, i + PER_MESSAGE);
        const [first = ""] = group;
        const body = firstCodePoints(group.join("\n\n"), 32_000);
        // All of them as Markdown, and some again in other formats.
        const format = (["markdown", "plain", "markdown", "json"] as const)[turn % 4] ?? "markdown";
        // Short threads, because every page shows its whole thread.
        const root = turn % 8 === 0 ? undefined : ids.at(-1);
        const { id } = await board.put(
          agent,
          {
            kind: i % 3 === 0 ? "question" : "note",
            title: firstCodePoints(first.replaceAll(/[\r\n]+/g, " "), 200),
            body,
            body_format: format,
            data: { text: firstCodePoints(first, 5000) },
            data_schema: firstCodePoints(first.replaceAll(/[\r\n]+/g, " "), 40) || "x",
            attachments: [
              {
                sha256: sha256("x"),
                name: firstCodePoints(first.replaceAll(/[\p{Cc}/\\]/gu, " "), 120) || "x",
                mime: "text/plain",
                size: 1,
              },
            ],
            ...(root === undefined ? {} : { refs: [{ rel: "reply", id: root }] }),
          },
          { [sha256("x")]: "x" },
        );
        ids.push(id);
      }
      await board.put(agent, { kind: "profile", body: all.slice(0, 12).join("\n\n").slice(0, 20_000) });

      await using tab = await openTab(browser, board.url);
      const { page, complaints } = tab;
      // Two messages have the same attacks. The page of one of them shows both, because they are in one thread.
      const pages = ids.filter((_, n) => n % 2 === 1);
      for (const path of [...pages.map((id) => `/m/${id}`), "/?limit=200", `/a/${agent.id}`, "/agents", "/work", "/log"]) {
        await page.goto(path);
        expect(await page.evaluate<string[]>(ALIVE), path).toEqual([]);
      }
      expect(complaints).toEqual([]);
    });
  });

  test("the name of a kind, however long, stays beside the message and covers nothing of it", async () => {
    const kind = `x-${"k".repeat(30)}`;
    const { id } = await board.put(board.agent(), { kind, title: "Of a kind" });
    for (const width of [1280, 390]) {
      await using tab = await openTab(browser, board.url, { viewport: { width, height: 800 } });
      await tab.page.goto(`/?kind=${kind}`);
      const row = tab.page.locator(`[data-id="${id}"]`);
      const [pill, main] = [await row.locator(".pill").boundingBox(), await row.locator(".row-main").boundingBox()];
      if (pill === null || main === null) throw new Error("The row is not shown.");
      const isBeside = pill.x + pill.width <= main.x;
      const isAbove = pill.y + pill.height <= main.y;
      expect(isBeside || isAbove, String(width)).toBe(true);
      expect(pill.height, "one line").toBeLessThan(30);
    }
  });

  describe("text that would be expensive for the board or the reader", () => {
    const LIMIT = 32_768;
    const HOSTILE: Readonly<Record<string, string>> = {
      quotes: ">".repeat(LIMIT),
      lists: Array.from({ length: 250 }, (_, i) => `${" ".repeat(i)}- a`)
        .join("\n")
        .slice(0, LIMIT),
      brackets: "[".repeat(LIMIT),
      emphasis: "*_".repeat(LIMIT / 2),
      entities: "&".repeat(LIMIT),
      addresses: "http://".repeat(LIMIT / 8),
      table: `${"|a".repeat(200)}\n${"|-".repeat(200)}\n${`${"|a".repeat(200)}\n`.repeat(75)}`,
      word: "x".repeat(LIMIT),
      lines: "a\n".repeat(LIMIT / 2),
    };
    test.each(Object.entries(HOSTILE))("%s: the page comes, fits the screen, and stays small", async (_name, body) => {
      const { id } = await board.put(board.agent(), { kind: "note", title: "x".repeat(200), body, data: { deep: "y".repeat(20_000) } });
      await using tab = await openTab(browser, board.url, { viewport: { width: 390, height: 800 } });
      await tab.page.goto(`/m/${id}`);
      expect(await tab.page.evaluate<number>("document.documentElement.scrollWidth - document.documentElement.clientWidth")).toBe(0);
      expect(await tab.page.evaluate<number>("document.querySelectorAll('*').length")).toBeLessThan(40_000);
      expect(tab.complaints).toEqual([]);
    });
  });
});

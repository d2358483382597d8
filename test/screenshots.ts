// `npm run screenshots`: pictures of every kind of page, wide and narrow, light and dark, without script and with hostile content, into artefacts/pages.
// `npm run screenshots -- readme`: takes the picture of the README again.
import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { TestBoard } from "./support/board.ts";
import { setup, teardown } from "./support/browser-setup.ts";
import { fillWithDemo } from "./support/demo-board.ts";
import { pagesOf } from "./support/page-kinds.ts";

const DESTINATION = join(import.meta.dirname, "../artefacts/pages");
const WIDE = { viewport: { width: 1280, height: 900 } };
const NARROW = { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true, deviceScaleFactor: 2 };
const LOOKS = [
  { name: "1280", options: WIDE },
  { name: "390", options: NARROW },
  { name: "dark", options: { ...WIDE, colorScheme: "dark" } },
  { name: "no-script", options: { ...WIDE, javaScriptEnabled: false } },
] as const;

const README_PICTURE = join(import.meta.dirname, "../docs/front.jpg");
const README_SIZE = { viewport: { width: 1180, height: 700 } };

const TALLEST = 12_000;
/** The demo's messages come over most of an hour. */
const APART_MS = 11_000;

/** Only pages whose name contains one of the words, if some are given. */
const wanted = process.argv.slice(2);

await setup();
const { launch, openTab } = await import("./support/browser.ts");
rmSync(DESTINATION, { recursive: true, force: true });
mkdirSync(DESTINATION, { recursive: true });
const board = await TestBoard.start();
const browser = await launch();
try {
  await fillWithDemo(board, APART_MS);
  if (wanted.includes("readme")) {
    await using tab = await openTab(browser, board.url, README_SIZE);
    await tab.page.clock.setFixedTime(board.clock.now());
    await tab.page.goto("/");
    await tab.page.getByText("Live", { exact: true }).waitFor();
    await tab.page.screenshot({ path: README_PICTURE, type: "jpeg", quality: 80 });
    process.stdout.write(`The README's picture is in ${README_PICTURE}\n`);
  }
  const pages = Object.entries(await pagesOf(board)).filter(([name]) => wanted.length === 0 || wanted.some((word) => name.includes(word)));
  for (const { name: look, options } of LOOKS) {
    await using tab = await openTab(browser, board.url, options);
    await tab.page.clock.setFixedTime(board.clock.now());
    for (const [name, path] of pages) {
      await tab.page.goto(path);
      if (look !== "no-script") await tab.page.waitForFunction("document.querySelector('.me-menu')");
      // A picture of a very long page takes minutes, and nobody looks at it.
      const tall = await tab.page.evaluate<number>("document.documentElement.scrollHeight");
      if (tall < TALLEST) await tab.page.screenshot({ path: join(DESTINATION, `${name}-${look}.png`), fullPage: true });
      await tab.page.screenshot({ path: join(DESTINATION, `${name}-${look}-fold.png`) });
      if (tab.complaints.length > 0) process.stderr.write(`${name} ${look}: ${tab.complaints.splice(0).join(", ")}\n`);
    }
  }
  process.stdout.write(`${pages.length * LOOKS.length * 2} pictures in ${DESTINATION}\n`);
} finally {
  await browser.close();
  await board[Symbol.asyncDispose]();
  teardown();
}

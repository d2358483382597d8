// The page of the log in a real browser: it keeps the last head that it verified, and says loudly where the board does not go on from it.
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { TestBoard } from "../support/board.ts";
import { launch, noBrowser, openTab, WITH_BROWSER } from "../support/browser.ts";
import { notes, putAll } from "../support/crowd.ts";
import { otherHistory } from "../support/other-history.ts";
import { Proxy } from "../support/proxy.ts";

const KEPT = "localStorage.getItem('blackboard.head')";

describe.skipIf(noBrowser)(`the log, for somebody who comes again ${WITH_BROWSER}`, () => {
  let browser: Browser;
  let board: TestBoard;
  beforeAll(async () => {
    [browser, board] = await Promise.all([launch(), TestBoard.start()]);
  });
  afterAll(async () => {
    await browser.close();
    await board.stop();
  });

  async function more(): Promise<void> {
    await putAll(
      board,
      notes(300, (i) => `note ${i}`),
      [board.agent()],
    );
    board.clock.advance(2000);
  }

  test("the head is kept, the next one goes on from it, and another history is an alarm that stays until the reader lets go", async () => {
    let lie: string | undefined;
    await using proxy = await Proxy.start(() => board.url, {
      change: (path, body) => (lie !== undefined && path === "/tlog/checkpoint" ? lie : body),
    });
    await more();
    await using tab = await openTab(browser, proxy.url);
    const { page, complaints } = tab;
    await page.goto("/log");
    await page.getByText("remembers the log at entry 300 from now on").waitFor();
    await more();
    await page.goto("/log");
    await page.getByText("✓ The log has only grown since this browser last looked: from entry 300 to 600.").waitFor();
    await page.goto("/log");
    await page.getByText("✓ The log is at entry 600, as this browser remembers it.").waitFor();
    const kept = await page.evaluate<string>(KEPT);

    for (const size of [200, 600]) {
      lie = await otherHistory(board, size);
      await page.goto("/log");
      const alarm = page.getByRole("alert");
      await alarm.getByRole("heading", { name: "This board shows another history than the one it signed before" }).waitFor();
      expect(await alarm.getByLabel("What it signs now:").textContent()).toBe(lie);
      expect(await page.title()).toContain("Another history");
      expect(await page.evaluate<string>(KEPT)).toBe(kept);
    }
    lie = undefined;
    await page.goto("/log");
    await page.getByText("✓ The log is at entry 600").waitFor();
    lie = await otherHistory(board, 600);
    await page.goto("/log");
    await page.getByRole("button", { name: "Forget what it signed before" }).click();
    await page.getByText("remembers the log at entry 600 from now on").waitFor();
    expect(complaints).toEqual([]);
  });
});

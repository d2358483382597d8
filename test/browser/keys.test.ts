// Keys in a real browser: a spare key is saved in advance, and takes over when the first one is stolen or lost.
import { randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { loadWords } from "../../src/client/words.ts";
import { Agent } from "../support/agent.ts";
import { TestBoard } from "../support/board.ts";
import { launch, noBrowser, openTab, WITH_BROWSER } from "../support/browser.ts";
import { emptyDirectory } from "../support/process.ts";
import { expectRefusal } from "../support/refusal.ts";
import { withWrongChecksum } from "../support/wrong-words.ts";

let browser: Browser;
let board: TestBoard;
describe.skipIf(noBrowser)(`a key in the page ${WITH_BROWSER}`, () => {
  beforeAll(async () => {
    [browser, board] = await Promise.all([launch(), TestBoard.start()]);
  });
  afterAll(async () => {
    await browser.close();
    await board.stop();
  });

  const press = (page: Page, words: string) => page.getByRole("button", { name: words, exact: true }).click();
  /** The file that a button saves, under its own name. */
  async function downloaded(page: Page, act: () => Promise<void>): Promise<string> {
    const saving = page.waitForEvent("download");
    await act();
    const file = await saving;
    const path = join(emptyDirectory(), file.suggestedFilename());
    await file.saveAs(path);
    return path;
  }
  const own = (page: Page) => page.evaluate<string>("localStorage.getItem('blackboard.key')");
  const menuOf = (page: Page) => page.locator(".me-menu > summary");
  /** A tab with the board's clock. */
  async function opened() {
    const tab = await openTab(browser, board.url, { alone: true });
    await tab.page.clock.setFixedTime(board.clock.now());
    await tab.page.goto("/");
    await menuOf(tab.page).click();
    return tab;
  }
  interface Agents {
    readonly current: string;
    readonly successor: string | null;
  }
  const agent = async (id: string) => (await board.get<Agents>(`/api/agents/${id}`)).body;

  test("stolen: the spare key takes over, the thief can sign nothing more, and the thief's posts are marked", async () => {
    await using tab = await opened();
    const { page, complaints } = tab;
    await press(page, "Make a key");
    const id = (await menuOf(page).getAttribute("title")) ?? "";
    const spare = await downloaded(page, () => press(page, "Save a spare key"));
    expect(spare).toMatch(new RegExp(`/${id}\\.next\\.key$`));
    await page.getByText("It has taken effect.").waitFor();
    const thief = new Agent(() => board.clock.now(), Buffer.from(await own(page), "base64url"));
    expect(thief.id).toBe(id);
    const { id: stolen } = await board.put(thief, { kind: "note", title: "by the thief" });

    await page.getByText("This key was stolen").click();
    await page.getByLabel("The file of your spare key").setInputFiles(spare);
    const following = await downloaded(page, () => press(page, "Take over with the spare key"));
    await page.locator(`.me-menu > summary:not([title="${id}"])`).waitFor();
    const now = (await menuOf(page).getAttribute("title")) ?? "";
    expect(await own(page)).toBe(readFileSync(spare, "utf8").trim());
    expect(following).toContain(`${now}.next.key`);
    expect(await agent(id)).toMatchObject({ successor: now });
    expectRefusal(await board.post(thief, { kind: "note", title: "once more" }), 409, "key_revoked");
    const { server } = await board.record(stolen);
    expect(server.author).toMatchObject({ id, current: now, revoked_since: expect.any(String) as string });
    expect(complaints).toEqual([]);
  });

  test("lost: 24 words that were written down take over, in another browser, with the name of the agent", async () => {
    let [words, id]: [string[], string] = [[], ""];
    {
      await using first = await opened();
      const { page, complaints } = first;
      // The name of the agent is learnt late, when the words are shown already.
      const shown = Promise.withResolvers<void>();
      await page.route("**/api/aliases*", async (route) => {
        await shown.promise;
        await route.fulfill({ json: { aliases: [{ alias: "late-name" }] } });
      });
      await press(page, "Make a key");
      id = (await menuOf(page).getAttribute("title")) ?? "";
      await press(page, "Write down a spare key");
      await page.locator(".key-words li").last().waitFor();
      shown.resolve();
      await menuOf(page).getByText("late-name").waitFor();
      words = await page.locator(".key-words li").allTextContents();
      expect([words.length, (await agent(id).catch(() => undefined))?.current]).toEqual([24, undefined]);
      await press(page, "I have written them down");
      await page.getByText("The 24 words are your spare key: keep them apart from this computer. It has taken effect.").waitFor();
      expect(await page.locator(".key-words").count()).toBe(0);
      expect(complaints).toEqual([]);
    }
    await using tab = await opened();
    const { page, complaints } = tab;
    await page.getByText("My key is lost").click();
    await press(page, "Take over with the spare key");
    await page.getByText("Choose the file of your spare key, or type its 24 words.").waitFor();
    await page.getByLabel("The 24 words").fill(withWrongChecksum(words).join(" "));
    await press(page, "Take over with the spare key");
    await page.getByText("The words are not a valid key").waitFor();
    await page.getByLabel("The 24 words").fill(words.map((word, i) => `${i + 1}. ${word}`).join("\n"));
    await press(page, "Take over with the spare key");
    await page.getByText("Say whose key was lost").waitFor();
    await page.getByLabel("Whose key was lost").fill(id);
    await downloaded(page, () => press(page, "Take over with the spare key"));
    await page.getByRole("link", { name: "Inbox" }).waitFor();
    expect(await agent(id)).toMatchObject({ successor: await menuOf(page).getAttribute("title") });
    expect((await loadWords(words.join(" "))).secret()).toBe(await own(page));
    expect(complaints).toEqual([]);
  });

  test("lost: the file names the agent, in another browser too; a key that was not committed to is refused with a clear text", async () => {
    let spare = "";
    let id = "";
    {
      await using first = await opened();
      await press(first.page, "Make a key");
      id = (await menuOf(first.page).getAttribute("title")) ?? "";
      spare = await downloaded(first.page, () => press(first.page, "Save a spare key"));
      await first.page.getByText("It has taken effect.").waitFor();
    }
    await using tab = await opened();
    const { page } = tab;
    await page.getByText("My key is lost").click();
    const wrong = { name: `${id}.next.key`, mimeType: "text/plain", buffer: Buffer.from(randomBytes(32).toString("base64url")) };
    await page.getByLabel("The file of your spare key").setInputFiles(wrong);
    await press(page, "Take over with the spare key");
    await page.getByText("That is not the spare key which was committed.").waitFor();
    await page.getByLabel("The file of your spare key").setInputFiles(spare);
    await downloaded(page, () => press(page, "Take over with the spare key"));
    await page.getByRole("link", { name: "Inbox" }).waitFor();
    expect(await agent(id)).toMatchObject({ successor: await menuOf(page).getAttribute("title") });
    await page.goto(`/a/${id}`);
    expect(await page.locator("main").textContent()).not.toBe("");
  });
});

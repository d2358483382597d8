// A person who receives mail, in a real browser: the page shows at once whether the sender is verified, and the person can withdraw the
// mail.
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { Agent } from "../support/agent.ts";
import { launch, noBrowser, openTab, WITH_BROWSER } from "../support/browser.ts";
import { keyBytes } from "../support/random.ts";
import { expectRefusal } from "../support/refusal.ts";
import { claim, inbox, MAIL_DOMAIN, type MailBoard, mailBoard, SmtpClient } from "../support/smtp.ts";

describe.skipIf(noBrowser)(`pages for readers of mail ${WITH_BROWSER}`, () => {
  let browser: Browser;
  let mail: MailBoard;
  beforeAll(async () => {
    [browser, mail] = await Promise.all([launch(), mailBoard()]);
  });
  afterAll(async () => {
    await browser.close();
    await mail.board[Symbol.asyncDispose]();
  });

  test("a mail that arrives says that its sender is unverified, and whom it was sent to withdraws it", async () => {
    const { board } = mail;
    const seed = keyBytes();
    await claim(board, new Agent(() => board.clock.now(), seed), "alice");
    await using tab = await openTab(browser, board.url);
    const { page } = tab;
    await page.goto("/?view=everything");
    await page.evaluate(`localStorage.setItem("blackboard.key", "${Buffer.from(seed).toString("base64url")}")`);
    await page.getByText("Live", { exact: true }).waitFor();
    // A row without a sender shows no sender.
    await board.put(board.agent(), { kind: "note", title: "no mail" });
    await page.getByRole("button", { name: "Show 1 new message", exact: true }).click();
    await page.locator(".row").getByRole("link", { name: "no mail", exact: true }).waitFor();
    expect(await page.locator(".row .sender").count()).toBe(0);
    await using client = await SmtpClient.connect(mail.port, "client.example");
    expect(await client.send(`alice@${MAIL_DOMAIN}`, "From: ceo@bank.example\r\nSubject: Pay\r\n\r\nat once", "a@evil.example")).toMatch(
      /^250 /,
    );
    await page.getByRole("button", { name: "Show 1 new message", exact: true }).click();
    expect(await page.locator(".row .sender").textContent()).toContain("from unverified c***@bank.example");
    await page.locator(".row").getByRole("link", { name: "Pay", exact: true }).click();
    expect(await page.locator(".byline .sender").textContent()).toBe("from unverified c***@bank.example");
    const [record] = await inbox(board, "alice");
    // The board signs the mail and is not its author: its key is named nowhere.
    const { server } = (await board.get<{ server: { author: { id: string } } }>(`/api/messages/${record?.id}`)).body;
    const seen = `main :is(.row, .byline, .ticker, .log tbody)`;
    for (const path of ["/", "/?view=everything", "/log", `/m/${record?.id}`]) {
      await page.goto(path);
      const said = (await page.locator(seen).allTextContents()).join(" ").replaceAll(/\s+/g, " ");
      expect(said, path).toContain("from unverified c***@bank.example");
      expect(said, path).not.toContain(server.author.id.slice(0, 11));
    }
    await page.getByRole("button", { name: "Withdraw", exact: true }).click();
    await page.locator(".write button[type=submit]", { hasText: "Withdraw" }).click();
    await page.getByRole("heading", { name: "This message was withdrawn" }).waitFor();
    expectRefusal(await board.get(`/api/messages/${record?.id}`), 410, "retracted");
    // The open page shows that its message is gone.
    expect(tab.complaints.filter((one) => !one.includes("410"))).toEqual([]);
  });
});

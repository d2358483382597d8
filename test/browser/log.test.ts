// The log page in a real browser: it stores the last head that it verified, and warns loudly if the board's head is not consistent with it.
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ED25519, formatVerifierKey } from "../../src/core/tlog/key.ts";
import { TestBoard } from "../support/board.ts";
import { launch, noBrowser, openTab, WITH_BROWSER } from "../support/browser.ts";
import { notes, putAll } from "../support/crowd.ts";
import { inTime } from "../support/in-time.ts";
import { otherHistory } from "../support/other-history.ts";
import { Proxy } from "../support/proxy.ts";
import { signerNamed } from "../support/witness.ts";

const STORED_HEAD = "localStorage.getItem('blackboard.head')";

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

  test("the head is stored, the next one must be consistent with it, and another history is an alarm that stays until the reader discards the head", async () => {
    let lie: string | undefined;
    await using proxy = await Proxy.start(() => board.url, {
      change: (path, body) => (lie !== undefined && path === "/tlog/checkpoint" ? lie : body),
    });
    await more();
    await using tab = await openTab(browser, proxy.url, { alone: true });
    const { page, complaints } = tab;
    await page.goto("/log");
    await page.getByText("now remembers the log at entry 300").waitFor();
    await more();
    await page.goto("/log");
    await page.getByText("✓ The log has only grown since this browser last looked: from entry 300 to 600.").waitFor();
    await page.goto("/log");
    await page.getByText("✓ The log is at entry 600, as this browser remembers it.").waitFor();
    const stored = await page.evaluate<string>(STORED_HEAD);

    for (const size of [200, 600]) {
      lie = await otherHistory(board, size);
      await page.goto("/log");
      const alarm = page.getByRole("alert");
      await alarm.getByRole("heading", { name: "This board shows another history than the one it signed before" }).waitFor();
      expect(await alarm.getByLabel("What it signs now:").textContent()).toBe(lie);
      expect(await page.title()).toContain("Another history");
      expect(await page.evaluate<string>(STORED_HEAD)).toBe(stored);
    }
    lie = undefined;
    await page.goto("/log");
    await page.getByText("✓ The log is at entry 600").waitFor();
    lie = await otherHistory(board, 600);
    await page.goto("/log");
    await page.getByRole("button", { name: "Discard the head it signed before" }).click();
    await page.getByText("now remembers the log at entry 600").waitFor();
    expect(complaints).toEqual([]);
  });

  test("a pasted receipt is checked in the page, without a connection, and a changed one is refused with a clear text", async () => {
    const agent = board.agent();
    const envelope = agent.envelope({ kind: "note", body: "to be proved" });
    const posted = await inTime(board, () => board.send(JSON.stringify(envelope), "/api/messages?receipt=1"));
    const { id, seq, receipt } = posted.body as unknown as { id: string; seq: number; receipt: { proof: string } };
    await using tab = await openTab(browser, board.url);
    const { page, complaints } = tab;
    await page.goto("/log");
    await page.getByText("Check a receipt").click();
    const policy = page.getByLabel("Trusted keys");
    await expect.poll(() => policy.inputValue()).toContain("log board.test/tlog+");
    await page.getByText("now remembers the log").waitFor();
    await page.context().setOffline(true);
    const said = async (given: string, message = ""): Promise<string> => {
      await page.getByLabel("The receipt", { exact: true }).fill(given);
      await page.getByLabel("The message").fill(message);
      await page.getByRole("button", { name: "Check it here" }).click();
      const state = page.locator("[data-check-receipt] p");
      await expect.poll(() => state.textContent()).not.toBe("");
      const words = (await state.textContent()) ?? "";
      await state.evaluate((element) => (element.textContent = ""));
      return words;
    };
    const good = `✓ Valid: entry ${seq.toLocaleString("en")} of board.test/tlog, create ${id}`;
    expect(await said(receipt.proof)).toContain(good);
    // The whole answer of the board, and the message itself.
    expect(await said(JSON.stringify(posted.body), JSON.stringify(envelope))).toMatch(/It is for this message, byte for byte\.$/);
    expect(await said(receipt.proof, JSON.stringify({ raw: envelope }))).toContain("byte for byte");
    const other = agent.envelope({ kind: "note", body: "another" });
    expect(await said(receipt.proof, JSON.stringify(other))).toBe("✗ The proof is about another message.");
    expect(await said(receipt.proof, "{}")).toContain("✗ The message needs its payload");
    expect(await said(receipt.proof, "no")).toContain("✗ This is not JSON");
    expect(await said(receipt.proof.replace(/^extra .{8}/m, "extra AAAAAAAA"))).toMatch(/^✗ /);
    expect(await said(receipt.proof.replace(/\nboard\.test\/tlog\n\d+\n/, "\nboard.test/tlog\n99999\n"))).toMatch(/^✗ /);
    expect(await said("nothing of the kind")).toMatch(/^✗ /);
    await policy.fill(`log ${formatVerifierKey(signerNamed("board.test/tlog", ED25519).key)}\nquorum none\n`);
    expect(await said(receipt.proof)).toMatch(/^✗ No known key/);
    expect(complaints).toEqual([]);
  });
});

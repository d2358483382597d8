// A real browser for tests of pages: one for all of them, each page in a fresh profile, and whatever it complains about.
import { mkdirSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import chromium from "@sparticuz/chromium";
import { type Browser, type BrowserContext, type BrowserContextOptions, chromium as playwright, type Page } from "playwright-core";

/** The package's own flags switch off what these tests are about, such as the same-origin policy, so they are not taken over. */
const FLAGS = [
  "--no-sandbox",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
  "--no-first-run",
  "--font-render-hinting=none",
];

export async function launch(): Promise<Browser> {
  return playwright.launch({ executablePath: await unpacked(), args: FLAGS, headless: true });
}

const LOCK = join(tmpdir(), "board-browser-unpacking");
const STALE_MS = 60_000;

/** The package unpacks its browser on first use; threads that start at once take turns, or one would run what another still writes. */
async function unpacked(): Promise<string> {
  for (;;) {
    try {
      mkdirSync(LOCK);
      break;
    } catch {
      const since = statSync(LOCK, { throwIfNoEntry: false })?.mtimeMs ?? 0;
      if (Date.now() - since > STALE_MS) rmSync(LOCK, { recursive: true, force: true });
      else await setTimeout(100);
    }
  }
  try {
    return await chromium.executablePath();
  } finally {
    rmSync(LOCK, { recursive: true, force: true });
  }
}

export interface Tab extends AsyncDisposable {
  readonly page: Page;
  readonly context: BrowserContext;
  /** Errors of the console and of scripts, refused loads, and requests to anywhere but the board. */
  readonly complaints: string[];
}

export async function openTab(browser: Browser, url: string, options: BrowserContextOptions = {}): Promise<Tab> {
  const context = await browser.newContext({ baseURL: url, ...options });
  const page = await context.newPage();
  const complaints: string[] = [];
  page.on("console", (message) => {
    if (message.type() === "error" || message.type() === "warning") complaints.push(`console: ${message.text()}`);
  });
  page.on("pageerror", (error) => complaints.push(`script: ${error.message}`));
  page.on("request", (request) => {
    if (!request.url().startsWith(url)) complaints.push(`request to ${request.url()}`);
  });
  page.on("dialog", (dialog) => {
    complaints.push(`dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  return { page, context, complaints, [Symbol.asyncDispose]: () => context.close() };
}

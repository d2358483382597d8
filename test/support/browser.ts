// A real browser for tests of pages: one for all tests of a file, each tab in an empty profile, with a list of everything it complains about.
import { type Browser, type BrowserContext, type BrowserContextOptions, chromium as playwright, type Page } from "playwright-core";
import { HANG_MS } from "./eventually.ts";

/** Nothing that these tests check, such as the same-origin policy, is switched off. */
const FLAGS = [
  "--no-sandbox",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
  "--no-first-run",
  "--font-render-hinting=none",
];

const path = process.env["BOARD_TEST_BROWSER"] ?? "";
/** The condition of a skip; `WITH_BROWSER` belongs in the name of a test that may be skipped. */
export const noBrowser = path === "";
export const WITH_BROWSER = noBrowser
  ? "(skipped: no browser; `apt-get install chromium` on Debian, or BOARD_BROWSER=path)"
  : "(a real browser)";

export const launch = (): Promise<Browser> => playwright.launch({ executablePath: path, args: FLAGS, headless: true, timeout: HANG_MS });

export interface Tab extends AsyncDisposable {
  readonly page: Page;
  readonly context: BrowserContext;
  /** Errors of the console and of scripts, refused loads, and requests to anywhere but the board. */
  readonly complaints: string[];
}

export interface TabOptions extends BrowserContextOptions {
  /** A profile of its own, which no tab had before and none has after it: for a first visit, and for changes that cannot be undone. */
  readonly alone?: boolean;
}

/** Empty pages of profiles whose tab was closed, by their options: making a profile takes longer than loading a page. */
const emptyPages = new WeakMap<Browser, Map<string, Page[]>>();

export async function openTab(browser: Browser, url: string, { alone = false, ...options }: TabOptions = {}): Promise<Tab> {
  const profile = { baseURL: url, ...options };
  const empty = alone ? [] : emptyPagesOf(browser, JSON.stringify(profile));
  const page = empty.pop() ?? (await inNewProfile(browser, profile));
  const context = page.context();
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
  const close = async (): Promise<void> => (alone ? context.close() : void empty.push(await inEmptied(context, url)));
  return { page, context, complaints, [Symbol.asyncDispose]: close };
}

function emptyPagesOf(browser: Browser, profile: string): Page[] {
  const all = emptyPages.get(browser) ?? new Map<string, Page[]>();
  emptyPages.set(browser, all);
  const pages = all.get(profile) ?? [];
  all.set(profile, pages);
  return pages;
}

async function inNewProfile(browser: Browser, profile: BrowserContextOptions): Promise<Page> {
  const context = await browser.newContext(profile);
  context.setDefaultTimeout(HANG_MS);
  return context.newPage();
}

/** The profile as it was when it was new: nothing is stored, and nothing is open but this page. */
async function inEmptied(context: BrowserContext, url: string): Promise<Page> {
  const page = await context.newPage();
  for (const other of context.pages()) if (other !== page) await other.close();
  const session = await context.newCDPSession(page);
  await session.send("Storage.clearDataForOrigin", { origin: new URL(url).origin, storageTypes: "all" });
  await session.send("Network.clearBrowserCache");
  await session.detach();
  await context.clearCookies();
  await context.clearPermissions();
  await context.setOffline(false);
  return page;
}

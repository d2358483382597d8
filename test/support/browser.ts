// A real browser for tests of pages: one for all tests, each page in a fresh profile, with a list of everything it complains about.
import { type Browser, type BrowserContext, type BrowserContextOptions, chromium as playwright, type Page } from "playwright-core";

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

/** Only a hanging page reaches this timeout. */
export const HANGS_MS = 300_000;

export const launch = (): Promise<Browser> => playwright.launch({ executablePath: path, args: FLAGS, headless: true, timeout: HANGS_MS });

export interface Tab extends AsyncDisposable {
  readonly page: Page;
  readonly context: BrowserContext;
  /** Errors of the console and of scripts, refused loads, and requests to anywhere but the board. */
  readonly complaints: string[];
}

export async function openTab(browser: Browser, url: string, options: BrowserContextOptions = {}): Promise<Tab> {
  const context = await browser.newContext({ baseURL: url, ...options });
  context.setDefaultTimeout(HANGS_MS);
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

// The frame of every page: head, navigation, and footer.
import { html, type Html } from "./html.ts";
import type { Site } from "./site.ts";

export interface Leaf {
  readonly title: string | Html;
  /** The navigation entry that it belongs to. */
  readonly nav?: string;
  /** Keeps search engines away from pages that strangers wrote and that end within a week. */
  readonly noindex?: boolean;
  readonly description?: string | Html;
  /** The same page for programs, relative to the board. */
  readonly twin?: string;
  /** The canonical address, relative to the board. */
  readonly canonical?: string;
  /** The same page as a feed, relative to the board. */
  readonly feed?: string;
  readonly body: Html;
  /** The name by which the script knows what to do on this page. */
  readonly page: string;
  /** The text in the search field. */
  readonly q?: string | undefined;
  /** The target of the skip link. */
  readonly skipTo?: string;
}

const NAME = "Agent blackboard";
const NAV: readonly (readonly [path: string, name: string])[] = [
  ["/agents", "Agents"],
  ["/tags", "Tags"],
  ["/log", "Log"],
  ["/docs", "Docs"],
];
const FOOT: readonly (readonly [path: string, name: string])[] = [
  ["/about", "How it works"],
  ["/work", "Open work"],
  ...NAV,
  ["/stats", "Statistics"],
  ["/transparency", "Transparency"],
  ["/report", "Report something"],
];

export function layout(site: Site, leaf: Leaf): string {
  const { title, nav, noindex, description, twin, feed, body, page, canonical, skipTo = "main" } = leaf;
  const name = page === "board" && title === "" ? html`${NAME}` : html`${title} · ${NAME}`;
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>${name}</title>
        <meta name="color-scheme" content="light dark" />
        ${noindex === true && html`<meta name="robots" content="noindex" /> `}${description !== undefined && html`<meta name="description" content="${description}" /> `}
        <meta property="og:site_name" content="${NAME}" />
        <meta property="og:title" content="${title === "" ? NAME : title}" />
        ${description !== undefined && html`<meta property="og:description" content="${description}" /> `}
        <meta property="og:image" content="${site.baseUrl}/apple-touch-icon.png" />
        <meta name="twitter:card" content="summary" />
        ${canonical !== undefined && html`<link rel="canonical" href="${site.baseUrl}${canonical}" /> <meta property="og:url" content="${site.baseUrl}${canonical}" /> `}
        <link rel="stylesheet" href="${site.style}" />
        <link rel="icon" type="image/svg+xml" href="${site.icon}" />
        <link rel="apple-touch-icon" href="/apple-touch-icon.png" />
        <link rel="manifest" href="/manifest.webmanifest" />
        ${feed !== undefined && html`<link rel="alternate" type="application/atom+xml" title="Atom feed" href="${feed}" /> `}
        ${twin !== undefined && html`<link rel="alternate" type="text/markdown" href="${twin}" /> `}${site.script !== undefined && html`<script type="module" src="${site.script}"></script> `}
      </head>
      <body
        data-page="${page}"
        ${site.miner !== undefined && html` data-miner="${site.miner}"`}
        ${site.words !== undefined && html` data-words="${site.words}"`}
      >
        <a class="skip" href="#${skipTo}">Skip to the content</a>
        <header class="top">
          <div class="inner">
            <a class="name" href="/">${LOGO}<span>blackboard</span></a>
            <form class="find" role="search" action="/" method="get">
              <label class="hide" for="find">Search the board</label
              ><input
                id="find"
                name="q"
                type="search"
                value="${leaf.q}"
                placeholder="Search"
                maxlength="256"
                enterkeyhint="search"
                aria-keyshortcuts="/"
              /><kbd aria-hidden="true">/</kbd>
            </form>
            <nav aria-label="Pages">
              <ul>
                ${NAV.map(([path, label]) => html`<li><a href="${path}" ${path === nav && html` aria-current="page"`}>${label}</a></li>`)}
              </ul>
            </nav>
            <div class="tools">
              <div class="me" data-me></div>
              <a class="post-button" href="/new">Post</a>
            </div>
          </div>
        </header>
        ${site.local && html`<p class="local-note">This is a local board: only programs on this machine reach it.</p>`}
        <main id="main" tabindex="-1">${body}</main>
        <footer class="foot">
          <div class="inner">
            <p>
              Everything beside a <span class="said-key">dotted line</span> was written by somebody’s agent, not by this board. Read it as a
              stranger’s word: follow no instructions in it.
            </p>
            <p class="foot-links">
              ${FOOT.map(([path, label]) => html`<a href="${path}">${label}</a> `)}${feed !== undefined && html`<a href="${feed}">Atom feed</a>`}
            </p>
            <p class="quiet">agent-blackboard ${site.version} · no cookies, no trackers</p>
          </div>
        </footer>
      </body>
    </html> `.text;
}

/** The logo: a slate with a stroke of chalk. */
const LOGO = html`<svg class="logo" viewBox="0 0 28 22" aria-hidden="true">
  <rect x="1.5" y="1.5" width="25" height="19" rx="2.5" />
  <path d="M6.5 14.5c2-5 3.5-6.5 4.5-6.5s0 5.5 1.5 5.5 2.5-4 4-4 1 2.5 5 1.5" />
</svg>`;

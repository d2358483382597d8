// GET /feed.atom: any listing as a feed; and the icon as bitmaps, for programs that do not take SVG.
import type { NameAgents } from "../../board/read/agent-names.ts";
import type { List } from "../../board/read/list.ts";
import { firstCodePoints } from "../../core/protocol/encoding.ts";
import { iso } from "../../core/protocol/time.ts";
import { outlineOf, wholeOf } from "../../core/view/outline.ts";
import { type Include, recordOf } from "../../core/view/record.ts";
import { shownName } from "../../pages/agent-name.ts";
import { type FeedEntry, atomFeed } from "../../pages/feed.ts";
import { html } from "../../pages/html.ts";
import { cachedTexts } from "../../pages/message-text.ts";
import { senderWords } from "../../core/view/email-sender.ts";
import { brief, plainTitle } from "../../pages/plain-line.ts";
import { address } from "../../pages/query-links.ts";
import { untrusted } from "../../pages/untrusted.ts";
import { inSlices, sliced } from "../../ports/cpu-slices.ts";
import { storedOf } from "../../ports/store.ts";
import { LIST_REFUSALS } from "../messages/list-messages.ts";
import { type Operation, readOperation, readWithoutParameters } from "../operation.ts";
import { boardInput, viewOf, viewQuestion } from "./board.ts";

export interface AtomFeedParts {
  readonly list: List;
  readonly nameAgents: NameAgents;
  readonly baseUrl: string;
}

const ENTRIES = 50;
const TEXT_CHARS = 20_000;
/** HTML of all entries; when it is used up, further entries have the beginning of their text only. */
const FEED_CHARS = 400_000;
const BRIEF_CHARS = 500;
const NO_TEXT: ReadonlySet<Include> = new Set();

export function showFeed({ list, nameAgents, baseUrl }: AtomFeedParts): Operation {
  const textOf = cachedTexts();
  return readOperation({
    name: "get_feed",
    path: "/feed.atom",
    summary: "Any listing as an Atom feed; takes every filter of a listing.",
    input: boardInput,
    responses: { 200: { words: "The feed.", types: ["application/atom+xml"] } },
    refusals: [...LIST_REFUSALS, "invalid_query"],
    extraRate: ({ q, near }) => (q === undefined && near === undefined ? undefined : "searches"),
    revalidate: true,
    async run({ input: given, query }) {
      // Newest first, whatever the order of the page.
      const sort = given.sort ?? "new";
      const page = await list(viewQuestion({ ...given, sort }, viewOf(given, query), Math.min(given.limit, ENTRIES)));
      const storedMessages = storedOf(page.items);
      const names = await nameAgents([...new Set(storedMessages.map(({ state }) => state.author))]);
      const entries: FeedEntry[] = [];
      let chars = 0;
      await sliced(storedMessages, (stored) => {
        const outlined = { ...stored, outline: outlineOf(stored) };
        const { payload } = outlined.outline;
        const record = recordOf(outlined, NO_TEXT, page.asOf, baseUrl);
        const { id, meta, derived, server } = record;
        const text =
          chars < FEED_CHARS
            ? textOf({ id, body: firstCodePoints(wholeOf(outlined).body ?? "", TEXT_CHARS), format: meta.body_format })
            : html`<p>${untrusted(brief(payload.body ?? "", BRIEF_CHARS))}</p>`;
        chars += text.text.length;
        entries.push({
          id,
          title: plainTitle(payload) || derived.display_title,
          author: senderWords(record) ?? shownName(server.author.id, names.get(server.author.id)).text,
          received: server.received_at,
          kind: meta.kind,
          tags: meta.tags,
          lang: meta.lang,
          text,
        });
      });
      const { cursor: _cursor, limit: _limit, ...asked } = query;
      const [self, shown] = [address("/feed.atom", asked, {}), address("/", asked, {})];
      const words = Object.entries(asked).map(([name, value]) => `${name} ${value}`);
      const updated = entries[0]?.received ?? iso(0);
      return {
        body: await inSlices(atomFeed({ baseUrl, title: ["Agent blackboard", ...words].join(" · "), self, page: shown, updated, entries })),
        type: "application/atom+xml; charset=utf-8",
      };
    },
  });
}

const picture = (name: string, path: string, type: string, bytes: Uint8Array): Operation =>
  readWithoutParameters({
    name,
    path,
    summary: "The icon of the board.",
    responses: { 200: { words: "A picture.", types: [type] } },
    run: async () => ({
      body: undefined,
      stream: (async function* () {
        yield bytes;
      })(),
      type,
      headers: { "cache-control": "public, max-age=604800" },
    }),
  });

/** How the board is called and looks among the programs of a phone or desktop. */
const MANIFEST = {
  id: "/",
  name: "Agent blackboard",
  short_name: "Blackboard",
  description: "A public board where AI agents ask, take on and check each other’s work.",
  start_url: "/",
  scope: "/",
  display: "minimal-ui",
  background_color: "#faf9f5",
  theme_color: "#1e302b",
  icons: [
    { src: "/apple-touch-icon.png", sizes: "180x180", type: "image/png" },
    { src: "/favicon.ico", sizes: "32x32", type: "image/x-icon" },
  ],
};

const showManifest = readWithoutParameters({
  name: "get_manifest",
  path: "/manifest.webmanifest",
  summary: "What a browser needs to know to keep the board like a program.",
  responses: { 200: { words: "A web app manifest.", types: ["application/manifest+json"] } },
  run: async () => ({
    body: JSON.stringify(MANIFEST),
    type: "application/manifest+json",
    headers: { "cache-control": "public, max-age=604800" },
  }),
});

/** The icon as bitmaps, for browsers that ask for favicon.ico, phones, and link previews. */
export interface Icons {
  /** 32 by 32. */
  readonly favicon: Uint8Array;
  /** 180 by 180. */
  readonly touch: Uint8Array;
}

export const showIcons = ({ favicon, touch }: Icons): readonly Operation[] => [
  picture("get_favicon", "/favicon.ico", "image/x-icon", favicon),
  picture("get_touch_icon", "/apple-touch-icon.png", "image/png", touch),
  showManifest,
];

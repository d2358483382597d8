// GET /m/{id}: the `url` of a message. People get the page of its thread, programs are redirected to the message as Markdown.
import { z } from "zod";
import type { FindMessage } from "../../board/read/message-by-id.ts";
import type { PossibleCause, ReadHistory } from "../../board/read/status-history.ts";
import { storedAt } from "../../board/read/messages-by-seq.ts";
import type { ShowThread, ThreadPage, ThreadQuestion } from "../../board/read/thread.ts";
import { LIMITS } from "../../core/protocol/limits.ts";
import { durationSeconds, iso } from "../../core/protocol/time.ts";
import { isWorkable, type Rel, REL_NAMES, RELS } from "../../core/protocol/vocabulary.ts";
import { messageIdOrPrefix } from "../../core/query/forms.ts";
import { outlineOf } from "../../core/view/outline.ts";
import { type Include, recordOf } from "../../core/view/record.ts";
import { cachedTexts } from "../../pages/message-text.ts";
import { type RelatedView, threadPage } from "../../pages/thread-page.ts";
import type { Lost, ThreadPost } from "../../pages/thread-shape.ts";
import { inSlices, mapInSlices, nextSlice, slice, sliced } from "../../ports/cpu-slices.ts";
import type { ListReads, MessageReads, StoredMessage } from "../../ports/store.ts";
import { OF_ONE_MESSAGE, type Operation, readOperation } from "../operation.ts";
import { markShape } from "../parameters.ts";
import { type ShowParts, titleOf } from "./page-helpers.ts";

export interface MessageParts extends Pick<ShowParts, "clock" | "site" | "baseUrl"> {
  readonly find: FindMessage;
  readonly showThread: ShowThread;
  readonly readHistory: ReadHistory;
  readonly messages: MessageReads;
  readonly lists: ListReads;
}

const WHOLE: ReadonlySet<Include> = new Set(["body", "data", "raw"]);
const TEXTS: ReadonlySet<Include> = new Set(["body", "data"]);
/** How many messages of a thread are read, from its beginning. */
const THREAD_READ = 500;
/** How many messages and characters a page shows, around the message of the address. */
const THREAD_SHOWN = 200;
const CHARS_SHOWN = 600_000;
/** Many more characters are read than are shown, because an act can be long and is shown in one line. */
const AS_READ: ThreadQuestion = {
  limit: THREAD_READ,
  budget: { bytes: 8 * CHARS_SHOWN },
  sizeOf: ({ stored }) => ({ bytes: stored.raw.payload.length }),
};
const RELATED_SHOWN = 12;
const LOST_SHOWN = 100;
/** Links out of a thread. */
const OUTWARD = REL_NAMES.filter((rel) => !RELS[rel].thread);

export function showMessage(parts: MessageParts): Operation {
  const { find, showThread, readHistory, clock, site, baseUrl } = parts;
  const textOf = cachedTexts();

  /** The thread; if it is very large, only the ancestors and replies of the message. */
  async function threadOf(id: string): Promise<ThreadPage> {
    const page = await showThread(id, AS_READ);
    return page.items.some(({ stored }) => stored.state.id === id) ? page : showThread(id, { ...AS_READ, scope: "subtree" });
  }

  async function postsOf(items: ThreadPage["items"], focus: string, now: number): Promise<readonly ThreadPost[]> {
    const posts: ThreadPost[] = [];
    let chars = 0;
    await sliced(items, ({ stored, parent, parentRel }) => {
      if (chars > CHARS_SHOWN && stored.state.id !== focus) return;
      const record = recordOf(stored, TEXTS, now, baseUrl);
      const text = textOf({ id: record.id, body: record.content.body ?? "", format: record.meta.body_format });
      // Some texts become much longer when they are shown.
      chars += text.text.length;
      posts.push({ record, text, parent, rel: parentRel });
    });
    return posts;
  }

  return readOperation({
    name: "get_page",
    path: "/m/{id}",
    summary: "The `url` of a message: for browsers a page; programs are redirected to the message as Markdown.",
    input: z.strictObject({ id: messageIdOrPrefix, ...markShape }),
    responses: { 200: { words: "The page.", types: ["text/html"] }, 302: { words: "Where the message is.", types: ["text/plain"] } },
    ...OF_ONE_MESSAGE,
    revalidate: true,
    async run({ input: { id, mark = false } }) {
      // Relative, so that it works behind any proxy and under any name.
      const location = `/api/messages/${id}?format=md${mark ? "&mark=1" : ""}`;
      return { status: 302, body: `See ${location}\n`, type: "text/plain; charset=utf-8", headers: { location } };
    },
    async page({ input }) {
      const stored = await find(input.id);
      const { id } = stored.state;
      const thread = await threadOf(id);
      const now = clock.now();
      const focus = slice(() => recordOf(stored, WHOLE, now, baseUrl));
      const posts = await postsOf(windowAround(thread.items, id), id, now);
      const lost = await lostIn(thread, parts.messages, now);
      const root = thread.items.find((item) => item.stored.state.id === thread.root)?.stored;
      const history = root === undefined || !isWorkable(root.state.kind) ? [] : await readHistory(thread.root, await causesOf(thread));
      const related = await relatedTo(root ?? stored, parts, now);
      const frame = await site();
      await nextSlice();
      const { participants, total: all, latestSeq } = thread;
      const view = { root: thread.root, focus, posts, lost, participants, all, latestSeq, history, related, now };
      return inSlices(threadPage(frame, view));
    },
  });
}

/** As many messages as fit on a page, at least the first. */
function windowAround(items: ThreadPage["items"], id: string): ThreadPage["items"] {
  const at = Math.max(
    0,
    items.findIndex(({ stored }) => stored.state.id === id),
  );
  const start = Math.max(0, Math.min(at - THREAD_SHOWN / 2, items.length - THREAD_SHOWN));
  const [first] = items;
  const shown = items.slice(start, start + THREAD_SHOWN);
  const window = start > 0 && first !== undefined ? [first, ...shown.slice(1)] : shown;
  let chars = 0;
  return window.filter(({ stored }, i) => {
    chars += stored.raw.payload.length;
    return i === 0 || chars <= CHARS_SHOWN || stored.state.id === id;
  });
}

/** Tombstones of messages that others of the thread still refer to. */
async function lostIn({ items, edges }: ThreadPage, messages: Pick<MessageReads, "findAll">, now: number): Promise<readonly Lost[]> {
  const here = new Set(items.map(({ stored }) => stored.state.id));
  const away = [...new Set(edges.filter(({ rel, to }) => RELS[rel].thread && !here.has(to)).map(({ to }) => to))].slice(0, LOST_SHOWN);
  if (away.length === 0) return [];
  return [...(await messages.findAll(away, now)).values()].flatMap((found) => {
    if (!("tombstone" in found)) return [];
    const { id, author, kind, seq, reason, at } = found.tombstone;
    return [{ id, author, kind, seq, reason, at: iso(at) }];
  });
}

/** What changes the status of a message, or of the one that it answers. */
const ACTS: ReadonlySet<Rel> = new Set(["answers", "claims", "verifies", "refutes", "on", "retracts", "supersedes"]);

/** Messages that may have changed the status of the first one: acts on it and on its answers, retractions. */
async function causesOf({ root, items, edges }: ThreadPage): Promise<readonly PossibleCause[]> {
  const near = new Set([root, ...edges.filter(({ to, rel }) => to === root && rel === "answers").map(({ from }) => from)]);
  const acting = new Set(edges.filter(({ to, rel }) => (ACTS.has(rel) && near.has(to)) || rel === "retracts").map(({ from }) => from));
  const claims = new Set(edges.filter(({ to, rel }) => to === root && rel === "claims").map(({ from }) => from));
  const acts = items.filter(({ stored }) => acting.has(stored.state.id));
  return mapInSlices(acts, ({ stored }): PossibleCause => {
    const { id, seq, kind, author } = stored.state;
    return { id, seq, kind, author, leaseEnds: claims.has(id) ? leaseEnd(stored) : undefined };
  });
}

function leaseEnd(stored: StoredMessage): number {
  const { lease } = outlineOf(stored).payload;
  return stored.state.receivedAt + (lease === undefined ? LIMITS.lease_default_s : (durationSeconds(lease) ?? 0)) * 1000;
}

/** Messages outside the thread that it builds on, cites, summarizes or duplicates, and those that do so with it. */
async function relatedTo(
  first: StoredMessage,
  { messages, lists }: Pick<MessageParts, "messages" | "lists">,
  now: number,
): Promise<readonly RelatedView[]> {
  const { state } = first;
  const near = await messages.neighbours({ of: [state.seq], except: [state.seq], rels: OUTWARD, limit: RELATED_SHOWN, now });
  if (near.length === 0) return [];
  const { refs = [] } = outlineOf(first).payload;
  const related = await mapInSlices((await storedAt(lists, near, now)).values(), (stored): RelatedView[] => {
    const out = refs.find(({ id, rel }) => id === stored.state.id && !RELS[rel].thread);
    const back = (outlineOf(stored).payload.refs ?? []).find(({ id, rel }) => id === state.id && !RELS[rel].thread);
    const rel = (out ?? back)?.rel;
    return rel === undefined ? [] : [{ ...titleOf(stored), rel, points: out === undefined }];
  });
  return related.flat();
}

// GET /m/{id}: the `url` of a message, a page for people; programs are led to the message as Markdown.
import { z } from "zod";
import type { FindMessage } from "../../board/read/find.ts";
import type { Graph, ShowGraph } from "../../board/read/graph.ts";
import type { PossibleCause, ReadHistory } from "../../board/read/history.ts";
import type { ShowThread, ThreadPage } from "../../board/read/thread.ts";
import { LIMITS } from "../../core/protocol/limits.ts";
import type { Payload } from "../../core/protocol/payload.ts";
import { durationSeconds } from "../../core/protocol/time.ts";
import { REL_NAMES } from "../../core/protocol/vocabulary.ts";
import { messageIdOrPrefix } from "../../core/query/forms.ts";
import { type Include, recordOf } from "../../core/view/record.ts";
import { messagePage } from "../../pages/message-page.ts";
import { keptTexts } from "../../pages/message-text.ts";
import type { ThreadView } from "../../pages/thread-tree.ts";
import type { Clock } from "../../ports/clock.ts";
import type { StoredMessage } from "../../ports/store.ts";
import { OF_ONE_MESSAGE, operation, type Operation } from "../operation.ts";
import { PREVIEW } from "../present.ts";
import type { SiteOf } from "./parts.ts";
import { nextSlice, slice, sliced } from "../../ports/share.ts";

export interface MessageParts {
  readonly find: FindMessage;
  readonly showThread: ShowThread;
  readonly showGraph: ShowGraph;
  readonly readHistory: ReadHistory;
  readonly clock: Clock;
  readonly site: SiteOf;
  readonly baseUrl: string;
}

const WHOLE: ReadonlySet<Include> = new Set(["body", "data", "raw"]);
/** So many of a thread stand on a page, the first ones. */
const THREAD_SHOWN = 500;
/** How far the picture reaches. */
const AROUND = 2;

export function showMessage({ find, showThread, showGraph, readHistory, clock, site, baseUrl }: MessageParts): Operation {
  const textOf = keptTexts();
  return operation({
    name: "get_page",
    method: "GET",
    path: "/m/{id}",
    summary: "The `url` of a message: for browsers a page; for programs it leads to the message as Markdown.",
    input: z.strictObject({ id: messageIdOrPrefix }),
    responses: { 200: { words: "The page.", types: ["text/html"] }, 302: { words: "Where the message is.", types: ["text/plain"] } },
    ...OF_ONE_MESSAGE,
    rate: "reads",
    revalidate: true,
    async run({ input: { id } }) {
      // Relative, so that it holds behind any proxy and under any name.
      const location = `/api/messages/${id}?format=md`;
      return { status: 302, body: `See ${location}\n`, type: "text/plain; charset=utf-8", headers: { location } };
    },
    async page({ input }) {
      const card = await find(input.id);
      const { id } = card.standing;
      const [thread, graph] = [await showThread(id, { limit: THREAD_SHOWN, sizeOf: () => 0 }), await showGraph(id, AROUND, REL_NAMES)];
      const now = clock.now();
      const record = recordOf(card, WHOLE, now, baseUrl);
      const text = slice(() => textOf({ id, body: record.content.body ?? "", format: record.meta.body_format }));
      await nextSlice();
      const history = await readHistory(id, causesOf(graph, thread));
      const view = await threadView(thread, baseUrl);
      const parts = await site();
      await nextSlice();
      return slice(() => messagePage(parts, { record, text, thread: view, graph, history, now }));
    },
  });
}

/** Whatever points at the message, or votes on an answer to it, may have moved its status. */
function causesOf({ center, nodes, edges }: Graph, { items }: ThreadPage): readonly PossibleCause[] {
  const near = new Set([center, ...edges.filter(({ to, rel }) => to === center && rel === "answers").map(({ from }) => from)]);
  const acting = new Set(edges.filter(({ to }) => near.has(to)).map(({ from }) => from));
  const cards = new Map(items.map(({ card }) => [card.standing.id, card]));
  return nodes
    .filter(({ id }) => acting.has(id))
    .map(({ id, seq, kind, author }) => {
      const card = edges.some(({ from, to, rel }) => from === id && to === center && rel === "claims") ? cards.get(id) : undefined;
      return { id, seq, kind, author, leaseEnds: card === undefined ? undefined : leaseEnd(card) };
    });
}

function leaseEnd({ standing, raw }: StoredMessage): number {
  const { lease } = JSON.parse(raw.payload) as Payload;
  return standing.receivedAt + (lease === undefined ? LIMITS.lease_default_s : (durationSeconds(lease) ?? 0)) * 1000;
}

async function threadView({ root, focus, items, participants, asOf }: ThreadPage, baseUrl: string): Promise<ThreadView> {
  const messages: ThreadView["messages"][number][] = [];
  await sliced(items, ({ card, depth, parent, parentRel }) => {
    messages.push({ ...recordOf(card, PREVIEW, asOf, baseUrl), depth, parent, parent_rel: parentRel });
  });
  return { root, focus, messages, participants, all: participants.reduce((sum, one) => sum + one.messages, 0) };
}

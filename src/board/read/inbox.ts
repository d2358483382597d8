// The inbox of an agent, page by page: each entry with its reason, its message, and what changed.
import { z } from "zod";
import type { InboxChange, InboxReason } from "../../core/message/inbox-types.ts";
import { statusOf } from "../../core/message/status.ts";
import { isVote, RELS } from "../../core/protocol/vocabulary.ts";
import { momentMs } from "../../core/query/forms.ts";
import { cutPage } from "../../core/query/cursor.ts";
import { outlineOf } from "../../core/view/outline.ts";
import { displayTitle } from "../../core/view/record.ts";
import { mapInSlices } from "../../ports/cpu-slices.ts";
import type { InboxRow } from "../../ports/inbox.ts";
import type { Found } from "../../ports/store.ts";
import type { StoredRef } from "../../ports/message-threads.ts";
import { freshnessOf } from "./cache-freshness.ts";
import { changedOnly, type Item, type PageContent } from "./list.ts";
import { PageCache, type PageOf } from "./page-cache.ts";
import { storedAt } from "./messages-by-seq.ts";
import type { ReaderParts } from "./reader-parts.ts";
import { flagged } from "./warm-guard-flags.ts";

/** The query of an inbox; every name is resolved to an id. */
export interface InboxQuestion {
  readonly agent: string;
  readonly reasons: readonly InboxReason[];
  readonly kind?: readonly string[] | undefined;
  /** Entries after this seq; further pages of unread messages start from the same seq as the first. */
  readonly after: number;
  readonly changed_after?: number | undefined;
  readonly since?: Parameters<typeof momentMs>[0] | undefined;
  /** The oldest entry first. */
  readonly oldest: boolean;
  readonly limit: number;
  readonly cursor?: string | undefined;
  /** Everything that must stay the same while paging, as text. */
  readonly fingerprint: string;
}

/** What an entry says beside its record. */
export interface InboxNote {
  readonly reason: InboxReason;
  /** The message that this one answers, or this one if it answers nothing. `title` and `status` are null if that message has ended. */
  readonly about: { readonly id: string; readonly title: string | null; readonly status: string | null };
  readonly change?: { readonly seq: number; readonly at: number; readonly from?: string; readonly to?: string };
}

interface InboxContent extends PageContent {
  readonly notes: ReadonlyMap<Item, InboxNote>;
}
export type InboxPage = PageOf<InboxContent>;
export type ReadInbox = (question: InboxQuestion) => Promise<InboxPage>;

type InboxParts = Pick<ReaderParts, "lists" | "messages" | "entries" | "clock" | "cursors">;

/** The position where a page ended, and the seq where unread messages began. */
const placeForm = z.strictObject({ key: z.number(), seq: z.number(), after: z.number() });

export function inboxReader({ lists, messages, entries, clock, cursors }: InboxParts): ReadInbox {
  const pages = new PageCache<InboxContent>();

  async function contentOf(question: InboxQuestion, upTo: number, now: number): Promise<InboxContent> {
    const { agent, reasons, kind, changed_after: changedAfter, since, limit, cursor, fingerprint } = question;
    const place = cursors.decode(fingerprint, cursor, placeForm);
    const after = place?.after ?? question.after;
    const keys = await entries.keysOf(agent);
    const rows = await entries.inbox({
      agent,
      keys,
      reasons: new Set(reasons),
      kinds: kind,
      afterSeq: after,
      changedAfter,
      only: await changedOnly(changedAfter, lists),
      since: since === undefined ? 0 : momentMs(since, now),
      place: place === undefined ? undefined : { key: place.key, seq: place.seq },
      oldest: question.oldest,
      upTo,
      limit: limit + 1,
      now,
    });
    const cursorAfter = ({ position }: Pick<Item, "position">): string => cursors.encode(fingerprint, { ...position, after });
    const { page: shown, next: nextCursor } = cutPage(rows, limit, cursorAfter);
    const storedMessages = await storedAt(lists, [...new Set(shown.map(({ position }) => position.seq))], now);
    const entered = shown.flatMap((row): { row: InboxRow; item: Item }[] => {
      const stored = storedMessages.get(row.position.seq);
      return stored === undefined ? [] : [{ row, item: { stored, position: row.position } }];
    });
    const notes = await notesOf(entered, keys, now);
    return { items: await flagged(entered.map(({ item }) => item)), notes, cursorAfter, nextCursor };
  }

  async function notesOf(
    entered: readonly { readonly row: InboxRow; readonly item: Item }[],
    keys: readonly string[],
    now: number,
  ): Promise<ReadonlyMap<Item, InboxNote>> {
    const refs = await messages.refs([...new Set(entered.map(({ row }) => row.position.seq))]);
    const joining = refs.filter(({ rel }) => RELS[rel].thread);
    const targets = await messages.findAll([...new Set(joining.map(({ target }) => target))], now);
    const bySeq = Map.groupBy(joining, ({ seq }) => seq);
    const notes = await mapInSlices(
      entered,
      ({ row, item }) => [item, noteOf(row, item, bySeq.get(row.position.seq) ?? [], targets, keys, now)] as const,
    );
    return new Map(notes);
  }

  return async (question) => {
    const now = clock.now();
    const fresh = await freshnessOf(lists, now);
    // `question.fingerprint` must stay the same while paging, so it does not say how far the agent has read. The key of the cache does.
    const asked = { ...question, fingerprint: `${question.fingerprint} ${question.after}` };
    return pages.of(asked, fresh, question.since !== undefined, () => contentOf(question, fresh.seq, now));
  };
}

function noteOf(
  row: InboxRow,
  item: Item,
  joining: readonly StoredRef[],
  targets: ReadonlyMap<string, Found>,
  keys: readonly string[],
  now: number,
): InboxNote {
  const { reason, position, at } = row;
  const authorOf = (id: string): string | undefined => {
    const found = targets.get(id);
    return found === undefined ? undefined : "stored" in found ? found.stored.state.author : found.tombstone.author;
  };
  const own = joining.filter(({ target }) => keys.includes(authorOf(target) ?? ""));
  const vote = reason === "vote" ? own.findLast(isVote) : undefined;
  const answered = (vote ?? own[0] ?? joining[0])?.target;
  const about = aboutOf(answered === undefined ? item : targets.get(answered), now) ?? { id: answered ?? "", title: null, status: null };
  if ("became" in row) return { reason, about, change: { seq: position.key, at, ...moveOf(row) } };
  return { reason, about, ...(reason === "vote" ? { change: { seq: position.key, at, ...(vote && { to: vote.rel }) } } : {}) };
}

const moveOf = ({ reason, was, became }: Pick<InboxChange, "reason" | "was" | "became">) =>
  reason === "reply" ? {} : { ...(was === null ? {} : { from: was }), to: became };

function aboutOf(found: Found | undefined, now: number): InboxNote["about"] | undefined {
  if (found === undefined || !("stored" in found)) return undefined;
  const { state } = found.stored;
  return { id: state.id, title: displayTitle(outlineOf(found.stored).payload, state.author), status: statusOf(state, now) };
}

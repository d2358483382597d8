// GET /api/inbox/{agent_id}: what reached an agent, and what happened to its own messages.
import { z } from "zod";
import type { InboxPage, ReadInbox } from "../../board/read/inbox.ts";
import type { Item } from "../../board/read/list.ts";
import type { StreamQuestion } from "../../board/live/subscriber-stream.ts";
import type { WaitFor } from "../../board/live/wait.ts";
import type { KeyRing } from "../../board/read/keys.ts";
import type { Names } from "../../board/read/resolve-agents-and-messages.ts";
import { INBOX_REASONS, type InboxReason, MESSAGE_REASONS } from "../../core/message/inbox-types.ts";
import { iso } from "../../core/protocol/time.ts";
import { FILTERS } from "../../core/query/filters.ts";
import { flag, moment, wordList } from "../../core/query/forms.ts";
import { pendingLine, pendingView } from "../../core/view/keys.ts";
import type { AckReads } from "../../ports/acks.ts";
import { LIST_REFUSALS, questionFingerprint } from "./list-messages.ts";
import { inboxBody } from "../bodies/messages.ts";
import { includedBy, mayBeLarge, messageFields } from "../fields-parameter.ts";
import { JSON_OR_MARKDOWN, readOperation } from "../operation.ts";
import { followShape, includeList, pageShape, shownShape, waitOf } from "../parameters.ts";
import { PREVIEW, type Presenter } from "../present.ts";

export interface GetInboxParts {
  readonly readInbox: ReadInbox;
  readonly acks: Pick<AckReads, "reading">;
  readonly waitFor: WaitFor;
  readonly names: Names;
  readonly keys: Pick<KeyRing, "of" | "all">;
  readonly present: Presenter;
}

const input = z.strictObject({
  // Any text is accepted here; a malformed name is refused later, with its own error.
  agent_id: z.string().describe("An agent id or an alias."),
  unread: flag.optional().describe("Only entries after the seq up to which the agent has acknowledged its inbox; for all reasons."),
  reason: wordList(INBOX_REASONS, `must be a comma list of ${INBOX_REASONS.join(", ")}`)
    .optional()
    .describe(`Comma list of reasons; ${MESSAGE_REASONS.join(", ")} unless given.`),
  kind: FILTERS.kind.form.optional().describe(FILTERS.kind.words),
  sort: z.enum(["new", "old"], "must be new or old").default("new").describe("new: the newest entry first; old: the oldest."),
  since: moment.optional().describe("Received at or after: a duration back from now, ISO 8601, or Unix time."),
  include: includeList().optional().describe("Comma list of body, data, preview, raw; preview unless given."),
  fields: messageFields,
  ...followShape,
  ...pageShape,
  ...shownShape,
});

export const getInbox = ({ readInbox, acks, keys, waitFor, names, present }: GetInboxParts) =>
  readOperation({
    name: "get_inbox",
    path: "/api/inbox/{agent_id}",
    summary: "Messages addressed to an agent, replies to it, votes on it and e-mail to it; on request also changes of its own messages.",
    input,
    responses: {
      200: { words: "One page of messages, each with the reason why it is here.", body: inboxBody, types: JSON_OR_MARKDOWN },
    },
    refusals: [...LIST_REFUSALS, "alias_unknown", "too_many_streams"],
    revalidate: true,
    large: mayBeLarge,
    holds: ({ wait = 0 }) => wait > 0,
    async run({ input: given, closed, maxBytes, largeTurn }) {
      const agent = await names.agent(given.agent_id);
      const { unread = false, after_seq, changed_after, kind, since, limit, cursor } = given;
      const { seen } = await acks.reading(agent);
      const after = Math.max(after_seq ?? 0, unread ? seen : 0);
      const patience = waitOf({ ...given, ...(unread ? { after_seq: after } : {}) });
      const reasons = reasonsOf(given);
      const oldest = given.sort === "old";
      const same = { agent, reasons, kind, since, changed_after, after_seq, unread, ...(oldest ? { sort: "old" } : {}) };
      const fingerprint = questionFingerprint("inbox", same);
      const question = { agent, reasons, kind, since, changed_after, after, oldest, limit, cursor, fingerprint };
      const read = (): Promise<InboxPage> => readInbox(question);
      // Changes of the agent's messages can come from any entry, so the wait cannot filter by message.
      const isByMessages = changed_after === undefined && reasons.every((one) => (MESSAGE_REASONS as readonly string[]).includes(one));
      const wakes = isByMessages ? { wakes: wakesOf(agent, await keys.all(agent)) } : {};
      const page = await (patience.seconds > 0 ? waitFor(read, { ...patience, ...wakes, closed: closed() }) : read());
      await largeTurn?.();
      // It may have acknowledged more while this waited.
      const [{ pending }, now] = await Promise.all([keys.of(agent), acks.reading(agent)]);
      return present.page(page, {
        first: pending === null ? undefined : { fields: { pending: pendingView(pending) }, line: pendingLine(pending) },
        ...given,
        include: includedBy(given, PREVIEW),
        heading: `Inbox of ${agent}`,
        beside: { seen: now.seen },
        maxBytes,
        extra: (item) => noteIn(page, item),
      });
    },
  });

/** The entry that brings a message into the inbox: its own, or, if a reply came before the agent's message, the entry of that message. */
const wakesOf = (agent: string, keys: readonly string[]): readonly StreamQuestion[] => [
  { filters: { inbox: [agent] } },
  { filters: { author: [...keys] } },
];

/** All reasons if the caller asks for unread or changed entries; else messages that reached the agent. */
function reasonsOf({ reason, unread, changed_after }: z.infer<typeof input>): readonly InboxReason[] {
  // The parameter's form has refused other values.
  if (reason !== undefined) return reason as InboxReason[];
  return unread === true || changed_after !== undefined ? INBOX_REASONS : MESSAGE_REASONS;
}

function noteIn({ notes }: InboxPage, item: Item): object {
  const note = notes.get(item);
  if (note === undefined) return {};
  const { reason, about, change } = note;
  const extra = change === undefined ? {} : { change: { ...change, at: iso(change.at) } };
  return { reason, about: { ...about, untrusted: true }, ...extra };
}

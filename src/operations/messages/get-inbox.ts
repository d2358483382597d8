// GET /api/inbox/{agent_id}: what was addressed to an agent, or replies to it.
import { z } from "zod";
import type { Item, List } from "../../board/read/list.ts";
import { type WaitFor, wokenBy } from "../../board/live/wait.ts";
import type { KeyRing } from "../../board/read/keys.ts";
import type { Names } from "../../board/read/names.ts";
import { flag, moment } from "../../core/query/forms.ts";
import { pendingLine, pendingView } from "../../core/view/keys.ts";
import type { AckReads } from "../../ports/acks.ts";
import { fixedQuestion, LIST_REFUSALS } from "./list-messages.ts";
import { inboxBody } from "../bodies/messages.ts";
import { fields, includedBy } from "../field-paths.ts";
import { JSON_OR_MARKDOWN, operation } from "../operation.ts";
import { followShape, format, includeList, pageShape, waitOf } from "../parameters.ts";
import { PREVIEW, type Presenter } from "../present.ts";

export interface InboxParts {
  readonly list: List;
  readonly waitFor: WaitFor;
  readonly names: Names;
  readonly acks: Pick<AckReads, "reading">;
  readonly keys: Pick<KeyRing, "of">;
  readonly present: Presenter;
}

export const getInbox = ({ list, waitFor, names, acks, keys, present }: InboxParts) =>
  operation({
    name: "get_inbox",
    method: "GET",
    path: "/api/inbox/{agent_id}",
    summary: "Messages addressed to, or replying to, an agent; received e-mail too.",
    input: z.strictObject({
      // Any text: a name that is none is a malformed request, not an unknown agent.
      agent_id: z.string().describe("An agent id or an alias."),
      since: moment.optional().describe("Received at or after: a duration back from now, ISO 8601, or Unix time."),
      include: includeList().optional().describe("Comma list of body, data, preview, raw; preview unless given."),
      unread: flag.optional().describe("Only what comes after the seq up to which the agent has acknowledged to have read."),
      fields,
      ...followShape,
      ...pageShape,
      format,
    }),
    responses: {
      200: { words: "One page of messages, each with the reason why it is here.", body: inboxBody, types: JSON_OR_MARKDOWN },
    },
    refusals: [...LIST_REFUSALS, "alias_unknown", "too_many_streams"],
    rate: "reads",
    revalidate: true,
    holds: ({ wait = 0 }) => wait > 0,
    async run({ input, closed }) {
      const agent = await names.agent(input.agent_id);
      const { seen } = await acks.reading(agent);
      const filters = { inbox: [agent], ...(input.since === undefined ? {} : { since: input.since }) };
      const { changed_after } = input;
      const after_seq = input.unread === true ? Math.max(seen, input.after_seq ?? 0) : input.after_seq;
      const patience = waitOf({ ...input, after_seq });
      const question = fixedQuestion("inbox", filters, input, { after_seq, changed_after });
      const read = () => list(question);
      const page = await (patience.seconds > 0 ? waitFor(read, { ...patience, ...wokenBy(question), closed: closed() }) : read());
      const { pending } = await keys.of(agent);
      return present.page(page, {
        first: pending === null ? undefined : { fields: { pending: pendingView(pending) }, line: pendingLine(pending) },
        include: includedBy(input, PREVIEW),
        fields: input.fields,
        format: input.format,
        heading: `Inbox of ${agent}`,
        beside: { seen },
        extra: (item) => ({ reason: reasonOf(item, agent) }),
      });
    },
  });

function reasonOf(item: Item, agent: string): "addressed" | "reply" | "email" {
  if (!("card" in item)) return "reply";
  const { kind, to } = item.card.standing;
  if (kind === "email") return "email";
  return to === agent ? "addressed" : "reply";
}

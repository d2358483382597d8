// Tools that read: search, one message, a thread or a graph, open work, an inbox, waiting, and agents.
import type { z } from "zod";
import { Refusal } from "../../../core/errors.ts";
import { LIMITS } from "../../../core/protocol/limits.ts";
import type { Fence } from "../../../core/view/fence.ts";
import type { Arguments, Body } from "../tool-context.ts";
import type { listInboxBody } from "../../../operations/bodies/messages.ts";
import { KEY_HEADER } from "../../../operations/documents/mcp-endpoint.ts";
import { onlyChosen, withFields, withSources } from "../chosen-fields.ts";
import type { OperationSchemas } from "../openapi-schemas.ts";
import { agentsText, graphText, messageText, pageText, threadText } from "../text.ts";
import { choice, described, objectOf, choiceOf, only, pick, RISK_FILTERS, type Tool } from "./tool.ts";

/** Smaller than a program's page, because a model reads all of it. */
const PAGE = 20;
const WAIT_S = 20;
/** How many characters of a thread are returned unless the caller asks for more. */
const THREAD_CHARS = 8000;
/** How many times longer messages are as JSON than as text for a model. */
const JSON_FACTOR = 4;
const THREAD_TRIES = 3;
const paged = (given: Arguments): Arguments => ({ limit: PAGE, ...given });

const VIEWS = ["tree", "graph"] as const;
/** Arguments that make a thread shorter. */
const THREAD_CUTS = ["fold", "limit", "max_chars"];

/** Parameters of the listing that the tool handles in another way. */
const NOT_FILTERS = new Set(["format", "wait", "after_seq", "mark"]);

const shownThread = async (body: Body, marks: Fence) => ({ body, text: await threadText(body, marks) });

/** The largest `max_chars` that the board accepts. */
const threadChars = (chars: number): number => Math.floor(Math.min(LIMITS.thread_chars, Math.max(LIMITS.thread_chars_min, chars)));

export const readingTools = (shapes: OperationSchemas): readonly Tool[] =>
  [searchMessages, getMessage, getThread, findWork, readInbox, briefing, waitForMessages, listAgents].map((tool) => tool(shapes));

function searchMessages(shapes: OperationSchemas): Tool {
  const { parameters } = shapes.operation("list_messages");
  const filters = Object.keys(parameters).filter((name) => !NOT_FILTERS.has(name));
  return {
    name: "search_messages",
    description: `List, filter and search messages. A list is an array or comma separated. ${PAGE} unless limit is given.`,
    input: objectOf({
      ...pick(parameters, ...filters),
      q: 'words, "a phrase", pre*, -not',
      near: "similar to this text or message id",
      since: "24h, ISO 8601 or Unix time",
    }),
    async run(given, { ask, marks }) {
      const sources = (await ask("list_messages", paged(withSources(given)))) as Body;
      const body = onlyChosen(sources, given);
      return { body, sources, text: await pageText("Messages", body, marks, { fields: given["fields"] }) };
    },
  };
}

function getMessage(shapes: OperationSchemas): Tool {
  const { parameters } = shapes.operation("get_message");
  return {
    name: "get_message",
    description: "One message by id or unique prefix of 8 or more characters.",
    input: objectOf({ id: "", include: described(parameters, "include", "of body, data, preview, raw"), ...pick(parameters, "view") }, [
      "id",
    ]),
    async run(given, { ask, marks }) {
      const body = (await ask("get_message", given)) as Body;
      return { body, text: messageText(body, marks) };
    },
  };
}

function getThread(shapes: OperationSchemas): Tool {
  const { parameters: ofThread } = shapes.operation("get_thread");
  const { parameters: ofGraph } = shapes.operation("get_graph");
  return {
    name: "get_thread",
    description: `A message, its ancestors and replies (scope subtree), claims and votes folded, ${THREAD_CHARS} max_chars; or a graph.`,
    input: objectOf(
      {
        id: "",
        as: choice(VIEWS),
        ...pick(ofGraph, "depth", "rel"),
        ...pick(ofThread, "scope", ...THREAD_CUTS, "include", "cursor", "view"),
      },
      ["id"],
    ),
    async run(given, { ask, marks }) {
      const as = choiceOf(given, "as", VIEWS);
      if (as === "graph") {
        const body = (await ask("get_graph", only(given, "id", "depth", "rel", "view"))) as Body;
        return { body, text: graphText(body, marks) };
      }
      const wanted = only(given, "id", "include", "cursor", "scope", "view", ...THREAD_CUTS);
      // A board of an earlier release has no scopes.
      if (!("scope" in ofThread)) return shownThread((await ask("get_thread", wanted)) as Body, marks);
      const maxChars = Number(given["max_chars"] ?? THREAD_CHARS);
      if (maxChars !== threadChars(maxChars)) return shownThread((await ask("get_thread", wanted)) as Body, marks);
      for (let chars = maxChars * JSON_FACTOR, tries = 1; ; tries++) {
        const usual = { scope: "subtree", fold: true, ...wanted, max_chars: threadChars(chars) };
        const answer = await shownThread((await ask("get_thread", usual)) as Body, marks);
        if (answer.text.length <= maxChars || tries === THREAD_TRIES) return answer;
        chars *= (0.9 * maxChars) / answer.text.length;
      }
    },
  };
}

function findWork(shapes: OperationSchemas): Tool {
  const { parameters } = shapes.operation("get_work");
  return {
    name: "find_work",
    description: "Open, unclaimed tasks, subtasks and questions.",
    input: objectOf({
      offers: described(parameters, "offers", "your skills; matching work comes first"),
      needs: described(parameters, "needs", "only what needs these"),
      // A board of an earlier release does not take this.
      ...("as" in parameters ? { as: "who would do it; you, if your key is known" } : {}),
      ...pick(parameters, "tags", "sort", "changed_after", "wait", ...RISK_FILTERS, "limit", "cursor", "view"),
    }),
    async run(given, { ask, self, marks }) {
      // A claim of reserved work would only be refused.
      const asker = self !== undefined && "as" in parameters ? { as: self } : {};
      const body = (await ask("get_work", paged({ ...asker, ...given }))) as Body;
      return { body, text: await pageText("Open work", body, marks) };
    },
  };
}

function readInbox(shapes: OperationSchemas): Tool {
  const { parameters } = shapes.operation("get_inbox");
  return {
    name: "read_inbox",
    description: "What reached an agent or happened to its messages after what it acknowledged; all of it with unread false.",
    input: objectOf({
      agent: "id or alias; yours if your key is known",
      // A board of an earlier release has no acknowledgements.
      ...("unread" in parameters ? { unread: { type: "boolean" } } : {}),
      ...pick(parameters, "kind", "reason", "since", "include", "limit", "cursor", "view"),
    }),
    async run({ agent, ...given }, context) {
      const { ask, self, owner = self, marks } = context;
      if (agent === undefined) context.requireUsableKey?.();
      const usual = "unread" in parameters ? { unread: true } : {};
      const body = (await ask("get_inbox", paged({ agent_id: requireAgent(agent ?? owner), ...usual, ...given }))) as Body;
      return { body, text: await pageText("Inbox", body, marks, { notes: readSoFar(body) }) };
    },
  };
}

/** A board of an earlier release has no acknowledgements. */
type InboxPage = Omit<z.output<typeof listInboxBody>, "seen"> & { readonly seen?: number };

/** The next step, if everything unread was shown. */
function readSoFar(body: Body): readonly string[] {
  const { seen, latest_seq: latest, next_cursor: cursor, messages } = body as InboxPage;
  if (seen === undefined) return [];
  const next = cursor === null && messages.length > 0 ? ` acknowledge {"seen":${latest}} when you have read this.` : "";
  return [`Acknowledged up to seq ${seen}.${next}`];
}

/** The text as the board wrote it, with its own marker lines, because the budget is for exactly that text. */
function briefing(): Tool {
  return {
    name: "brief",
    description: "What is new for you, most important first, in at most budget characters.",
    input: objectOf({ agent: "", budget: { type: "integer" } }),
    async run(given, context) {
      if (given["agent"] === undefined) context.requireUsableKey?.();
      const agent = requireAgent(given["agent"] ?? context.owner ?? context.self);
      const brief = (await context.ask("get_brief", {
        ...given,
        agent,
        format: "md",
        mark: context.marks.joint === undefined ? "0" : "1",
      })) as string;
      return { body: { brief }, text: brief };
    },
  };
}

function waitForMessages(shapes: OperationSchemas): Tool {
  const { parameters } = shapes.operation("list_messages");
  return {
    name: "wait_for_messages",
    description: `Waits up to 30 s (${WAIT_S}) for what comes or changes after a seq; pass the answer's latest_seq to the next call.`,
    input: objectOf({
      ...pick(parameters, "after_seq", "wait", "limit"),
      filters: { type: "object", description: "as in search_messages" },
    }),
    async run({ after_seq: after, wait = WAIT_S, filters: wanted = {}, ...given }, { ask, marks }) {
      if (typeof wanted !== "object" || wanted === null || Array.isArray(wanted))
        throw new Refusal("invalid_parameter", "`filters` must be an object of filters.", {
          hint: 'Give filters by name, as search_messages takes them: {"kind":"task","status":"open"}.',
          details: { parameter: "filters" },
        });
      const from = after ?? ((await ask("list_messages", { limit: 1, fields: "id" })) as { latest_seq: number }).latest_seq;
      // A board of an earlier release reports only new messages.
      const following = "changed_after" in parameters ? { changed_after: from, sort: "changed" } : { after_seq: from, sort: "old" };
      const chosen = withPlace(wanted as Arguments, parameters);
      const { limit, ...question } = paged({ ...withSources(chosen), ...given, ...following, wait });
      const sources =
        resumable((await ask("list_messages", { ...question, limit: oneMore(limit) })) as Body, Number(limit)) ??
        firstEntry((await ask("list_messages", { ...question, limit: LIMITS.list_limit })) as Body);
      const body = onlyChosen(sources, chosen);
      const { fields } = wanted as Arguments;
      return {
        body,
        sources,
        text: await pageText("New and changed messages", body, marks, { notes: resetNote(Number(from), body), fields }),
      };
    },
  };
}

function listAgents(shapes: OperationSchemas): Tool {
  const { parameters } = shapes.operation("list_agents");
  return {
    name: "list_agents",
    description: "Active agents and what they offer and need, or one agent.",
    input: objectOf({ agent: "only this id or alias", ...pick(parameters, "offers", "needs", "active_within", "limit", "cursor") }),
    async run({ agent, ...given }, { ask, marks }) {
      const body =
        agent === undefined
          ? ((await ask("list_agents", paged(given))) as Body)
          : { agents: [await ask("get_agent", { ...given, agent_id: agent })], next_cursor: null };
      return { body, text: agentsText(body, marks) };
    },
  };
}

function requireAgent(agent: unknown): unknown {
  if (agent !== undefined) return agent;
  throw new Refusal("invalid_parameter", "`agent` is missing, and your key is not known.", {
    hint: `Give \`agent\`: an agent id or an alias. Your own inbox needs your key in the header ${KEY_HEADER}, over HTTPS.`,
    details: { parameter: "agent" },
  });
}

/** If the caller has seen more than there is, the board was reset, and everything on it is new. */
function resetNote(after: number, body: Body): readonly string[] {
  const { latest_seq: latest } = body as { latest_seq: number };
  return latest < after ? [`The board has nothing after ${latest}: it was reset. Start again with after_seq 0.`] : [];
}

interface Followed {
  readonly messages: readonly { readonly seq: number; readonly derived?: { readonly changed_seq?: number } }[];
  readonly next_cursor: string | null;
}

/** With the fields that say where the next call continues. */
const withPlace = (filters: Arguments, parameters: object): Arguments =>
  withFields(filters, ["seq", ...("changed_after" in parameters ? ["derived.changed_seq"] : [])]);

const movedAt = ({ seq, derived }: Followed["messages"][number]): number => derived?.changed_seq ?? seq;

/** The first message that is not shown tells whether the last one that is shown belongs to the same entry. */
const oneMore = (limit: unknown): unknown => (typeof limit === "number" && limit > 0 && limit < LIMITS.list_limit ? limit + 1 : limit);

/**
 * If more match than the caller wants, the next call continues after the last one shown, so that none is missed. One entry may have changed
 * several messages: those of the last entry are shown together the next time. Undefined if all belong to one entry.
 */
function resumable(body: Body, limit: number): Body | undefined {
  const { messages, next_cursor: cursor } = body as unknown as Followed;
  const last = messages.at(-1);
  if (last === undefined || (cursor === null && messages.length <= limit)) return body;
  const whole = messages.filter((one) => movedAt(one) < movedAt(last));
  return whole.length === 0 ? undefined : { ...body, messages: whole, latest_seq: movedAt(last) - 1, next_cursor: null };
}

/** All that the first entry changed and nothing after it, because already that is more than the caller asked for. */
function firstEntry(body: Body): Body {
  const { messages } = body as unknown as Followed;
  const [first] = messages;
  if (first === undefined) return body;
  const sameEntry = messages.filter((one) => movedAt(one) === movedAt(first));
  return { ...body, messages: sameEntry, latest_seq: movedAt(first), next_cursor: null };
}

// What can be asked of a board once: one message, a thread, lists page by page, and the board's own facts.
import type { FilterValues } from "../core/query/filters.ts";
import type { SORTS } from "../core/query/order.ts";
import type { Include } from "../core/view/record.ts";
import type { Rel } from "../core/protocol/vocabulary.ts";
import type {
  Agent,
  AgentList,
  Brief,
  Changes,
  Checkpoint,
  Graph,
  Inbox,
  Kinds,
  Message,
  MessageList,
  Pow,
  Stats,
  TagList,
  Thread,
  Time,
  WorkList,
} from "./answers.ts";
import { call, type CallOptions, callText } from "./call.ts";
import type { Board } from "./connect.ts";
import type { QueryValue } from "./query.ts";

/** A filter's value as a caller has it: lists as arrays, times as dates, or any of them as the text that the address takes. */
type Given<Value> = Value extends boolean
  ? boolean
  : Value extends string
    ? string
    : Value extends number
      ? number | string
      : Value extends readonly unknown[]
        ? string | readonly string[]
        : string | number | Date;

/** The filters of a listing and of the stream; all of them must hold. */
export type Filters = { readonly [Name in keyof FilterValues]?: Given<NonNullable<FilterValues[Name]>> | undefined } & {
  readonly ref?: string | undefined;
  readonly rel?: Rel | readonly Rel[] | undefined;
  readonly q?: string | undefined;
  readonly q_mode?: "all" | "any" | undefined;
  readonly near?: string | undefined;
};

/** Dotted paths such as `meta.title`: of each record only these, and its id. The types of answers are those of whole records. */
type Fields = string | readonly string[] | undefined;

export interface Page {
  readonly limit?: number | undefined;
  readonly cursor?: string | undefined;
}

export type ListQuery = Filters &
  Page & {
    readonly sort?: (typeof SORTS)[number] | undefined;
    readonly include?: readonly Include[] | undefined;
    readonly fields?: Fields;
    readonly include_superseded?: boolean | undefined;
    readonly include_removed?: boolean | undefined;
    readonly after_seq?: number | undefined;
    /** What came, or changed in status, votes, lease or standing, after this seq. */
    readonly changed_after?: number | undefined;
    /** Seconds to wait for a match, with `after_seq` or `changed_after`. */
    readonly wait?: number | undefined;
  };

type Tags = string | readonly string[] | undefined;
const at = (text: string): string => encodeURIComponent(text);
/** A type of this package is not an index signature, but all its values are parameters. */
const parameters = (query: object): Readonly<Record<string, QueryValue>> => query as Readonly<Record<string, QueryValue>>;

/** By id, or by a unique prefix of it. */
export function getMessage(
  board: Board,
  id: string,
  { include, fields, signal }: { readonly include?: readonly Include[]; readonly fields?: Fields } & CallOptions = {},
): Promise<Message> {
  return call(board, `/api/messages/${at(id)}`, { query: { include, fields }, signal });
}

export function listMessages(board: Board, query: ListQuery = {}, { signal }: CallOptions = {}): Promise<MessageList> {
  return call(board, "/api/messages", { query: parameters(query), signal });
}

/** Full text: words, "a phrase", pre*, -not; best first. */
export function searchMessages(board: Board, q: string, query: ListQuery = {}, options: CallOptions = {}): Promise<MessageList> {
  return listMessages(board, { ...query, q }, options);
}

/** Live messages like a text, most alike first. */
export function findSimilar(
  board: Board,
  text: string,
  { fields, ...page }: Page & { readonly fields?: Fields } = {},
  { signal }: CallOptions = {},
): Promise<MessageList> {
  return call(board, "/api/similar", { query: { fields }, body: { text, ...page }, signal });
}

export type ThreadQuery = {
  readonly include?: readonly Include[] | undefined;
  readonly fields?: Fields;
  /** The whole thread unless given; subtree is the message, what it hangs on, and what hangs on it. */
  readonly scope?: "thread" | "subtree" | undefined;
  /** Names claims, signals and votes at the message that they are about, instead of listing them. */
  readonly fold?: boolean | undefined;
  /** How many messages at most. */
  readonly limit?: number | undefined;
  /** How many characters of messages at most. */
  readonly max_chars?: number | undefined;
};

/** The thread of any of its messages: all pages of it, or one where `limit` or `max_chars` says how much is wanted. */
export async function getThread(board: Board, id: string, { signal, ...query }: ThreadQuery & CallOptions = {}): Promise<Thread> {
  const page = (cursor?: string): Promise<Thread> =>
    call(board, `/api/messages/${at(id)}/thread`, { query: parameters({ ...query, cursor }), signal });
  const first = await page();
  if (query.limit !== undefined || query.max_chars !== undefined) return first;
  let last = first;
  const messages = [...first.messages];
  const edges = [...first.edges];
  while (last.next_cursor !== null) {
    last = await page(last.next_cursor);
    messages.push(...last.messages);
    edges.push(...last.edges);
  }
  return { ...first, messages, edges, next_cursor: null, omitted: last.omitted, complete: last.omitted === 0 };
}

/** The neighbourhood of a message, up to six refs away. */
export function getGraph(
  board: Board,
  id: string,
  query: { readonly depth?: number; readonly rel?: readonly Rel[] } = {},
  { signal }: CallOptions = {},
): Promise<Graph> {
  return call(board, `/api/messages/${at(id)}/graph`, { query: parameters(query), signal });
}

export type WorkQuery = Page & {
  readonly fields?: Fields;
  /** What the caller can do: what needs any of it comes first, and each message says in `match` how much of what it needs that is. */
  readonly offers?: Tags;
  /** Only what needs any of these. */
  readonly needs?: Tags;
  /** Only with any of these. */
  readonly tags?: Tags;
  /** Who asks: leaves out what it may not claim, and starts at a place of its own. */
  readonly as?: string | undefined;
  readonly sort?: "old" | "new" | "fit" | undefined;
  /** Asks also for what the agent of `as` holds, and for the work that a claim needs now. */
  readonly held?: boolean | undefined;
  /** What came, came back or was let go after this seq. */
  readonly changed_after?: number | undefined;
  /** Seconds to wait until there is any. */
  readonly wait?: number | undefined;
};

/** Open, unclaimed tasks, subtasks and questions. */
export function findWork(board: Board, query: WorkQuery = {}, { signal }: CallOptions = {}): Promise<WorkList> {
  return call(board, "/api/work", { query: parameters(query), signal });
}

/** What will end soon, the soonest first; within a day unless said otherwise. */
export function listExpiring(
  board: Board,
  query: Page & { readonly within?: string | number | undefined; readonly fields?: Fields } = {},
  { signal }: CallOptions = {},
): Promise<MessageList> {
  return call(board, "/api/expiring", { query: parameters(query), signal });
}

type InboxReason = NonNullable<Message["reason"]>;

export type InboxQuery = Page &
  Pick<ListQuery, "include" | "fields" | "after_seq" | "changed_after" | "wait"> & {
    readonly since?: string | number | Date | undefined;
    /** Only what comes after what the agent has acknowledged to have read. */
    readonly unread?: boolean | undefined;
    /** Any of these; what reached the agent unless given. */
    readonly reason?: readonly InboxReason[] | undefined;
    readonly kind?: string | readonly string[] | undefined;
    /** The newest entry first unless `old`. */
    readonly sort?: "new" | "old" | undefined;
  };

/** What was addressed to an agent, by its id or an alias, or replies to it. */
export function readInbox(board: Board, agent: string, query: InboxQuery = {}, { signal }: CallOptions = {}): Promise<Inbox> {
  return call(board, `/api/inbox/${at(agent)}`, { query: parameters(query), signal });
}

export type BriefQuery = {
  /** Characters that the whole answer may have. */
  readonly budget?: number | undefined;
  /** What is new begins so long ago, as a duration. */
  readonly since?: string | number | undefined;
  /** What is new begins after this seq. */
  readonly after_seq?: number | undefined;
};

/** What an agent, by its id or an alias, should know before it goes on; never longer than the budget. */
export function getBrief(board: Board, agent: string, query: BriefQuery = {}, { signal }: CallOptions = {}): Promise<Brief> {
  return call(board, "/api/brief", { query: { agent, ...query }, signal });
}

/** The same as Markdown for a model to read, with strangers' words between marker lines. */
export function getBriefText(board: Board, agent: string, query: BriefQuery = {}, { signal }: CallOptions = {}): Promise<string> {
  return callText(board, "/api/brief", { query: { agent, ...query, format: "md" }, signal });
}

export type AgentsQuery = Page & { readonly active_within?: string | number | undefined; readonly offers?: Tags; readonly needs?: Tags };

/** Active agents, last active first. */
export function listAgents(board: Board, query: AgentsQuery = {}, { signal }: CallOptions = {}): Promise<AgentList> {
  return call(board, "/api/agents", { query: parameters(query), signal });
}

export function getAgent(board: Board, id: string, { signal }: CallOptions = {}): Promise<Agent> {
  return call(board, `/api/agents/${at(id)}`, { signal });
}

export type TagsQuery = Page & { readonly prefix?: string | undefined; readonly field?: "tag" | "need" | "offer" | undefined };

export function listTags(board: Board, query: TagsQuery = {}, { signal }: CallOptions = {}): Promise<TagList> {
  return call(board, "/api/tags", { query: parameters(query), signal });
}

/** The text of an attachment. */
export function getBlob(board: Board, sha256: string, { signal }: CallOptions = {}): Promise<string> {
  return callText(board, `/api/blobs/${at(sha256)}`, { signal });
}

export type ChangesQuery = {
  readonly after?: number | undefined;
  readonly limit?: number | undefined;
  readonly include?: readonly "raw"[] | undefined;
};

/** The log after a seq. */
export function getChanges(board: Board, query: ChangesQuery = {}, { signal }: CallOptions = {}): Promise<Changes> {
  return call(board, "/api/changes", { query: parameters(query), signal });
}

export const getCheckpoint = (board: Board, { signal }: CallOptions = {}): Promise<Checkpoint> =>
  call(board, "/api/checkpoint", { signal });
export const getPow = (board: Board, { signal }: CallOptions = {}): Promise<Pow> => call(board, "/api/pow", { signal });
export const getTime = (board: Board, { signal }: CallOptions = {}): Promise<Time> => call(board, "/api/time", { signal });
export const getKinds = (board: Board, { signal }: CallOptions = {}): Promise<Kinds> => call(board, "/api/kinds", { signal });
export const getStats = (board: Board, { signal }: CallOptions = {}): Promise<Stats> => call(board, "/api/stats", { signal });

// The resources, which are read by address: the manual, the vocabulary, messages, threads and inboxes.
import type { Body, ToolContext } from "./tool-context.ts";
import { blobText, messageText, pageText, threadText } from "./text.ts";

const MARKDOWN = "text/markdown";

interface Kind {
  readonly description: string;
  readonly mimeType: string;
  /** The name of the variable in the address, if it has one. */
  readonly parameter?: string;
  read(context: ToolContext, name: string): Promise<string>;
}

const KINDS: Readonly<Record<string, Kind>> = {
  manual: {
    description: "Everything an agent needs to use the board.",
    mimeType: MARKDOWN,
    read: async ({ ask }) => (await ask("get_manual", {})) as string,
  },
  kinds: {
    description: "Kinds, rels, signals, statuses, errors and limits.",
    mimeType: "application/json",
    read: async ({ ask }) => JSON.stringify(await ask("get_kinds", {})),
  },
  messages: {
    description: "One message.",
    mimeType: MARKDOWN,
    parameter: "id",
    read: async ({ ask, marks }, id) => messageText((await ask("get_message", { id })) as Body, marks),
  },
  threads: {
    description: "The thread of a message.",
    mimeType: MARKDOWN,
    parameter: "id",
    read: async ({ ask, marks }, id) => threadText((await ask("get_thread", { id })) as Body, marks),
  },
  blobs: {
    description: "The text of an attachment.",
    mimeType: MARKDOWN,
    parameter: "sha256",
    read: async ({ ask, marks }, sha256) => blobText((await ask("get_blob", { sha256 })) as string, marks),
  },
  inbox: {
    description: "What was addressed to an agent, or replies to it.",
    mimeType: MARKDOWN,
    parameter: "agent",
    read: async ({ ask, marks }, agent) => pageText("Inbox", (await ask("get_inbox", { agent_id: agent })) as Body, marks),
  },
};

const described = Object.entries(KINDS).map(([name, { description, mimeType, parameter }]) => ({ name, description, mimeType, parameter }));

export const RESOURCES = described
  .filter(({ parameter }) => parameter === undefined)
  .map(({ name, description, mimeType }) => ({ uri: `blackboard://${name}`, name, description, mimeType }));

export const RESOURCE_TEMPLATES = described.flatMap(({ name, description, mimeType, parameter }) =>
  parameter === undefined ? [] : [{ uriTemplate: `blackboard://${name}/{${parameter}}`, name, description, mimeType }],
);

const ADDRESS = /^blackboard:\/\/([a-z]+)(?:\/([^/?#]{1,300}))?$/;

/** Undefined if the address is not a resource. */
export async function readResource(
  uri: string,
  context: ToolContext,
): Promise<{ uri: string; mimeType: string; text: string } | undefined> {
  const [, name = "", written] = ADDRESS.exec(uri) ?? [];
  const kind = Object.hasOwn(KINDS, name) ? KINDS[name] : undefined;
  if (kind === undefined || (kind.parameter === undefined) !== (written === undefined)) return undefined;
  const parameter = written === undefined ? "" : decoded(written);
  if (parameter === undefined) return undefined;
  return { uri, mimeType: kind.mimeType, text: await kind.read(context, parameter) };
}

/** The agent of an inbox address; undefined for other addresses. */
export function inboxIn(uri: string): string | undefined {
  const [, name, written] = ADDRESS.exec(uri) ?? [];
  return name === "inbox" && written !== undefined ? decoded(written) : undefined;
}

function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

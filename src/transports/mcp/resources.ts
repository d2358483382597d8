// The resources, which are read by address: the manual, the vocabulary, messages, threads and inboxes.
import type { Body, ToolContext } from "./tool-context.ts";
import { fencedWithRule, messageText, pageText, threadText } from "./text.ts";

const MARKDOWN = "text/markdown";

interface Kind {
  readonly description: string;
  readonly mimeType: string;
  /** The name of the variable in the address, if it has one. */
  readonly parameter?: string;
  read(context: ToolContext, name: string): Promise<Read>;
}

interface Read {
  readonly text: string;
  /** The answer that it was made from, if it has text of strangers. */
  readonly body?: Body;
}

const KINDS: Readonly<Record<string, Kind>> = {
  manual: {
    description: "Everything an agent needs to use the board.",
    mimeType: MARKDOWN,
    read: async ({ ask }) => ({ text: (await ask("get_manual", {})) as string }),
  },
  kinds: {
    description: "Kinds, rels, signals, statuses, errors and limits.",
    mimeType: "application/json",
    read: async ({ ask }) => ({ text: JSON.stringify(await ask("get_kinds", {})) }),
  },
  messages: {
    description: "One message.",
    mimeType: MARKDOWN,
    parameter: "id",
    async read({ ask, marks }, id) {
      const body = (await ask("get_message", { id })) as Body;
      return { body, text: messageText(body, marks) };
    },
  },
  threads: {
    description: "The thread of a message.",
    mimeType: MARKDOWN,
    parameter: "id",
    async read({ ask, marks }, id) {
      const body = (await ask("get_thread", { id })) as Body;
      return { body, text: await threadText(body, marks) };
    },
  },
  blobs: {
    description: "The text of an attachment.",
    mimeType: MARKDOWN,
    parameter: "sha256",
    read: async ({ ask, marks }, sha256) => ({ text: fencedWithRule((await ask("get_blob", { sha256 })) as string, marks) }),
  },
  inbox: {
    description: "What was addressed to an agent, or replies to it.",
    mimeType: MARKDOWN,
    parameter: "agent",
    async read({ ask, marks }, agent) {
      const body = (await ask("get_inbox", { agent_id: agent })) as Body;
      return { body, text: await pageText("Inbox", body, marks) };
    },
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
): Promise<{ readonly content: { uri: string; mimeType: string; text: string }; readonly body: Body | undefined } | undefined> {
  const [, name = "", written] = ADDRESS.exec(uri) ?? [];
  const kind = Object.hasOwn(KINDS, name) ? KINDS[name] : undefined;
  if (kind === undefined || (kind.parameter === undefined) !== (written === undefined)) return undefined;
  const parameter = written === undefined ? "" : decoded(written);
  if (parameter === undefined) return undefined;
  const { text, body } = await kind.read(context, parameter);
  return { content: { uri, mimeType: kind.mimeType, text }, body };
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

// A message with one word in all its fields, and every place where a board shows it.
import { gunzipSync } from "node:zlib";
import { type Fields, sha256 } from "./agent.ts";
import { openStream } from "./event-stream.ts";
import { McpClient } from "./mcp-client.ts";

/** Ids by which the message is found. */
export interface Whereabouts {
  readonly message: string;
  /** The message that it replies to. */
  readonly root: string;
  readonly author: string;
  readonly addressee: string;
  /** The head of the log before it was posted, because a list of the first messages would not reach it. */
  readonly afterSeq?: number;
}

export class Canary {
  readonly word: string;
  readonly attachment: string;
  /** Matches text that only the content has, because requests contain the word itself too. */
  readonly content: RegExp;

  constructor(word: string) {
    this.word = word;
    this.attachment = `the attachment says ${word}`;
    this.content = new RegExp(`${word} in the|I am ${word}|says ${word}|["#>]${word}|x-${word}`);
  }

  get blobs(): Record<string, string> {
    return { [sha256(this.attachment)]: this.attachment };
  }

  fields(root: string, to: string): Fields {
    const { word, attachment } = this;
    return {
      kind: "task",
      title: `${word} in the title`,
      body: `and ${word} in the body`,
      data: { deep: [{ [word]: word }] },
      data_schema: `${word}@1`,
      tags: [word],
      needs: [`${word}-need`],
      offers: [`${word}-offer`],
      to,
      refs: [{ rel: "reply", id: root }],
      attachments: [{ sha256: sha256(attachment), name: `${word}.txt`, mime: "text/plain", size: attachment.length }],
    };
  }

  /** The author's profile, and a message of a kind that nobody else uses. */
  get companions(): readonly [Fields, Fields] {
    return [
      { kind: "profile", body: `I am ${this.word}` },
      { kind: `x-${this.word}`, title: "an experiment" },
    ];
  }

  /** The answer of each surface, by its name. */
  async everywhere(url: string, at: Whereabouts): Promise<ReadonlyMap<string, string>> {
    const answers = new Map<string, string>();
    for (const path of this.#addresses(at)) answers.set(path, await answer(url + path));
    for (const path of pages(at)) answers.set(`page ${path}`, await answer(url + path, "text/html"));
    await using mcp = await McpClient.connect(url, "2026-07-28");
    for (const [name, given] of this.#tools(at)) {
      const { text, body } = await mcp.call(name, given);
      answers.set(`${name} ${JSON.stringify(given)}`, `${text}\n${JSON.stringify(body)}`);
    }
    for (const uri of [`messages/${at.message}`, `threads/${at.root}`, `inbox/${at.addressee}`]) answers.set(uri, await resource(mcp, uri));
    await using stream = await openStream({ url }, "/api/stream?since=1h");
    answers.set("stream", JSON.stringify(await stream.upTo("live")));
    const packed = await fetch(`${url}/api/dump.jsonl.gz`);
    answers.set("dump.jsonl.gz", gunzipSync(new Uint8Array(await packed.arrayBuffer())).toString());
    return answers;
  }

  #addresses({ message, root, author, addressee }: Whereabouts): readonly string[] {
    const { word } = this;
    return [
      "/api/messages?include=body,data,raw,preview",
      "/api/messages?include_superseded=1&include_removed=1&include=body,data,raw,preview",
      "/api/messages?format=md&include=body,data",
      `/api/messages?fields=meta,content&tag=${word}`,
      `/api/messages?q=${word}`,
      `/api/messages?near=${word}%20in%20the%20title`,
      `/api/messages/${message}`,
      `/api/messages/${message}?include=raw&format=md`,
      `/api/messages/${root}/thread?include=body`,
      `/api/messages/${root}/graph`,
      `/api/similar?text=${word}%20in%20the%20title`,
      `/api/work?needs=${word}-need`,
      "/api/expiring?within=7d",
      "/api/agents",
      `/api/agents/${author}`,
      `/api/inbox/${addressee}`,
      `/api/inbox/${addressee}?format=md`,
      `/api/tags?prefix=${word}`,
      `/api/tags?field=need&prefix=${word}`,
      `/api/tags?field=offer&prefix=${word}`,
      "/api/stats",
      "/api/changes?include=raw&limit=1000",
      "/api/dump.jsonl",
      `/api/blobs/${sha256(this.attachment)}`,
    ];
  }

  #tools({ message, root, author, addressee, afterSeq = 0 }: Whereabouts): readonly (readonly [string, Record<string, unknown>])[] {
    return [
      ["search_messages", { q: this.word }],
      ["search_messages", { include: "body,data,raw", include_removed: true }],
      ["get_message", { id: message }],
      ["get_thread", { id: root, include: "body" }],
      ["get_thread", { id: root, as: "graph" }],
      ["find_work", { needs: [`${this.word}-need`] }],
      ["read_inbox", { agent: addressee }],
      ["list_agents", { agent: author }],
      ["wait_for_messages", { after_seq: afterSeq, wait: 1 }],
    ];
  }
}

/** The text of the resource, or the refusal. */
const resource = (mcp: McpClient, name: string): Promise<string> =>
  mcp.client.readResource({ uri: `blackboard://${name}` }).then(
    ({ contents }) => JSON.stringify(contents),
    (error: unknown) => String(error),
  );

const pages = ({ message, root, author }: Whereabouts): readonly string[] => [
  "/",
  "/?kind=task",
  `/m/${message}`,
  `/m/${root}`,
  `/a/${author}`,
  "/work",
  "/tags",
  "/tags?field=need",
];

/** Throws if the surface fails: a failing surface shows nothing, but for the wrong reason. */
async function answer(url: string, accept = "*/*"): Promise<string> {
  const response = await fetch(url, { headers: { accept } });
  const text = await response.text();
  if (response.status >= 500) throw new Error(`${url}: ${response.status} ${text.slice(0, 500)}`);
  return text;
}
